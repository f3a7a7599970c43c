package cli

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/robot/mapping"
	"github.com/segraph/segraph/robot/message"
)

// robotServer is a server of Foxglove's older subprotocol in memory. It has one topic of ROS 1.
type robotServer struct {
	conns chan net.Conn
	mu    sync.Mutex
	down  bool
	ws    *websocket.Conn
	asked string // what the client subscribed to
}

func (r *robotServer) Accept() (net.Conn, error) {
	if c, ok := <-r.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (r *robotServer) Close() error   { return nil }
func (r *robotServer) Addr() net.Addr { return &net.TCPAddr{} }

func (r *robotServer) dial(context.Context, string, string) (net.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.down {
		return nil, errors.New("no route to host")
	}
	client, server := net.Pipe()
	r.conns <- server
	return client, nil
}

func (r *robotServer) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	ws, err := websocket.Accept(w, q, &websocket.AcceptOptions{Subprotocols: []string{"foxglove.websocket.v1"}})
	if err != nil {
		return
	}
	r.mu.Lock()
	r.ws = ws
	r.mu.Unlock()
	const info = `{"op":"serverInfo","name":"old bridge","capabilities":[]}`
	for _, text := range []string{info, `{"op":"status","level":1,"message":"hot"}`,
		`{"op":"advertise","channels":[{"id":7,"topic":"/say","encoding":"ros1","schemaName":"std_msgs/String","schema":"string data"},{"id":8,"topic":"/odom","encoding":"ros1","schemaName":"std_msgs/String","schema":"string data"}]}`} {
		if ws.Write(q.Context(), websocket.MessageText, []byte(text)) != nil {
			return
		}
	}
	for {
		_, text, err := ws.Read(context.Background())
		if err != nil {
			return
		}
		r.mu.Lock()
		r.asked = string(text)
		r.mu.Unlock()
		if ws.Write(q.Context(), websocket.MessageText, []byte(info)) != nil { // again, as after a restart of its source
			return
		}
	}
}

// conn returns the last connection.
func (r *robotServer) conn() *websocket.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ws
}

// say sends a sentence to the subscription 1.
func (r *robotServer) say(t *testing.T, text string) {
	t.Helper()
	b := append([]byte{1, 1, 0, 0, 0}, binary.LittleEndian.AppendUint64(nil, uint64(time.Now().UnixNano()))...)
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	if err := r.conn().Write(context.Background(), websocket.MessageBinary, b); err != nil {
		t.Error(err)
	}
}

