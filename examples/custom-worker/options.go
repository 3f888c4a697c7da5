package customworker

import (
	"github.com/haexcel/haexcel/shared/app"
	"github.com/haexcel/haexcel/shared/boot"
	"github.com/haexcel/haexcel/shared/fault"
)

// Options are this program's own parts: the API and the workers take the same.
func Options() []boot.Option {
	return []boot.Option{boot.WithDataset(Calendar()), boot.WithIdentity(ByTeam)}
}

// ByTeam makes the caller's team the requester: its members see, cancel and
// download each other's exports. The team is a claim of the sign-in, or, where
// headers are believed, the tenant.
func ByTeam(signedIn app.Caller) (app.Caller, error) {
	team := signedIn.Claims["custom:team"]
	if team == "" {
		team = signedIn.Tenant
	}
	if team == "" {
		return app.Caller{}, fault.New(fault.Forbidden, "You belong to no team.")
	}
	signedIn.Subject = "team " + team
	return signedIn, nil
}
