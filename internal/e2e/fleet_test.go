package e2e

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

// badLink is a network to a service that drops, cuts, repeats and delays what it carries.
type badLink struct {
	*httptest.Server
	mu     sync.Mutex
	to     string // the API behind it
	faults int    // of a hundred messages
	random *rand.Rand
	delay  atomic.Int64 // of each message
}

func newBadLink(t testing.TB, faults int) *badLink {
	l := &badLink{faults: faults, random: rand.New(rand.NewPCG(1, 2))}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *badLink) set(to string, faults int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to, l.faults = to, faults
}

func (l *badLink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	to, fault, part := l.to, 9, l.random.IntN(100)
	if l.random.IntN(100) < l.faults {
		fault = l.random.IntN(4)
	}
	l.mu.Unlock()
	time.Sleep(time.Duration(l.delay.Load()))
	body, err := io.ReadAll(r.Body)
	if err != nil || to == "" || fault == 0 {
		panic(http.ErrAbortHandler)
	}
	if fault == 1 {
		body = body[:len(body)*part/100]
	}
	carry := func() (*http.Response, error) {
		again, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.String(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		again.Header = r.Header.Clone()
		return http.DefaultClient.Do(again)
	}
	if fault == 2 {
		if first, err := carry(); err == nil {
			_ = first.Body.Close()
		}
	}
	got, err := carry()
	if err != nil || fault == 3 { // the answer is lost
		panic(http.ErrAbortHandler)
	}
	defer got.Body.Close()
	w.Header().Set("Content-Type", got.Header.Get("Content-Type"))
	w.WriteHeader(got.StatusCode)
	_, _ = io.Copy(w, got.Body)
}

// Boxes forward what robots publish over links that lose messages, while boxes and centre are killed:
// the centre has each log once, with what it said, and each event that two boxes saw once. What a box withdraws
// goes there too, and so does whom it erases.
func TestBoxesForwardTheirJournals(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	f := newBoxFleet(t, 20)
	link, hub, centreKey := f.link, f.hub, f.centreKey
	dirs, keys := []string{t.TempDir(), t.TempDir()}, []string{}
	forward := []string{"SEGRAPH_FORWARD_TO=" + centreKey + " " + link.URL, "SEGRAPH_FORWARD_TOKEN_FILE=" + filepath.Join(hub, "token")}
	for i, dir := range dirs {
		s := serve(t, dir, []string{"SEGRAPH_ORIGIN=box-" + fmt.Sprint(i)})
		request(t, "GET", s.api+"/log/checkpoint", nil) // begins the log
		s.stop()
		keys = append(keys, strings.TrimSpace(command(t, dir, nil, "", "audit", "key").stdout))
	}
	asCentre := []string{"SECRET_KEY=" + secret, "SEGRAPH_BOXES=" + strings.Join(keys, ",")}
	auditor := strings.TrimSpace(command(t, hub, []string{"SECRET_KEY=" + secret}, "", "token", "--user", "eva", "--role", "auditor").stdout)
	var first string
	var events [][]string // the URIs that the boxes answered
	for round := range suite.Times(4, 3) {
		c := serve(t, hub, asCentre, "--data", "hub.db")
		link.set(c.api, 20)
		var boxes []*service
		for i, dir := range dirs {
			boxes = append(boxes, serve(t, dir, append(forward, "SEGRAPH_ORIGIN=box-"+fmt.Sprint(i))))
		}
		for n := range 30 {
			for i, b := range boxes {
				a := b.publish(fmt.Sprintf(`<urn:box%d> <urn:said> "%d of round %d", [ <urn:n> %d ] .`, i, n, round, n), "ari")
				if a.status != http.StatusCreated {
					t.Fatalf("%d %s", a.status, a.body)
				}
				if first == "" {
					first, _ = a.member(t, "log_id").(string)
				}
			}
		}
		if a := boxes[1].publish(fmt.Sprintf("<urn:%d> <urn:to> <http://ex/human/ines> .", round), "ari"); a.status != http.StatusCreated {
			t.Fatalf("%d %s", a.status, a.body)
		}
		seen := make([]string, len(boxes))
		for i, b := range boxes {
			seen[i] = b.resolved(fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":"2026-02-11T09:%d:13.%d50Z","subject_uri":"http://ex/human/maria","modality":"speech","text":"Could you show me climate news?","robot_uri":"http://ex/robot/%d"}`, 10+round, i, i)).URI
		}
		events = append(events, seen)
		time.Sleep(time.Duration(40*round) * time.Millisecond) // kill at another place of the work each time
		boxes[round%2].kill()
		c.kill()
		for _, b := range boxes {
			b.kill()
		}
	}
	c := serve(t, hub, asCentre, "--data", "hub.db")
	link.set(c.api, 0)
	command(t, dirs[1], nil, "", "erase", "http://ex/human/ines", "--reason", "case 7", "--yes")
	var sent []string
	for i, dir := range dirs {
		b := serve(t, dir, append(forward, "SEGRAPH_ORIGIN=box-"+fmt.Sprint(i)))
		if i == 0 {
			if a := request(t, "DELETE", b.api+"/logs/"+first, nil); a.status != http.StatusOK {
				t.Fatalf("withdrawing: %d %s", a.status, a.body)
			}
		}
		poll(t, "the centre has confirmed all", func() bool {
			return strings.Contains(string(request(t, "GET", b.ui+"/health", nil).body), "has all entries")
		})
		sent = append(sent, string(b.query("SELECT ?s ?o { ?s <urn:said> ?o FILTER(ISLITERAL(?o)) } ORDER BY ?s ?o", "csv").body))
	}
	got := string(request(t, "GET", c.api+"/query?format=csv&query=SELECT+%3Fs+%3Fo+%7B+%3Fs+%3Curn%3Asaid%3E+%3Fo+FILTER%28ISLITERAL%28%3Fo%29%29+%7D+ORDER+BY+%3Fs+%3Fo", nil,
		"Authorization", "Bearer "+auditor).body)
	if want := sent[0] + strings.TrimPrefix(sent[1], "s,o\r\n"); got != want {
		t.Errorf("the centre has\n%s\nand the boxes\n%s", got, want)
	}
	text := string(request(t, "GET", c.api+"/query?format=csv&query=SELECT+%2A+%7B+%3Fs+%3Fp+%3Chttp%3A%2F%2Fex%2Fhuman%2Fines%3E+%7D", nil, "Authorization", "Bearer "+auditor).body)
	if text != "s,p\r\n" {
		t.Errorf("the centre still has %q of whom a box erased", text)
	}
	for _, seen := range events {
		var at []any
		for _, uri := range seen {
			found, _ := request(t, "GET", c.api+"/shared-context/contexts?uri="+url.QueryEscape(uri), nil, "Authorization", "Bearer "+auditor).member(t, "context").(map[string]any)
			at = append(at, found["uri"])
		}
		if at[0] != at[1] || at[0] == seen[0] || at[0] == nil {
			t.Errorf("at the centre, %s and %s lead to %s and %s", seen[0], seen[1], at[0], at[1])
		}
	}
}

// What a box withdraws is withdrawn at the centre, unless a legal hold keeps it there, or with SEGRAPH_FORWARDED_DELETES=keep stays. Whom it erases goes.
// A graph store of SEGRAPH_STORES follows the centre. With SEGRAPH_FORWARD_RATE the box takes its time.
func TestACentreFollowsABoxAsItsSettingsSay(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	for _, deletes := range []string{"keep", "apply"} {
		t.Run(deletes, func(t *testing.T) {
			t.Parallel()
			f, b := newBoxFleet(t, 0), &fleetBox{dir: t.TempDir()}
			f.know(t, b)
			settings, ask := []string{"SEGRAPH_FORWARDED_DELETES=" + deletes}, func(string) string { return "" }
			if deletes == "apply" {
				store := servers.StartFuseki(t).URL
				rows := fmt.Sprintf("[{name: one, kind: sparql, query: %s/query, update: %[1]s/update}, {name: away, kind: sparql, query: 'http://127.0.0.1:1/q', update: 'http://127.0.0.1:1/u'}]", store)
				if err := os.WriteFile(filepath.Join(f.hub, "stores.yaml"), []byte(rows), 0o600); err != nil {
					t.Fatal(err)
				}
				settings = append(settings, "SEGRAPH_STORES=stores.yaml")
				ask = func(query string) string {
					return string(request(t, "GET", store+"/query?query="+url.QueryEscape(query), nil, "Accept", "text/csv").body)
				}
			}
			c := f.serveCentre(t, 0, settings...)
			tokens.Store(strings.TrimPrefix(c.api, "http://"), issue(t, "admin"))
			box := serve(t, b.dir, append(f.box(b), "SEGRAPH_FORWARD_RATE=40"))
			sent := func() {
				t.Helper()
				poll(t, "the centre has confirmed all", func() bool {
					return strings.Contains(string(request(t, "GET", box.ui+"/health", nil).body), "has all entries")
				})
			}
			noise := make([]byte, 100_000)
			for i := range noise {
				noise[i] = byte('a' + rand.IntN(16))
			}
			begin, ids := time.Now(), []string{}
			for _, text := range []string{"<urn:gone> <urn:p> 1", "<urn:stays> <urn:p> 2 ; <urn:of> <urn:ines>", "<urn:long> <urn:is> \"" + string(noise) + "\"", "<urn:held> <urn:p> 3"} {
				id, _ := box.publish(text+" .", "ari").member(t, "log_id").(string)
				ids = append(ids, id)
			}
			box.resolved(first)
			sent()
			if took := time.Since(begin); took < time.Second {
				t.Errorf("50 kB took %v at 40 KiB/s", took)
			}
			if a := request(t, "POST", c.api+"/admin/holds", fmt.Appendf(nil, `{"log_id":%q,"reason":"case 7"}`, ids[3]), "Content-Type", "application/json"); a.status != http.StatusCreated {
				t.Errorf("holding: %d %s", a.status, a.body)
			}
			for _, id := range []string{ids[0], ids[3]} {
				if a := request(t, "DELETE", box.api+"/logs/"+id, nil); a.status != http.StatusOK {
					t.Errorf("withdrawing: %d %s", a.status, a.body)
				}
			}
			var erasure string
			for _, s := range []*service{c, box} { // asked for at both, and confirmed at the box
				erasure, _ = request(t, "POST", s.api+"/admin/erasures", []byte(`{"person":"urn:ines","reason":"a letter"}`), "Content-Type", "application/json").member(t, "id").(string)
			}
			if a := request(t, "POST", box.api+"/admin/erasures/"+erasure+"/confirm", nil); a.status != http.StatusOK {
				t.Errorf("erasing: %d %s", a.status, a.body)
			}
			sent()
			if n := request(t, "GET", c.api+"/admin/erasures", nil).number(t, "count"); n != 0 {
				t.Errorf("%d erasures of somebody whom the box erased wait at the centre", n)
			}
			want := map[string]string{"keep": "s\r\nurn:gone\r\nurn:held\r\nurn:stays\r\n", "apply": "s\r\nurn:held\r\nurn:stays\r\n"}[deletes]
			const query = "{ ?s ?p ?o FILTER(?p IN (<urn:p>, <urn:of>)) } ORDER BY ?s"
			if got := string(c.query("SELECT ?s "+query, "csv").body); got != want {
				t.Errorf("the centre has %q, want %q", got, want)
			}
			if deletes == "apply" {
				poll(t, "the graph store has what the centre has", func() bool {
					return ask("SELECT ?s FROM <urn:segraph:log> "+query) == want && strings.Contains(ask("SELECT ?s FROM <urn:segraph:contexts> { ?s a <urn:segraph:ns#SharedContext> }"), "human_utterance_")
				})
			}
		})
	}
}