// A bridge subscribes to mapped topics only, reads while the service fails, sends again what it could not store, halves
// what is too large, connects again after an hour, and logs the gap.
func TestABridgeSurvivesAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &robotServer{conns: make(chan net.Conn, 1)}
		server := http.Server{Handler: r}
		go server.Serve(r)
		m, err := mapping.Parse("version: 1\nrobot: iris\ntopics: {/say: {said: {text: data}}}")
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		b := newBridging(&program{stdout: &stdout, stderr: &stderr}, &robotMap{Map: m}, "ws://robot:8765")
		transport := &http.Transport{DialContext: r.dial}
		b.client = &http.Client{Transport: transport}
		var mu sync.Mutex // of sent and failing
		var sent []string
		failing, full := true, true
		received := func() []string {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(sent)
		}
		b.to.send = func(_ context.Context, lines [][]byte) (answers []lineAnswer, err error) {
			mu.Lock()
			defer mu.Unlock()
			if failing {
				return nil, errors.New("the service is away")
			}
			if strings.Contains(string(bytes.Join(lines, nil)), "huge") {
				return nil, answered{http.StatusRequestEntityTooLarge, errors.New("split it")}
			}
			for _, l := range lines {
				if full && strings.Contains(string(l), "two") {
					full = false
					answers = append(answers, lineAnswer{Status: http.StatusInsufficientStorage})
					continue
				}
				sent = append(sent, string(l))
				answers = append(answers, lineAnswer{Status: 201, Added: 1})
			}
			return answers, nil
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { b.run(ctx); close(ended) }()
		synctest.Wait()
		if want := `{"op":"subscribe","subscriptions":[{"channelId":7,"id":1}]}`; r.asked != want {
			t.Errorf("the client asks %s; want %s", r.asked, want)
		}
		r.say(t, "one")
		time.Sleep(time.Minute) // pings pass, and the service stays away
		r.say(t, "two")
		r.say(t, "huge")
		synctest.Wait()
		mu.Lock()
		failing = false
		mu.Unlock()
		time.Sleep(2 * time.Minute)
		synctest.Wait() // also for the tally
		if sent := received(); !slices.ContainsFunc(sent, func(l string) bool { return strings.Contains(l, `"text":"one"`) }) || len(sent) != 3 || b.tally.refused != 1 {
			t.Errorf("after the service came back, it has %q", sent)
		}
		r.mu.Lock()
		r.down = true
		r.mu.Unlock()
		r.conn().CloseNow()
		time.Sleep(time.Hour)
		r.mu.Lock()
		r.down = false
		r.mu.Unlock()
		time.Sleep(2 * time.Minute)
		r.say(t, "three")
		time.Sleep(time.Second)
		big := `"encoding":"ros1","schemaName":"a/B","schema":"` + strings.Repeat(" ", 1<<20) + `"}]}`
		for i := range 70 { // faces come and go, each with its definition
			id := strconv.Itoa(100 + i)
			for _, text := range []string{`{"op":"advertise","channels":[{"id":` + id + `,"topic":"/face/` + id + `",` + big, `{"op":"unadvertise","channelIds":[` + id + `]}`} {
				if err := r.conn().Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if sent := received(); len(sent) != 5 || !strings.Contains(sent[3], `"sc:Incident"`) || !strings.Contains(sent[3], `"no connection to the robot"`) || !strings.Contains(sent[4], `"text":"three"`) {
			t.Errorf("after the loss, the service has %q", sent[3:])
		}
		stop()
		<-ended
		for _, want := range []string{"the robot's server says: hot", "the service is away. It is tried again", "no route to host", "the service refused a log, and others may follow: split it"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%q is missing in %s", want, stderr.String())
			}
		}
		close(r.conns)
		r.conn().CloseNow()
		transport.CloseIdleConnections()
	})
}

// A bridge that ends while the service is away says what is lost, and after a loss it introduces the robot again.
func TestABridgeThatCannotSendFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := mapping.Parse("")
		if err != nil {
			t.Fatal(err)
		}
		b := newBridging(&program{stdout: io.Discard, stderr: io.Discard}, &robotMap{Map: m}, "ws://robot:8765")
		topic, _, err := b.engine.Open(&message.Channel{Topic: "/rosout", Type: "rosgraph_msgs/Log", Encoding: "json"})
		if err != nil {
			t.Fatal(err)
		}
		take := func(text string) (verbs []string) {
			lines, err := topic.Take(message.Message{Log: time.Now(), Data: []byte(`{"level":8,"msg":"` + text + `"}`)}, mapping.Origin{})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				verbs = append(verbs, l.Verb)
				b.lines.add(l.JSON)
			}
			return verbs
		}
		b.lines.limit = 1
		take("one")
		b.to.send = func(ctx context.Context, _ [][]byte) ([]lineAnswer, error) { <-ctx.Done(); return nil, ctx.Err() }
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := b.run(ctx); err == nil || !strings.HasSuffix(err.Error(), "lost: 1 log") {
			t.Errorf("the bridge ends with %v", err)
		}
		if verbs := take("two"); !slices.Equal(verbs, []string{"robot", "problem"}) {
			t.Errorf("after a loss, a message tells %v", verbs)
		}
	})
}

// silent is a service that takes requests, and whose answers stop.
type silent struct{ answers bool }

