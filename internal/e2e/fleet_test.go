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
	link, hub := newBadLink(t, 20), t.TempDir()
	centreKey := strings.TrimSpace(command(t, hub, nil, "", "audit", "key", "centre", "--data", "hub.db").stdout)
	token := command(t, hub, []string{"SECRET_KEY=" + secret}, "", "token", "--user", "boxes", "--role", "box").stdout
	if err := os.WriteFile(filepath.Join(hub, "token"), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
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
