package jobsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// signInLimit bounds dialling and signing in. The MySQL driver's own timeout
// ends with the dialling, and PostgreSQL's has none: a server that takes the
// connection and then says nothing would be waited for without end.
const signInLimit = 10 * time.Second

// errSignInTimeout marks a sign-in that took too long: nothing was executed.
var errSignInTimeout = errors.New("signing in took too long")

// signInConnector signs in within a limit.
type signInConnector struct {
	driver.Connector
	limit time.Duration
}

// Connect implements driver.Connector.
func (c *signInConnector) Connect(ctx context.Context) (driver.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	conn, err := c.Connector.Connect(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %w", errSignInTimeout, err)
	}
	return conn, err
}
