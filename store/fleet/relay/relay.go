// Package relay carries packs over a stream of NATS JetStream, from boxes to any number of centres that read it in one
// order. The stream may lose what it has: only the confirmation of a centre counts, and it comes back by a second
// stream.
//
//	SEGRAPH  segraph.journal.BOX         packs of a box
//	         segraph.decision.CENTRE     decisions of people at a centre
//	STORED   segraph.stored.BOX.CENTRE   the last answer of a centre to a box, with its confirmation
//	         segraph.report.BOX          reports of a box, which no stream keeps
//
// BOX is the name of a box's log, and CENTRE the end of the name of a centre's key. No message has a Nats-Msg-Id: a
// server takes other content with the same id for a repeat, and drops it. Instead, a box names the last message of its
// subject that it knows, and the server refuses what does not follow that.
package relay

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	packs  = "SEGRAPH"
	stored = "STORED"

	journals  = "segraph.journal."
	decisions = "segraph.decision."
	reports   = "segraph.report."
	answers   = "segraph.stored."

	entriesHeader  = "Segraph-Entries"  // first and end, as 7-9 for the entries 7 and 8
	positionHeader = "Segraph-Position" // up to which message of SEGRAPH a centre has read
	streamHeader   = "Segraph-Stream"   // when that stream was created, as RFC 3339
	decisionHeader = "Segraph-Decision" // its number; those of a centre increase
	proofHeader    = "Segraph-Proof"    // by which centres know that a decision is of one of them
	refusedHeader  = "Segraph-Refused"  // why a centre refuses the message at the position, or a report
)

const (
	dialTimeout = 5 * time.Second
	// callTimeout is for a request; a lost connection ends it earlier. Servers that elect a leader answer nothing.
	callTimeout = 5 * time.Second
	slowest     = 16 << 10 // bytes a second of a link over which packs are sent
)

// Options say how to reach a stream.
type Options struct {
	URL     string // nats:// or tls://, and servers separated by commas
	KeyFile string // of the seed of an nkey; "" means none
}

// Is reports whether a URL is of NATS servers.
func Is(url string) bool {
	return strings.HasPrefix(url, "nats://") || strings.HasPrefix(url, "tls://")
}

// conn is a connection that reconnects without end, until a server refuses the key twice: the next one reads it again.
type conn struct {
	nats *nats.Conn
	jet  jetstream.JetStream

	mu   sync.Mutex
	link context.Context // ends when the connection is lost
	lost context.CancelFunc
}

// dial returns a connection. If no server answers within some seconds, it is connected later.
func dial(o Options, who string) (*conn, error) {
	c := &conn{}
	c.link, c.lost = context.WithCancel(context.Background())
	options := []nats.Option{
		nats.Name("segraph " + who), nats.Timeout(dialTimeout), nats.CustomInboxPrefix("_INBOX." + token(who)),
		nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectBufSize(-1), // what waits there would be sent late
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // bound tells them; the default writes to stderr
		nats.DisconnectErrHandler(func(*nats.Conn, error) { c.renew() }),
	}
	if o.KeyFile != "" {
		key, err := nats.NkeyOptionFromSeed(o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("reading the nkey in SEGRAPH_FORWARD_KEY_FILE: %w", err)
		}
		options = append(options, key)
	}
	scheme, hosts, _ := strings.Cut(o.URL, "://")
	var err error
	if c.nats, err = nats.Connect(scheme+"://"+strings.ReplaceAll(hosts, ",", ","+scheme+"://"), options...); err != nil {
		return nil, err
	}
	c.jet, err = jetstream.New(c.nats)
	return c, err
}

// renew ends the requests in flight, whose answers can't come any more.
func (c *conn) renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost()
	c.link, c.lost = context.WithCancel(context.Background())
}

// bound bounds a request with some bytes. The error says that no server is connected.
func (c *conn) bound(ctx context.Context, size int) (context.Context, context.CancelFunc, error) {
	if !c.nats.IsConnected() {
		return nil, nil, fmt.Errorf("no NATS server can be reached: %w", errors.Join(nats.ErrNoServers, c.nats.LastError()))
	}
	c.mu.Lock()
	link := c.link
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, callTimeout+time.Duration(size/slowest)*time.Second)
	stop := context.AfterFunc(link, cancel)
	return ctx, func() { stop(); cancel() }, nil
}

// closed reports whether there is no connection that connects again.
func (c *conn) closed() bool { return c == nil || c.nats.IsClosed() }

func (c *conn) close() {
	if c != nil && c.nats != nil {
		c.nats.Close()
	}
}

// token returns a name as one part of a subject: what has a meaning there is escaped as in a URL.
func token(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c <= ' ' || c > '~' || strings.IndexByte(".*>%", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// centreOf returns CENTRE of the name of a centre's key.
func centreOf(name string) string { return token(path.Base(name)) }

// created returns the identity of a stream.
func created(s jetstream.Stream) string {
	return s.CachedInfo().Created.UTC().Format(time.RFC3339Nano)
}
