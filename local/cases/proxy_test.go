package cases

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a program and a database. It can hold an answer up in its
// middle, as a slow writer does that reads no more rows for a while.
type proxy struct {
	listener net.Listener
	target   string // host:port of the database

	mu     sync.Mutex
	hold   int64         // bytes of one connection's answers until it is held; 0: none is
	asked  int           // how often a hold was asked for
	held   chan struct{} // closed once one is
	resume chan struct{} // closed to let it go on
	open   []net.Conn
}

// between starts a proxy in front of a database and answers the URL that leads
// through it.
func between(t testing.TB, address string) (p *proxy, through string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{target: u.Host, held: make(chan struct{}), resume: make(chan struct{})}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { p.serve(&serving) })
	t.Cleanup(func() {
		_ = p.listener.Close()
		p.letGo()
		p.mu.Lock()
		for _, c := range p.open {
			_ = c.Close()
		}
		p.mu.Unlock()
		serving.Wait()
	})
	u.Host = p.listener.Addr().String()
	return p, u.String()
}

func (p *proxy) serve(serving *sync.WaitGroup) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		// What is held must stay at the database, not lie in this machine's buffers.
		_ = server.(*net.TCPConn).SetReadBuffer(256 << 10)
		p.mu.Lock()
		p.open = append(p.open, client, server)
		p.mu.Unlock()
		serving.Go(func() { _, _ = io.Copy(server, client); _ = server.Close() })
		serving.Go(func() { p.answer(client, server); _ = client.Close() })
	}
}

// answer passes on what the database says.
func (p *proxy) answer(client io.Writer, server io.Reader) {
	buffer := make([]byte, 4<<10)
	for asked, passed := 0, int64(0); ; { // asked is -1 once it was held
		n, err := server.Read(buffer)
		if _, writeErr := client.Write(buffer[:n]); writeErr != nil || err != nil {
			return
		}
		passed += int64(n)
		<-p.holds(&asked, &passed)
	}
}

// holds answers what to wait for after so many bytes of an answer, which count
// from when a hold was last asked for.
func (p *proxy) holds(asked *int, passed *int64) (resume <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *asked >= 0 && *asked != p.asked {
		*asked, *passed = p.asked, 0
	}
	if *asked < 0 || p.hold == 0 || *passed < p.hold {
		return passing
	}
	p.hold, *asked = 0, -1
	close(p.held)
	return p.resume
}

// passing is closed: nothing is waited for.
var passing = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// holdAfter holds the next answer that is as long.
func (p *proxy) holdAfter(bytes int64) (held <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	p.hold, p.held = bytes, make(chan struct{})
	return p.held
}

// letGo lets what is held go on; what is held next waits anew.
func (p *proxy) letGo() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.resume)
	p.resume = make(chan struct{})
}