func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.answers {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(readerFunc(func([]byte) (int, error) { <-r.Context().Done(); return 0, r.Context().Err() }))}, nil
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// No command waits for ever for a service that does not answer, and an import waits for one that is busy.
func TestAServiceThatIsSilentOrBusy(t *testing.T) {
	defer func(usual http.RoundTripper) { http.DefaultTransport = usual }(http.DefaultTransport)
	for _, answers := range []bool{false, true} {
		http.DefaultTransport = silent{answers}
		synctest.Test(t, func(t *testing.T) {
			began, c := time.Now(), &config.Config{URL: "http://service"}
			err := postQuery(t.Context(), c, "/query", "ASK {}", "text/csv", func(r io.Reader) error { _, err := io.ReadAll(r); return err })
			if err == nil || !strings.Contains(err.Error(), "nothing came for 10m") || time.Since(began) != longestSilence {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			began = time.Now()
			err = (&program{}).withLines(t.Context(), c, func(ctx context.Context, to receiver) error {
				_, err := to.send(ctx, [][]byte{[]byte("{}")})
				_, err2 := to.decide(ctx, resolver.PersonDecision{})
				return errors.Join(err, err2)
			})
			if err == nil || time.Since(began) != 2*longestAnswer {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		busy := 3
		i := &importing{batch: [][]byte{[]byte("{}")}, tally: newTally()}
		i.to.send = func(context.Context, [][]byte) ([]lineAnswer, error) {
			if busy--; busy > 1 {
				return nil, answered{http.StatusServiceUnavailable, errors.New("the rest waits too long")}
			}
			return []lineAnswer{{Status: map[bool]int{true: http.StatusTooManyRequests, false: http.StatusCreated}[busy > 0]}}, nil
		}
		if err := i.flush(t.Context()); err != nil || i.tally.logs != 1 {
			t.Errorf("%v: %v", err, i.tally)
		}
		slow := i.to.send
		busy, i.batch, i.to.send = 2, [][]byte{[]byte("{}")}, func(context.Context, [][]byte) ([]lineAnswer, error) {
			i.to.send = slow
			return nil, context.DeadlineExceeded // of the first answer
		}
		if err := i.flush(t.Context()); err != nil || i.tally.logs != 2 {
			t.Errorf("%v: %v", err, i.tally)
		}
		busy, i.batch = 1_000_000, [][]byte{[]byte("{}")}
		if err := i.flush(t.Context()); err == nil || !strings.Contains(err.Error(), "waits too long. Import again") {
			t.Errorf("%v", err)
		}
	})
}

func TestABacklogDropsTheOldest(t *testing.T) {
	b := newBacklog(10, func(s string) int { return len(s) })
	for _, s := range []string{"one", "two", "three", "four"} {
		b.add(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if got, dropped := b.take(ctx, 5, 8); !slices.Equal(got, []string{"three"}) || dropped != 2 {
		t.Errorf("%q, and %d were dropped", got, dropped)
	}
	cancel()
	if got, dropped := b.take(ctx, 1, 1); !slices.Equal(got, []string{"four"}) || dropped != 0 {
		t.Errorf("%q, and %d were dropped", got, dropped)
	}
	if got, _ := b.take(ctx, 5, 9); got != nil {
		t.Errorf("%q", got)
	}
}

func TestABridgeNeedsTheAddressOfARobot(t *testing.T) {
	for _, args := range [][]string{nil, {"robot"}, {"http://robot"}, {"ws://a", "ws://b"}, {"ws://"}} {
		if got := segraph("", nil, append([]string{"bridge"}, args...)...); got.code != exitUsage || !strings.Contains(got.stderr, "ws://ROBOT:8765") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	for _, address := range []string{"ws://me:secret@robot", "ws://robot?token=secret"} {
		if got := segraph("", nil, "bridge", address); got.code != exitUsage || !strings.Contains(got.stderr, "SEGRAPH_ROBOT_AUTHORIZATION") || strings.Contains(got.stderr, "secret") {
			t.Errorf("%s: %+v", address, got)
		}
	}
}
