package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/haexcel/haexcel/local/httpfront"
	"github.com/haexcel/haexcel/shared/apigw"
	"github.com/haexcel/haexcel/shared/config"
)

// serve runs the API, the workers and the schedules until ctx ends.
func (p program) serve(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("serve", flag.ContinueOnError)
	withDemo := set.Bool("demo", false, "make the demo orders, believe the X-User-… headers and print lines to try")
	rows := p.rowsFlag(set, "demo-rows")
	if err := p.parse(set, args); err != nil {
		return err
	}
	if err := p.fill(rows); err != nil {
		return err
	}
	settings, _, err := loadSettings(p.environment)
	if err != nil {
		return err
	}
	if settings.Auth == "" {
		if !*withDemo {
			return errors.New("HAEXCEL_AUTH is missing: there is no gateway that signs users in, so set it to header (whoever reaches this server is believed)")
		}
		settings.Auth = config.AuthHeader
	}

	if *withDemo {
		bar := newMeter(p.stderr)
		err := p.ensureDemo(ctx, settings.DatabaseURL, rows.rows, bar)
		bar.clear()
		if err != nil {
			return err
		}
	}
	log := p.logger(slog.LevelInfo)
	s, err := openSite(ctx, settings, log)
	if err != nil {
		return err
	}
	defer s.close()
	listener, err := httpfront.Listen(ctx, settings.Listen)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // Serve closes it too
	if err := s.engine.WakeAll(ctx); err != nil {
		return err
	}
	stop := start(ctx, s.engine.Work, s.engine.Schedule)
	defer stop()

	p.announce(settings, listener.Addr(), *withDemo, rows.rows)
	front := httpfront.Front{
		Handler:         s.handler,
		HeadersTooLarge: http.HandlerFunc(apigw.HeadersTooLarge),
		Logger:          log,
	}
	err = front.Serve(ctx, listener)
	log.Info("stopping: running jobs go back to their queues")
	return err
}

// announce says where the API is and, with the demo, how to try it.
func (p program) announce(settings config.Config, address net.Addr, withDemo bool, rows int) {
	api := "http://" + address.String() + apigw.BasePath
	text := "haexcel serves " + api + "\n"
	if withDemo {
		ending := "xlsx"
		if int64(rows) >= settings.ZipThreshold {
			ending = "zip"
		}
		text += fmt.Sprintf("%d demo orders; whoever asks says so in the header X-User-Id. Try, one after the other:\n\n%s\n\n",
			rows, strings.Join(curlLines(api, ending), "\n"))
	}
	// In one write, so that whoever reads along sees all of it.
	fmt.Fprint(p.stdout, text)
}

// curlLines submit an export, poll it to its end and save its file. They work in
// any POSIX shell, pasted one by one or all at once.
func curlLines(api, ending string) []string {
	const user = "-H 'X-User-Id: local'"
	return []string{
		`JOB=$(curl -s -X POST ` + user + ` -H 'Content-Type: application/json' -d '{}' ` + api + `/orders | sed -n 's/.*"jobId":"\([^"]*\)".*/\1/p'); echo "job $JOB"`,
		`while s=$(curl -s ` + user + ` ` + api + `/$JOB/status); echo "$s"; echo "$s" | grep -qE '"status":"(PENDING|RUNNING)"'; do sleep 1; done`,
		`curl -fsSL -o orders.` + ending + ` ` + user + ` ` + api + `/$JOB/file`,
	}
}
