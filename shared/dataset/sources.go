package dataset

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// The defaults of SourceOptions.
const (
	defaultMaxConns = 2
	defaultPageRows = 50_000
)

// SourceOptions are the surroundings of the source databases.
type SourceOptions struct {
	// ReportZone is the session zone where a query names none; nil means UTC.
	ReportZone *time.Location
	// MaxConns bounds the connections to each database; 0 means 2. A reading
	// holds one, so it should be twice the number of workers in the process.
	MaxConns int
	// PageRows is the number of rows of one statement of a keyed dataset; 0
	// means 50,000.
	PageRows int
	// Logger gets what no error can carry; nil means slog.Default().
	Logger *slog.Logger
}

// Sources are the databases that datasets read from, by name. They connect when
// first read. It is safe for concurrent use.
type Sources struct {
	options SourceOptions
	sources map[string]*source
}

// source opens its engine once.
type source struct {
	dialect *dialect
	open    func() (engine, error)

	mu     sync.Mutex
	opened engine
	closed bool
}

// NewSources takes the databases' URLs by name; "" names the one of datasets
// without a source. Names are compared in lower case. URLs are
// mysql://user:pass@host:port/db, postgres://… and sqlite:path; what follows
// their ? goes to the driver. Every malformed URL is reported, none is shown.
func NewSources(urls map[string]string, o SourceOptions) (*Sources, error) {
	if o.ReportZone == nil {
		o.ReportZone = time.UTC
	}
	if o.MaxConns <= 0 {
		o.MaxConns = defaultMaxConns
	}
	if o.PageRows <= 0 {
		o.PageRows = defaultPageRows
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	s := &Sources{options: o, sources: map[string]*source{}}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		src, err := newSource(urls[name], o)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", sourceTitle(name), err))
			continue
		}
		s.sources[strings.ToLower(name)] = src
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

func newSource(address string, o SourceOptions) (*source, error) {
	scheme, _, _ := strings.Cut(address, ":")
	switch scheme {
	case "mysql", "mariadb":
		config, err := mysqlConfig(address)
		if err != nil {
			return nil, err
		}
		return &source{dialect: mysqlDialect, open: func() (engine, error) { return openMySQL(config, o) }}, nil
	case "postgres", "postgresql":
		config, err := postgresConfig(address, o)
		if err != nil {
			return nil, err
		}
		return &source{dialect: postgresDialect, open: func() (engine, error) { return openPostgres(config) }}, nil
	case "sqlite":
		path := sqlitePath(address)
		if path == "" {
			return nil, errors.New("the URL names no file")
		}
		return &source{dialect: sqliteDialect, open: func() (engine, error) { return openSQLite(path, o), nil }}, nil
	}
	return nil, errors.New("the URL has none of the schemes mysql, postgres and sqlite")
}

// parseURL hides the address in its errors, since it carries a password.
func parseURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("the URL is malformed")
	}
	return u, nil
}

func sourceTitle(name string) string {
	if name == "" {
		return "the job database"
	}
	return fmt.Sprintf("the source %q", name)
}

// find returns a source by the name in a dataset file.
func (s *Sources) find(name string) (*source, bool) {
	src, ok := s.sources[strings.ToLower(name)]
	return src, ok
}

// engine connects lazily; a failure is tried again by the next caller.
func (s *source) engine() (engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.opened == nil {
		e, err := s.open()
		if err != nil {
			return nil, err
		}
		s.opened = e
	}
	return s.opened, nil
}

var errClosed = errors.New("the sources are closed")

// Close closes all connections. Rows still open fail.
func (s *Sources) Close() error {
	var faults []error
	for _, src := range s.sources {
		src.mu.Lock()
		if src.opened != nil && !src.closed {
			faults = append(faults, src.opened.close())
		}
		src.closed = true
		src.mu.Unlock()
	}
	return errors.Join(faults...)
}
