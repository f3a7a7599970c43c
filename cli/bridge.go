package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/robot/foxglove"
	"github.com/segraph/segraph/robot/mapping"
	"github.com/segraph/segraph/robot/message"
)

func bridge() verb {
	return verb{
		name:    "bridge",
		args:    "ws://ROBOT:8765",
		summary: "Log what a robot does, from its foxglove_bridge.",
		detail: `Connects to a server of Foxglove's WebSocket protocol, such as foxglove_bridge, subscribes to the topics of
--map, and stores what it finds in their messages, like import. After a loss it connects again, and logs the
gap as an incident.

The server drops messages that it can't send in time, and says nothing. For evidence, record bags on the
robot and import them, or use a client.

While the service can't be reached, up to 64 MiB of logs wait in memory. Beyond that the oldest are dropped,
which is logged as an incident. The first SIGINT or SIGTERM ends the bridge: it sends what waits for up to 10 s,
and says how much was left. A kill loses what waits. It is not on the disk, because the server's own loss is
silent, and no queue here could make a complete record of it.`,
		settings: append([]string{"data", "url", "map", "robot-authorization", "token-file", "token", "text-index"}, config.ContextSettings()...),
		run:      runBridge,
	}
}

const (
	backlogBytes = 64 << 20 // of messages, and of lines
	lastSends    = 10 * time.Second
	longestWait  = time.Minute // between attempts
)

// arrived is a message of a topic.
type arrived struct {
	topic *mapping.Topic
	message.Message
}

// bridging is the state of a bridge. One goroutine reads the robot's messages, one makes lines of them, and one sends
// the lines, so that a slow service does not slow down reading.
type bridging struct {
	*program
	url      string
	header   http.Header
	client   *http.Client                        // nil for the default
	topics   map[*message.Channel]*mapping.Topic // of this connection
	robots   map[string]bool                     // that have topics
	lost     time.Time                           // when the connection was lost; zero while there is one
	mu       sync.Mutex                          // guards engine
	engine   *mapping.Engine
	messages *backlog[arrived]
	lines    *backlog[[]byte]
	batch    [][]byte // of these, what is being sent
	to       receiver
	people   *robotMap // whose decisions are to be sent first
	tally    tally
	refused  bool  // a refused line was reported
	fault    error // a panic
}

// runBridge follows a robot until it is interrupted, and then says what it sent.
func runBridge(ctx context.Context, p *program, c *config.Config) error {
	u, err := url.Parse(strings.Join(c.Args, " "))
	if err != nil || len(c.Args) != 1 || !slices.Contains([]string{"ws", "wss"}, u.Scheme) || u.Host == "" {
		return &config.Error{Msg: "which robot?", Hint: "Write `segraph bridge ws://ROBOT:8765`."}
	}
	if u.User != nil || u.RawQuery != "" { // other users can read command lines, and each stored log has the address
		return &config.Error{Msg: "the robot's address may have no password and no query", Hint: "Set SEGRAPH_ROBOT_AUTHORIZATION to the Authorization header for its server."}
	}
	m, err := readMap(c.Map)
	if err != nil {
		return err
	}
	b := newBridging(p, m, u.String())
	if c.RobotAuthorization != "" {
		b.header.Set("Authorization", c.RobotAuthorization)
	}
	return p.withLines(ctx, c, func(ctx context.Context, to receiver) error {
		b.to = to
		err := b.run(ctx)
		_, printed := fmt.Fprintln(p.stdout, b.tally.String())
		return errors.Join(err, printed, b.tally.err())
	})
}

func newBridging(p *program, m *robotMap, url string) *bridging {
	return &bridging{
		program: p, url: url, people: m, header: http.Header{}, engine: m.NewEngine(), robots: map[string]bool{}, tally: newTally(),
		messages: newBacklog(backlogBytes, func(a arrived) int { return len(a.Data) + 100 }), // and about 100 for the rest of a message
		lines:    newBacklog(backlogBytes, func(l []byte) int { return len(l) }),
	}
}

// run reads, maps and sends until ctx ends, and then sends what waits.
func (b *bridging) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	mapped, end := context.WithCancel(context.WithoutCancel(ctx)) // ends when all messages are lines
	last, stop := context.WithCancel(context.WithoutCancel(ctx))  // ends lastSends after ctx
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastSends, stop) })()
	var work sync.WaitGroup
	work.Go(func() { defer b.guard(cancel); defer end(); b.mapAll(ctx) })
	work.Go(func() { defer b.guard(cancel); b.sendAll(mapped, last) })
	for wait := (backoff{}); ctx.Err() == nil; wait.sleep(ctx) {
		began := time.Now()
		b.topics = map[*message.Channel]*mapping.Topic{}
		err := foxglove.Read(ctx, b.url, b.header, b.client, foxglove.Handler{
			Connected: b.connected, Channel: b.channel, Message: b.message, Gone: func(c *message.Channel) { delete(b.topics, c) },
			Warning: func(text string) { b.warn("the robot's server says: " + text) },
		})
		if ctx.Err() == nil {
			b.warn(err.Error())
		}
		if b.lost.IsZero() {
			b.lost = time.Now()
		}
		if time.Since(began) > longestWait {
			wait = backoff{}
		}
	}
	work.Wait()
	if left := len(b.batch) + b.lines.len(); left > 0 {
		return errors.Join(b.fault, fmt.Errorf("the service could not be reached in time; lost: %s", several(int64(left), "log", "logs")))
	}
	return b.fault
}

