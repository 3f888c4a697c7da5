//go:build unix

package main

import (
	"context"
	"crypto/md5" //nolint:gosec // SQS's own checksum
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haexcel/haexcel/shared/fault"
	"github.com/haexcel/haexcel/shared/wake"
	"github.com/haexcel/haexcel/shared/wake/memwake"
)

// The queues' names.
const (
	normalQueue = "normal"
	largeQueue  = "large"
	deadQueue   = "dead"
)

const (
	// queueVisibility is the least that the engine wants of an SQS queue.
	queueVisibility = 30 * time.Second
	// deadVisibility brings a dead letter back soon when its handler was killed.
	deadVisibility = 5 * time.Second
	maxReceives    = 4
)

// queueServer speaks as much of SQS's JSON protocol as haexcel does, over queues
// in memory, and loses, repeats and delays messages, as SQS may, and more often.
type queueServer struct {
	tally   *tally
	chance  *chance
	queues  map[string]*memwake.Queue
	faulty  atomic.Bool // whether things go wrong
	address string      // http://127.0.0.1:PORT
	server  *http.Server

	mu sync.Mutex
	// Per body: how often it was sent, and how often a message with it was
	// delivered for the first time.
	sent, delivered map[string]int
}

func newQueueServer(t *tally, seed uint64, visibility time.Duration, receives int) (*queueServer, error) {
	s := &queueServer{
		tally: t, chance: newChance(seed, "queues"), queues: map[string]*memwake.Queue{},
		sent: map[string]int{}, delivered: map[string]int{},
	}
	dead, err := memwake.New(memwake.Options{Visibility: deadVisibility})
	if err != nil {
		return nil, err
	}
	s.queues[deadQueue] = dead
	for _, name := range []string{normalQueue, largeQueue} {
		s.queues[name], err = memwake.New(memwake.Options{Visibility: visibility, MaxReceives: receives, DeadLetter: dead})
		if err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.address = "http://" + listener.Addr().String()
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

// url is a queue's, as SQS writes it.
func (s *queueServer) url(name string) string { return s.address + "/000000000000/" + name }

func (s *queueServer) close() {
	for _, q := range s.queues {
		q.Close()
	}
	_ = s.server.Close()
}

// call is a request's body: the members of all four operations.
type call struct {
	QueueURL            string `json:"QueueUrl"`
	MessageBody         string
	MessageGroupID      string `json:"MessageGroupId"`
	DelaySeconds        int
	MaxNumberOfMessages int
	WaitTimeSeconds     int
	ReceiptHandle       string
	VisibilityTimeout   int
}

// ServeHTTP implements http.Handler.
func (s *queueServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var c call
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		refuse(w, http.StatusBadRequest, "InvalidParameterValue")
		return
	}
	q := s.queues[path.Base(c.QueueURL)]
	if q == nil {
		refuse(w, http.StatusBadRequest, "AWS.SimpleQueueService.NonExistentQueue")
		return
	}
	switch operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."); operation {
	case "SendMessage":
		s.send(w, q, c)
	case "ReceiveMessage":
		s.receive(w, r, q, c)
	case "DeleteMessage":
		s.settle(w, func() error { return q.Delete(r.Context(), c.ReceiptHandle) })
	case "ChangeMessageVisibility":
		s.settle(w, func() error {
			return q.SetVisibility(r.Context(), c.ReceiptHandle, time.Duration(c.VisibilityTimeout)*time.Second)
		})
	default:
		refuse(w, http.StatusBadRequest, "InvalidAction")
	}
}

