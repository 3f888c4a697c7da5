package jobsql

import (
	"database/sql/driver"

	"github.com/haexcel/haexcel/shared/fault"
)

// Dialect is what one database engine spells differently.
type Dialect struct {
	name        string // folder of its migrations
	now         string
	share       string
	update      string
	integer     string // format of a parameter whose type must be said
	numbered    bool   // $1 instead of ?
	tableExists string // query with one parameter, answers a count
	same        func(column, parameter string) string
	classify    func(err error) outcome // errors of the engine's own types; outcomeUnknownKind for others
	connector   func(databaseURL string) (driver.Connector, error)
	maxConns    int // default size of the pool
}

// Name is mysql, postgres or sqlite.
func (d *Dialect) Name() string { return d.name }

// DialectOf finds the dialect of a database URL by its scheme.
func DialectOf(databaseURL string) (*Dialect, error) {
	for _, d := range []struct {
		scheme  string
		dialect *Dialect
	}{
		{"mysql://", MySQL},
		{"postgres://", Postgres},
		{"postgresql://", Postgres},
		{"sqlite:", SQLite},
	} {
		if len(databaseURL) >= len(d.scheme) && databaseURL[:len(d.scheme)] == d.scheme {
			return d.dialect, nil
		}
	}
	return nil, fault.New(fault.Invalid, "A database URL starts with mysql://, postgres:// or sqlite:.")
}

// Connector turns a database URL into a driver's connector and tells its
// dialect. It does not dial. Errors never quote the URL, which may hold a
// password. For sqlite: it creates the parent folder.
func Connector(databaseURL string) (driver.Connector, *Dialect, error) {
	d, err := DialectOf(databaseURL)
	if err != nil {
		return nil, nil, err
	}
	c, err := d.connector(databaseURL)
	if err != nil {
		return nil, nil, err
	}
	return &signInConnector{Connector: c, limit: signInLimit}, d, nil
}
