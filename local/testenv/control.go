//go:build unix

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// controlVariable is where the command finds the address of the control.
const controlVariable = "HAEXCEL_TEST_CONTROL"

// A running is a server on its port, with or without a process at the moment.
type running struct {
	env    *environment
	server server
	port   int

	mu      sync.Mutex
	process *process // nil while the server is down
}

// end stops the server in its own way, or kills it, and returns when its process
// is gone.
func (r *running) end(kill bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.process == nil:
		return
	case kill:
		r.process.kill()
	default:
		r.process.stop()
	}
	r.process = nil
}

// again starts the server anew on its port and its data, and returns when it
// answers. What is left of a killed server may keep the port or the data for a
// moment, so a start that fails is tried again until the server's patience ends.
func (r *running) again(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.server.patience)
	defer cancel()
	for {
		p, err := r.env.launch(r.server.command(r.port), r.server.log, r.server.stopping, r.server.orphaned)
		if err != nil {
			return err
		}
		if err = await(ctx, p, r.server, r.port); err == nil {
			r.process = p
			return nil
		}
		p.stop()
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// kill ends the process and its group by SIGKILL.
func (p *process) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // no such group when all have ended
	<-p.done
}

// openControl serves, on a loopback port of its own, POST /SERVICE/stop, /kill
// and /start for the servers that run on this machine, until the environment is
// closed. Each answers when it is done.
func (e *environment) openControl() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	server := &http.Server{Handler: e.control(ctx), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	e.addresses[controlVariable] = "http://" + listener.Addr().String()
	e.onClose(func() {
		cancel()
		_ = server.Close()
	})
	return nil
}

func (e *environment) control(ctx context.Context) http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("POST /{service}/{action}", func(w http.ResponseWriter, q *http.Request) {
		e.mu.Lock()
		r := e.running[q.PathValue("service")]
		e.mu.Unlock()
		if r == nil {
			http.Error(w, fmt.Sprintf("%s does not run on this machine", q.PathValue("service")), http.StatusNotFound)
			return
		}
		var err error
		switch action := q.PathValue("action"); action {
		case "stop", "kill":
			r.end(action == "kill")
		case "start":
			err = r.again(ctx)
		default:
			http.Error(w, "the actions are stop, kill and start", http.StatusNotFound)
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return routes
}