// send takes a message. What happens to it is decided once: refused, kept though
// the reply is lost, lost, a dead letter at once, or delivered, and then how often
// and when.
func (s *queueServer) send(w http.ResponseWriter, q *memwake.Queue, c call) {
	opt := wake.SendOptions{Group: c.MessageGroupID, Delay: time.Duration(c.DelaySeconds) * time.Second}
	copies, to := 1, q
	reply := func() {
		sum := md5.Sum([]byte(c.MessageBody)) //nolint:gosec // SQS's own checksum
		answer(w, map[string]any{"MessageId": "m-" + hex.EncodeToString(sum[:]), "MD5OfMessageBody": hex.EncodeToString(sum[:])})
	}
	if s.faulty.Load() {
		switch luck := s.chance.roll(); {
		case luck < 0.03:
			refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable")
			return
		case luck < 0.05:
			reply = func() { refuse(w, http.StatusInternalServerError, "InternalFailure") }
		case luck < 0.20:
			s.tally.lost.Add(1)
			reply()
			return
		case luck < 0.21:
			to = s.queues[deadQueue] // delivered too often elsewhere, let us say
		case luck < 0.51:
			copies += 1 + s.chance.below(2)
		}
		if s.chance.happens(0.15) {
			opt.Delay += s.chance.between(time.Second, 10*time.Second)
		}
	}
	s.mu.Lock()
	s.sent[c.MessageBody]++
	s.mu.Unlock()
	for range copies {
		if err := to.Send(context.Background(), c.MessageBody, opt); err != nil {
			s.fail(w, err)
			return
		}
		if s.chance.happens(0.5) { // the others at the same moment
			opt.Delay += s.chance.between(0, 4*time.Second)
		}
	}
	reply()
}

func (s *queueServer) receive(w http.ResponseWriter, r *http.Request, q *memwake.Queue, c call) {
	got, err := q.Receive(r.Context(), c.MaxNumberOfMessages, time.Duration(c.WaitTimeSeconds)*time.Second)
	if err != nil {
		s.fail(w, err)
		return
	}
	if len(got) > 0 && s.faulty.Load() && s.chance.happens(0.02) {
		panic(http.ErrAbortHandler) // delivered to nobody: away until its visibility ends
	}
	messages := make([]map[string]any, 0, len(got))
	for _, m := range got {
		s.count(m)
		sum := md5.Sum([]byte(m.Body)) //nolint:gosec // SQS's own checksum
		attributes := map[string]string{"ApproximateReceiveCount": strconv.Itoa(m.ReceiveCount)}
		if m.Group != "" {
			attributes["MessageGroupId"] = m.Group
		}
		messages = append(messages, map[string]any{
			"MessageId": m.ID, "ReceiptHandle": m.Receipt, "Body": m.Body, "MD5OfBody": hex.EncodeToString(sum[:]), "Attributes": attributes,
		})
	}
	answer(w, map[string]any{"Messages": messages})
}

// count finds the messages that nobody has sent: those delivered for the first
// time beyond what was sent.
func (s *queueServer) count(m wake.Message) {
	if m.ReceiveCount != 1 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.delivered[m.Body]++; s.delivered[m.Body] > s.sent[m.Body] {
		s.tally.duplicates.Add(1)
	}
}

// settle deletes a message or sets when it comes again; either may be refused,
// done or not.
func (s *queueServer) settle(w http.ResponseWriter, do func() error) {
	luck := 1.0
	if s.faulty.Load() {
		luck = s.chance.roll()
	}
	if luck < 0.03 {
		refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable")
		return
	}
	if err := do(); err != nil {
		s.fail(w, err)
		return
	}
	if luck < 0.05 {
		refuse(w, http.StatusInternalServerError, "InternalFailure")
		return
	}
	answer(w, map[string]any{})
}

func (s *queueServer) fail(w http.ResponseWriter, err error) {
	switch {
	case fault.Is(err, fault.NotFound):
		refuse(w, http.StatusBadRequest, "MessageNotInflight")
	case fault.Is(err, fault.Invalid):
		refuse(w, http.StatusBadRequest, "InvalidParameterValue")
	default:
		refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable")
	}
}

const queueType = "application/x-amz-json-1.0"

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", queueType)
	_ = json.NewEncoder(w).Encode(body) // the client is gone, or was killed
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", queueType)
	w.Header().Set("X-Amzn-Query-Error", code+";Sender")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"__type":"com.amazonaws.sqs#%s","message":"%s"}`, code, code)
}
