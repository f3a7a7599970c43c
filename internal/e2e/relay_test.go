package e2e

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/segraph/segraph/internal/suite"
)

// cluster is NATS servers with JetStream, and a client of them.
type cluster struct {
	t       *testing.T
	configs []string
	nodes   []*exec.Cmd
	said    *output
	url     string
	jet     jetstream.JetStream
}

// newCluster starts servers of the module in nats. users is an authorization block of their settings, or "".
func newCluster(t *testing.T, n int, users, seed string) *cluster {
	t.Helper()
	built := exec.Command("go", "tool", "-n", "nats-server")
	built.Dir = "nats"
	path, err := built.Output()
	if err != nil {
		suite.Missing(t, "no NATS server: building it in internal/e2e/nats: "+err.Error())
	}
	c := &cluster{t: t, nodes: make([]*exec.Cmd, n), said: &output{}}
	var ports, routes, hosts []string
	for range n {
		ports, routes = append(ports, freePort(t)), append(routes, freePort(t))
		hosts = append(hosts, "127.0.0.1:"+ports[len(ports)-1])
	}
	for i := range n {
		text := fmt.Sprintf("listen: %q\nserver_name: n%d\nmax_payload: 17MB\nwrite_deadline: \"20m\"\njetstream { store_dir: %q, sync_interval: always }\n%s\n", hosts[i], i, t.TempDir(), users)
		if n > 1 {
			text += fmt.Sprintf("cluster { name: c, listen: \"127.0.0.1:%s\", routes: [\"nats://127.0.0.1:%s\"] }\n", routes[i], strings.Join(routes, `","nats://127.0.0.1:`))
		}
		file := filepath.Join(t.TempDir(), "nats.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.configs = append(c.configs, file)
	}
	start := func(i int) {
		c.nodes[i] = exec.Command(strings.TrimSpace(string(path)), "-c", c.configs[i])
		c.nodes[i].Stdout, c.nodes[i].Stderr = c.said, c.said
		if err := c.nodes[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	c.begin(start)
	c.url = "nats://" + strings.Join(hosts, ",")
	options := []nats.Option{nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(50 * time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}
	if seed != "" {
		file := filepath.Join(t.TempDir(), "admin")
		key, err := nats.Option(nil), os.WriteFile(file, []byte(seed), 0o600)
		if err == nil {
			key, err = nats.NkeyOptionFromSeed(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		options = append(options, key)
	}
	client, err := nats.Connect(strings.ReplaceAll(c.url, ",", ",nats://"), options...)
	if err == nil {
		t.Cleanup(client.Close)
		c.jet, err = jetstream.New(client)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) begin(start func(int)) {
	for i := range c.nodes {
		start(i)
	}
	c.t.Cleanup(func() {
		for i := range c.nodes {
			c.kill(i)
		}
		if c.t.Failed() {
			text := c.said.String()
			c.t.Logf("the NATS servers said …%s", text[max(0, len(text)-6000):])
		}
	})
}

func (c *cluster) kill(i int) {
	_ = c.nodes[i].Process.Kill() // it may have ended
	_ = c.nodes[i].Wait()
}

// restart kills a server and starts it again.
func (c *cluster) restart(i int) {
	c.kill(i)
	again := exec.Command(c.nodes[i].Path, c.nodes[i].Args[1:]...)
	again.Stdout, again.Stderr = c.said, c.said
	if err := again.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.nodes[i] = again
}

// change replaces a text in the settings of the first server, which has a stranger's key in place of "", and restarts it.
func (c *cluster) change(from, to string) {
	c.t.Helper()
	const stranger = "authorization { users: [{ nkey: UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4 }] }"
	text, err := os.ReadFile(c.configs[0])
	if err == nil {
		err = os.WriteFile(c.configs[0], []byte(strings.Replace(string(text), cmp.Or(from, stranger), cmp.Or(to, stranger), 1)), 0o600)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.restart(0)
}

// stream returns the stream of packs as it is now.
func (c *cluster) stream() jetstream.Stream {
	c.t.Helper()
	var s jetstream.Stream
	poll(c.t, "the stream answers", func() (ok bool) {
		ctx, cancel := context.WithTimeout(c.t.Context(), time.Second) // servers without a leader do not answer
		defer cancel()
		var err error
		s, err = c.jet.Stream(ctx, "SEGRAPH")
		return err == nil
	})
	return s
}

// relayed is boxes and centres at a cluster.
type relayed struct {
	t       *testing.T
	cluster *cluster
	dirs    []string // of the boxes, then of the centres
	env     [][]string
	running []*service
	boxes   int
	said    int    // logs of each box
	token   string // of an admin at the centres
}

func newRelayed(t *testing.T, c *cluster, boxes, centres int, keys ...string) *relayed {
	r := &relayed{t: t, cluster: c, boxes: boxes, running: make([]*service, boxes+centres), token: issue(t, "admin")}
	var to, of []string
	for i := range boxes + centres {
		dir := t.TempDir()
		r.dirs = append(r.dirs, dir)
		env := []string{"SECRET_KEY=" + secret, "SHARED_CONTEXT_NAMESPACE=http://ex/centre/"}
		if len(keys) > 0 {
			if err := os.WriteFile(filepath.Join(dir, "nkey"), []byte(keys[min(i, len(keys)-1)]), 0o600); err != nil {
				t.Fatal(err)
			}
			env = append(env, "SEGRAPH_FORWARD_KEY_FILE=nkey")
		}
		if i < boxes {
			env = append(env, "SECRET_KEY=", fmt.Sprint("SEGRAPH_ORIGIN=hall-", i), fmt.Sprintf("SHARED_CONTEXT_NAMESPACE=http://ex/box-%d/", i))
			s := serve(t, dir, env)
			request(t, "GET", s.api+"/log/checkpoint", nil) // begins the log
			s.stop()
			of = append(of, strings.TrimSpace(command(t, dir, nil, "", "audit", "key").stdout))
		} else {
			to = append(to, strings.TrimSpace(command(t, dir, nil, "", "audit", "key", "centre").stdout)+" "+c.url)
		}
		r.env = append(r.env, env)
	}
	for i := range r.env {
		if i < boxes {
			r.env[i] = append(r.env[i], "SEGRAPH_FORWARD_TO="+strings.Join(to, ","))
		} else {
			r.env[i] = append(r.env[i], "SEGRAPH_BOXES="+strings.Join(of, ","), "SEGRAPH_FORWARD_FROM="+c.url)
		}
		r.start(i)
	}
	return r
}

func (r *relayed) start(i int) {
	s := serve(r.t, r.dirs[i], r.env[i])
	r.running[i] = s
	if i >= r.boxes {
		host := strings.TrimPrefix(s.api, "http://")
		tokens.Store(host, r.token)
		r.t.Cleanup(func() { tokens.Delete(host) })
	}
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("service %d said %s", i, s.stderr)
		}
	})
}

// publish lets each box get some logs, and an observation that all of them make.
func (r *relayed) publish(n int) {
	r.t.Helper()
	for range n {
		for i, b := range r.running[:r.boxes] {
			if a := b.publish(fmt.Sprintf(`<urn:box%d> <urn:said> "%d", [ <urn:n> %d ] .`, i, r.said, r.said), "ari"); a.status != 201 {
				r.t.Fatalf("%d %s", a.status, a.body)
			}
		}
		r.said++
	}
	for i, b := range r.running[:r.boxes] {
		b.resolved(fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":"2026-02-11T09:%02d:13.%d50Z","subject_uri":"http://ex/human/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/robot/%d"}`, r.said%60, i, i))
	}
}

// arrive waits until all centres have confirmed all of the boxes, and checks that they have each log once.
func (r *relayed) arrive() {
	r.t.Helper()
	for _, c := range r.running[r.boxes:] {
		for i := range r.boxes {
			last := fmt.Sprintf("ASK { <urn:box%d> <urn:said> \"%d\" }", i, r.said-1)
			poll(r.t, "the last log arrives", func() bool { return c.ask(last) })
		}
	}
	for i, b := range r.running[:r.boxes] {
		poll(r.t, fmt.Sprint("all centres have confirmed box ", i), func() bool {
			return strings.Count(string(request(r.t, "GET", b.ui+"/health", nil).body), "has all entries") == len(r.running)-r.boxes
		})
	}
	for _, c := range r.running[r.boxes:] {
		for i := range r.boxes {
			if got := len(c.rows(fmt.Sprintf("SELECT ?o { <urn:box%d> <urn:said> ?o FILTER(ISLITERAL(?o)) }", i))); got != r.said {
				r.t.Errorf("a centre has %d logs of box %d, want %d", got, i, r.said)
			}
		}
		if got := len(c.rows("SELECT ?x { ?x <urn:n> ?n }")); got != r.said*r.boxes {
			r.t.Errorf("a centre has %d blank nodes, want %d: a log is there twice, or not at all", got, r.said*r.boxes)
		}
	}
}

// shown waits until a box's page of its health shows a text.
func (r *relayed) shown(i int, want string) {
	r.t.Helper()
	poll(r.t, "a box shows "+want, func() bool {
		return strings.Contains(string(request(r.t, "GET", r.running[i].ui+"/health", nil).body), want)
	})
}

// logged waits until a service has written a text to its log.
func (r *relayed) logged(i int, want string) {
	r.t.Helper()
	poll(r.t, "the log says "+want, func() bool { return strings.Contains(r.running[i].stderr.String(), want) })
}

// seeds are of an admin, two boxes and the centres; whose the public keys are, relayUsers says.
var seeds = []string{"SUAIRM7D3N5DQQ3CUOQMHCXISSLJYV5PEAA7BO2RYJ7TQ4HVDIEYSU7FMI", "SUACNT6DTLM3M4UPDELY7QZ2DLWIVUVOZ2W4XMNXUCWPVR67MNTIJHITOA",
	"SUAFNTGTWMEFKY3ZVLKAGNW2IDEUFG5I7UQSXG3J3SVAJIUDFMXQEU4VZQ", "SUANUV6WT3YBZNUYFLWGQKDCIUNB3VRSKH43QF4WP5XOII7AUSCSB5UJZE"}

// relayUsers returns the users of docs/fleet.md: a box may do no more than it needs.
func relayUsers(boxes ...string) string {
	users := "{ nkey: UDEREMV6VB5EGHZA55MUM3PSVOIRKNHFKROU4MO7H73IMNU3HWJEGAKS }, { nkey: UCXJNIDFKNG6SH5XV5NSU3NN2QDNSEERHRCNT667NKMILNZWDASRPDKQ }"
	for i, nkey := range []string{"UCLSAKVJA3MJZ6BHKEVLB4M5QYBHZS7YX5P32XG5X7R3VJQAJLQQVBKE", "UD4G6OZRY324MW3ZUVIC3YT3UI5N65L6ACMX6PL4GPEPR3R3GC2VI2YZ"} {
		users += strings.NewReplacer("NKEY", nkey, "{box}", boxes[i]).Replace(`, { nkey: NKEY, permissions: {
	publish: ["segraph.journal.{box}", "segraph.report.{box}", "$JS.API.STREAM.INFO.*", "$JS.API.DIRECT.GET.SEGRAPH.segraph.journal.{box}",
	          "$JS.API.DIRECT.GET.STORED.segraph.stored.{box}.*"]
	subscribe: ["segraph.stored.{box}.*", "_INBOX.{box}.>"] } }`)
	}
	return "authorization { users: [" + users + "] }"
}

// A stream loses what it has, in each way that it can: its server is killed, it is purged, recreated, or full. No log
// is lost or there twice, and the box says what is the matter.
func TestAStreamMayLoseWhatItHas(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	c := newCluster(t, 1, relayUsers("hall-0", "hall-1"), seeds[0])
	r := newRelayed(t, c, 2, 1, seeds[1:]...)
	hub := 2
	r.publish(3)
	r.arrive()

	r.running[hub].kill()
	r.publish(3)
	r.shown(0, "he relay holds all entries")
	c.restart(0)
	if err := c.stream().Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.publish(1)
	r.logged(0, "purged: ")
	r.start(hub)
	r.arrive()

	r.running[hub].kill()
	r.publish(3)
	r.shown(1, "he relay holds all entries")
	if err := c.jet.DeleteStream(t.Context(), "SEGRAPH"); err != nil {
		t.Fatal(err)
	}
	r.publish(1)
	r.shown(1, "o stream SEGRAPH answers")
	r.start(hub) // and makes the stream
	r.arrive()

	full := c.stream().CachedInfo().Config
	most := full.MaxBytes
	full.MaxBytes = int64(c.stream().CachedInfo().State.Bytes) + 1
	if _, err := c.jet.UpdateStream(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	r.publish(1)
	r.shown(0, "ull: ")
	full.MaxBytes = most
	if _, err := c.jet.UpdateStream(t.Context(), full); err != nil {
		t.Fatal(err)
	}
	r.arrive()

	c.change(relayUsers("hall-0", "hall-1"), "") // and so nobody's key is known
	refused := strings.Count(c.said.String(), "authentication error")
	r.publish(1)
	poll(t, "the boxes, the centre and the admin are refused twice", func() bool { return strings.Count(c.said.String(), "authentication error") >= refused+8 })
	c.change("", relayUsers("hall-0", "hall-1"))
	r.arrive()

	users := relayUsers("hall-0", "hall-1") // another key of the box, first at the server and then in its file
	c.change(users, strings.Replace(users, "UCLSAKVJA3MJZ6BHKEVLB4M5QYBHZS7YX5P32XG5X7R3VJQAJLQQVBKE", "UDFYJUMWCI22KEVFP4ZH2RGGUXGDZE3DRHBEBECUP3LHHPJIFPMVDE26", 1))
	r.publish(1)
	r.shown(0, "uthorization")
	if err := os.WriteFile(filepath.Join(r.dirs[0], "nkey"), []byte("SUAC7JQRRTCXZYW26YA3ZHI3TNCDXTQMFRZFUH2AD3G4JG4ERPUTKV3Z7U"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.arrive()
}

// A box whose last pack is large goes on after a restart, over a link on which that pack takes longer than an answer may.
func TestABoxGoesOnOverASlowLink(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	c := newCluster(t, 1, "", "")
	server := strings.TrimPrefix(c.url, "nats://")
	link := slowLink(t, server, 600<<10)
	r := newRelayed(t, c, 1, 1)
	noise := make([]byte, 11<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	text := fmt.Sprintf(`<urn:box0> <urn:said> "%d", [ <urn:n> %[1]d ] . <urn:picture> <urn:is> "%s" .`, r.said, base64.StdEncoding.EncodeToString(noise))
	if a := r.running[0].publish(text, "ari"); a.status != 201 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	r.said++
	r.arrive()
	r.running[0].stop()
	for i, setting := range r.env[0] {
		r.env[0][i] = strings.ReplaceAll(setting, server, link)
	}
	r.start(0)
	r.publish(1)
	r.arrive()
}

// slowLink returns the address of a way to a server, which carries so many bytes a second to its clients.
func slowLink(t *testing.T, to string, rate int) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close()
				continue
			}
			_ = server.(*net.TCPConn).SetReadBuffer(64 << 10)
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() {
				for part := int64(rate / 10); ; time.Sleep(100 * time.Millisecond) {
					if _, err := io.CopyN(client, server, part); err != nil {
						_ = client.Close()
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// Two centres read one stream of three servers, whose leader is killed, and are killed themselves. They have the same
// graph and contexts, and what a person decides at one of them counts at the other.
func TestCentresThatReadOneStreamAreTheSame(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	c := newCluster(t, 3, "", "")
	r := newRelayed(t, c, 2, 2)
	for round := range 3 {
		r.publish(5)
		switch round {
		case 0:
			for i := range c.nodes {
				if "n"+fmt.Sprint(i) == c.stream().CachedInfo().Cluster.Leader {
					c.restart(i)
					break
				}
			}
		case 1:
			r.running[2].kill()
			r.publish(2)
			r.start(2)
			r.running[3].kill()
			r.publish(2)
			r.start(3)
		}
	}
	r.arrive()
	r.same()

	one, two := r.running[2], r.running[3]
	before := one.pendingReviews()
	r.running[0].resolved(utterance("55:13.150", "ari", maria, news))
	r.publish(1)
	r.arrive()
	r.running[1].resolved(utterance("55:13.350", "tiago", "", news))
	poll(t, "a case waits", func() bool { return one.pendingReviews() > before })
	queue, _ := request(t, "GET", one.api+"/shared-context/review/pending", nil).member(t, "pending_cases").([]any)
	if one.pendingReviews() != before+1 || len(queue) == 0 {
		t.Fatalf("%d cases wait at a centre, want one more than %d", one.pendingReviews(), before)
	}
	of, _ := queue[0].(map[string]any)
	id, _ := of["case_id"].(string)
	wantVerdict(t, one.decides("accept", id, ""), 200, "already_decided", false)
	poll(t, "the other centre knows the decision", func() bool { return two.pendingReviews() == before })
	wantVerdict(t, two.decides("accept", id, ""), 200, "already_decided", true)
	wantVerdict(t, two.decides("undo", "decision_7", ""), 404, "code", "case_not_found")
	r.same()
	if a := one.publish("<urn:a> <urn:b> 1 .", "ari"); a.status != 403 {
		t.Errorf("a centre that reads a stream stores a log of its own: %d %s", a.status, a.body)
	}
	for i := range 2 {
		poll(t, "the centre is ready", func() bool { return request(t, "GET", r.running[2+i].api+"/healthz/ready?lag=5s", nil).status == 200 })
	}
	browser := signedIn(t, one)
	for i := range c.nodes {
		c.kill(i)
	}
	poll(t, "the centre is not ready", func() bool { return request(t, "GET", r.running[2].api+"/healthz/ready?lag=1s", nil).status == 503 })
	if a := one.decides("reject", id, ""); a.status != 503 {
		t.Errorf("a decision without a stream: %d %s", a.status, a.body)
	}
	poll(t, "the page says so", func() bool {
		a, err := try(browser, "GET", one.ui+"/boxes", nil)
		return err == nil && strings.Contains(string(a.body), "This centre is behind")
	})
	if a := request(t, "GET", r.running[2].api+"/healthz/ready", nil); a.status != 200 {
		t.Errorf("without a limit, a centre that lags is not ready: %d %s", a.status, a.body)
	}
}

// same checks that the centres have the same contexts.
func (r *relayed) same() {
	r.t.Helper()
	contexts := func(s *service) string {
		a := request(r.t, "GET", s.api+"/query?format=csv&query="+url.QueryEscape("SELECT ?s ?p ?o { GRAPH <urn:segraph:contexts> { ?s ?p ?o FILTER(!ISBLANK(?s) && !ISBLANK(?o)) } } ORDER BY ?s ?p ?o"), nil)
		return string(a.body)
	}
	want := contexts(r.running[r.boxes])
	if strings.Count(want, "\n") < 20 {
		r.t.Errorf("a centre has only %s", want)
	}
	poll(r.t, "the contexts are the same", func() bool { return contexts(r.running[r.boxes+1]) == contexts(r.running[r.boxes]) })
}
