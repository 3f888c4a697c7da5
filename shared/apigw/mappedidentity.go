package apigw

import "github.com/haexcel/haexcel/shared/app"

// mappedIdentity lets a program's own code have the last word on who asks.
type mappedIdentity struct {
	signIn  Identity
	mapping func(app.Caller) (app.Caller, error)
}

// Identify implements Identity. A mapping that names nobody refuses the request:
// a blank requester would be everybody's.
func (m mappedIdentity) Identify(r *Request) (app.Caller, error) {
	c, err := m.signIn.Identify(r)
	if err != nil {
		return app.Caller{}, err
	}
	if c, err = m.mapping(c); err != nil {
		return app.Caller{}, err
	}
	if c.Subject == "" {
		return app.Caller{}, noIdentity()
	}
	return c, nil
}