// guard ends the bridge after a panic.
func (b *bridging) guard(cancel func()) {
	if value := recover(); value != nil {
		b.fault = fmt.Errorf("panic: %v\n%s", value, debug.Stack())
		cancel()
	}
}

// backoff is a wait that doubles, from 0.1 s to longestWait.
type backoff struct{ last time.Duration }

func (w *backoff) sleep(ctx context.Context) {
	w.last = min(max(2*w.last, 100*time.Millisecond), longestWait)
	select {
	case <-time.After(w.last/2 + rand.N(w.last/2)):
	case <-ctx.Done():
	}
}

func (b *bridging) warn(text string) {
	fmt.Fprintf(b.stderr, "segraph: warning: %s\n", printable(text))
}

// connected logs the gap since the last connection.
func (b *bridging) connected(server string) {
	fmt.Fprintf(b.stdout, "connected to %s (%s)\n", b.url, printable(server))
	if !b.lost.IsZero() {
		b.gap("no connection to the robot", map[string]any{"since": b.lost.UTC().Format(time.RFC3339), "seconds": time.Since(b.lost).Round(time.Second).Seconds()})
		b.lost = time.Time{}
	}
}

// gap logs an incident of each robot.
func (b *bridging) gap(text string, facts map[string]any) {
	facts["level"], facts["part"] = "warning", "bridge"
	b.mu.Lock()
	defer b.mu.Unlock()
	for robot := range b.robots {
		b.lines.add(b.engine.Incident(robot, text, time.Now(), facts).JSON)
	}
}

// channel says whether the map takes a topic.
func (b *bridging) channel(c *message.Channel) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, _, err := b.engine.Open(c)
	if err != nil {
		b.warn(fmt.Sprintf("%s (%s) is not read: %v", c.Topic, c.Type, err))
	}
	if t != nil {
		b.topics[c], b.robots[t.Robot()] = t, true
		fmt.Fprintf(b.stdout, "%s: %s\n", printable(c.Topic), strings.Join(t.Rule(), ", "))
	}
	return t != nil
}

func (b *bridging) message(c *message.Channel, m message.Message) {
	b.messages.add(arrived{b.topics[c], m})
}

// mapAll makes lines of messages until ctx ends and none is left.
func (b *bridging) mapAll(ctx context.Context) {
	broken := map[string]bool{}
	for {
		items, dropped := b.messages.take(ctx, 1000, backlogBytes)
		if dropped > 0 {
			b.gap("messages of the robot were dropped, because they came too fast", map[string]any{"messages": dropped})
		}
		if len(items) == 0 {
			return
		}
		for _, a := range items {
			topic := a.topic.Name()
			from := mapping.Origin{IRI: b.url + "#topic=" + escapeTopic(topic) + "&t=" + a.Log.Format(time.RFC3339Nano), Label: b.url + ", " + topic}
			b.mu.Lock()
			lines, err := a.topic.Take(a.Message, from)
			b.mu.Unlock()
			if err != nil && !broken[topic] {
				broken[topic] = true
				b.warn(fmt.Sprintf("a message of %s at %s is skipped, and so are others like it: %v", topic, a.Log.Format(time.RFC3339Nano), err))
			}
			for _, l := range lines {
				b.lines.add(l.JSON)
			}
		}
	}
}

// sendAll sends the decisions of the map, and then lines until ctx ends and none is left, or deadline ends.
func (b *bridging) sendAll(ctx, deadline context.Context) {
	b.insist(deadline, func() error { return b.decidePeople(deadline, b.people, b.to.decide) })
	for deadline.Err() == nil {
		var dropped int
		b.batch, dropped = b.lines.take(ctx, batchLines, batchBytes)
		if dropped > 0 {
			b.mu.Lock()
			b.engine.Introduce()
			b.mu.Unlock()
			b.gap("logs of the robot were dropped, because the service could not be reached", map[string]any{"logs": dropped})
		}
		if len(b.batch) == 0 {
			return
		}
		b.insist(deadline, func() (err error) {
			b.batch, err = b.tally.send(deadline, b.to, b.batch)
			return err
		})
		if b.tally.refused > 0 && !b.refused {
			b.refused = true
			b.warn("the service refused a log, and others may follow: " + b.tally.reason)
		}
	}
}

// insist calls send until it succeeds, or deadline ends.
func (b *bridging) insist(deadline context.Context, send func() error) {
	said := false
	for wait := (backoff{}); ; wait.sleep(deadline) {
		err := send()
		if err == nil || deadline.Err() != nil {
			return
		}
		if !said {
			b.warn(fmt.Sprintf("%v. It is tried again until it succeeds", err))
		}
		said = true
	}
}
