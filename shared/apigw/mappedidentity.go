package apigw

import "github.com/haexcel/haexcel/shared/app"

// MappedIdentity lets a program's own code have the last word on who asks: Map
// turns the caller whom the sign-in named into the requester whom jobs belong
// to.
type MappedIdentity struct {
	SignIn Identity
	Map    func(app.Caller) (app.Caller, error)
}

// Identify implements Identity.
func (m MappedIdentity) Identify(r *Request) (app.Caller, error) {
	c, err := m.SignIn.Identify(r)
	if err != nil {
		return app.Caller{}, err
	}
	return m.Map(c)
}
