package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// boxFleet is a centre and boxes that forward to it over a bad link, as processes that are killed and restored.
type boxFleet struct {
	link          *badLink
	hub           string // the centre's folder
	centreKey     string
	mu            sync.Mutex
	keys          []string // of the boxes' logs
	kills, doubts atomic.Int64
	done          atomic.Int64 // boxes that have sent everything
	day           bool         // the logs are those of a day, in the vocabulary
}

// fleetBox is a box, and what it acknowledged.
type fleetBox struct {
	dir          string
	n            int
	logs         map[string]string // what each said -> its log_id
	lost         map[string]string // the same, of what the box was restored without
	observations int
	key          string
}

// newBoxFleet returns a centre without boxes. faults is of its link.
func newBoxFleet(t *testing.T, faults int) *boxFleet {
	t.Helper()
	f := &boxFleet{link: newBadLink(t, faults), hub: t.TempDir()}
	f.centreKey = strings.TrimSpace(command(t, f.hub, nil, "", "audit", "key", "centre", "--data", "hub.db").stdout)
	if err := os.WriteFile(filepath.Join(f.hub, "token"), []byte(issueTo(t, "boxes", "box")), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestNothingIsLostWhileBoxesAndACentreAreKilled publishes 60,000 logs and 20,000 observations at three boxes, which are killed
// some 200 times with their centre. A box and the centre are restored from older backups meanwhile.
func TestNothingIsLostWhileBoxesAndACentreAreKilled(t *testing.T) {
	if !suite.Long() {
		t.Skip("it takes minutes: TestBoxesForwardTheirJournals is its short form")
	}
	f := newBoxFleet(t, 20)
	begin := time.Now()
	boxes := f.run(t, 3, 20_000, 6_667, f.centreLives)
	t.Logf("%d kills in %.0f s, %d requests without an answer", f.kills.Load(), time.Since(begin).Seconds(), f.doubts.Load())
	f.agree(t, boxes)
}

// TestADayOfSixRobotsArrivesThroughCutsAndKills publishes a day of six robots, with a box beside each: an activity every 15 s
// and an observation a minute. Boxes and centre are killed, the link is cut for seconds, and an auditor looks at the centre
// meanwhile.
func TestADayOfSixRobotsArrivesThroughCutsAndKills(t *testing.T) {
	if !suite.Long() {
		t.Skip("it takes minutes: TestBoxesForwardTheirJournals is its short form")
	}
	f := newBoxFleet(t, 20)
	f.day = true
	seen, cuts := 0, 0
	boxes := f.run(t, 6, 24*60*4, 24*60, func(t *testing.T, boxes int) {
		random := rand.New(rand.NewPCG(9, 9))
		for f.done.Load() < int64(boxes) {
			c := f.serveCentre(t, 20)
			f.audit(t, c)
			time.Sleep(time.Duration(500+random.IntN(1500)) * time.Millisecond)
			f.link.set("", 0)
			cuts++
			time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
			f.link.set(c.api, 20)
			time.Sleep(time.Second)
			if robots := c.rows("SELECT DISTINCT ?r { ?a <http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy> ?r }"); len(robots) == boxes {
				seen++
			}
			c.kill()
			f.kills.Add(1)
		}
	})
	t.Logf("%d kills, %d cuts, %d requests without an answer; the centre showed all robots %d times", f.kills.Load(), cuts, f.doubts.Load(), seen)
	if seen == 0 {
		t.Error("the centre never showed all robots meanwhile")
	}
	f.agree(t, boxes)
}

// run begins some boxes, and publishes logs and observations at each while centre runs.
func (f *boxFleet) run(t *testing.T, n, logs, observations int, centre func(t *testing.T, boxes int)) (boxes []*fleetBox) {
	for i := range n {
		b := &fleetBox{dir: t.TempDir(), n: i, logs: map[string]string{}, lost: map[string]string{}}
		f.know(t, b)
		boxes = append(boxes, b)
	}
	t.Run("lives", func(t *testing.T) {
		for _, b := range boxes {
			t.Run(fmt.Sprint("box ", b.n), func(t *testing.T) {
				t.Parallel()
				defer f.done.Add(1)
				f.lives(t, b, logs, observations)
			})
		}
		t.Run("centre", func(t *testing.T) {
			t.Parallel()
			centre(t, n)
		})
	})
	return boxes
}

// audit has the test's requests to the centre be an auditor's.
func (f *boxFleet) audit(t *testing.T, c *service) {
	auditor := strings.TrimSpace(command(t, f.hub, []string{"SECRET_KEY=" + secret}, "", "token", "--user", "eva", "--role", "auditor").stdout)
	tokens.Store(strings.TrimPrefix(c.api, "http://"), auditor)
}

// know begins the box's log, and names its key at the centre.
func (f *boxFleet) know(t testing.TB, b *fleetBox) {
	s := serve(t, b.dir, f.box(b))
	request(t, "GET", s.api+"/log/checkpoint", nil)
	s.stop()
	b.key = strings.TrimSpace(command(t, b.dir, nil, "", "audit", "key").stdout)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys = append(f.keys, b.key)
}

// box returns the settings of a box.
func (f *boxFleet) box(b *fleetBox) []string {
	return []string{"SEGRAPH_ORIGIN=box-" + fmt.Sprint(b.n), "SEGRAPH_FORWARD_TO=" + f.centreKey + " " + f.link.URL,
		"SEGRAPH_FORWARD_TOKEN_FILE=" + filepath.Join(f.hub, "token")}
}

// serveCentre starts the centre, with the keys that it knows by now and other settings.
func (f *boxFleet) serveCentre(t testing.TB, faults int, more ...string) *service {
	f.mu.Lock()
	keys := strings.Join(f.keys, ",")
	f.mu.Unlock()
	c := serve(t, f.hub, append(more, "SECRET_KEY="+secret, "SEGRAPH_BOXES="+keys), "--data", "hub.db")
	f.link.set(c.api, faults)
	return c
}

// lives publishes logs and observations at a box that is killed again and again. The first box is once restored from a
// backup that it made thousands of logs before.
func (f *boxFleet) lives(t *testing.T, b *fleetBox, logs, observations int) {
	random, backedUp, restored := rand.New(rand.NewPCG(7, uint64(b.n))), 0, false
	for sent := 0; sent < logs || b.observations < observations; {
		s := serve(t, b.dir, f.box(b))
		timer := time.AfterFunc(time.Duration(200+random.IntN(1000))*time.Millisecond, s.kill)
		for sent < logs || b.observations < observations {
			if sent < logs && !f.publish(t, s, b, sent) || b.observations*3 < sent && !f.observe(t, s, b) {
				break
			}
			sent = min(sent+1, logs)
		}
		timer.Stop()
		s.kill()
		f.kills.Add(1)
		switch {
		case b.n > 0:
		case backedUp == 0 && sent > logs/4:
			command(t, b.dir, nil, "", "backup", "older.db")
			backedUp = sent
		case backedUp > 0 && !restored && sent > logs/2:
			if r := command(t, b.dir, nil, "", "restore", "older.db"); r.code != 0 {
				t.Fatalf("restoring: %s", r.stderr)
			}
			for said := range b.logs {
				var n int
				if _, err := fmt.Sscanf(said, "0/%d", &n); err != nil {
					t.Fatal(err)
				}
				if n >= backedUp {
					b.lost[said] = b.logs[said]
					delete(b.logs, said)
				}
			}
			f.know(t, b)
			restored = true
		}
	}
}

// publish publishes the n-th log, and reports whether the box answered.
func (f *boxFleet) publish(t *testing.T, s *service, b *fleetBox, n int) bool {
	said := fmt.Sprintf("%d/%d", b.n, n)
	text := fmt.Sprintf("<urn:box%d:%d> <urn:said> %q ; <urn:by> [ <urn:n> %d ] .", b.n, n, said, n)
	if f.day {
		at := time.Date(2026, 2, 11, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 15 * time.Second)
		text += fmt.Sprintf(`
<urn:box%[1]d:%[2]d> a <http://www.gsi.upm.es/ontologies/segb/ns#LoggedActivity> ; <http://www.gsi.upm.es/ontologies/segb/ns#wasPerformedBy> <http://ex/robot/%[1]d> ;
	<http://www.w3.org/ns/prov#startedAtTime> "%[3]s"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`, b.n, n, at.Format(time.RFC3339))
	}
	body, err := json.Marshal(map[string]string{"user": "ari", "ttl_content": text})
	if err != nil {
		t.Fatal(err)
	}
	a, err := try(http.DefaultClient, "POST", s.api+"/ttl", body, "Content-Type", "application/json", "Idempotency-Key", said)
	if err != nil {
		f.doubts.Add(1)
		return false
	}
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.body)
	}
	b.logs[said], _ = a.member(t, "log_id").(string)
	return true
}

// observe sends an observation of an event that only this box sees, and reports whether the box answered.
func (f *boxFleet) observe(t *testing.T, s *service, b *fleetBox) bool {
	at := time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC).Add(time.Duration(b.observations)*7*time.Second + time.Duration(b.n)*200*time.Millisecond)
	text := fmt.Sprintf(`{"event_kind":"human_utterance","observed_at":%q,"subject_uri":"http://ex/human/maria","modality":"speech","text":"Could you show me the news of number %d?","robot_uri":"http://ex/robot/%d"}`,
		at.Format(time.RFC3339Nano), b.observations, b.n)
	a, err := try(http.DefaultClient, "POST", s.api+"/shared-context/resolve", []byte(text), "Content-Type", "application/json")
	if err != nil {
		f.doubts.Add(1)
		return false
	}
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	b.observations++
	return true
}

// centreLives runs the centre until all boxes are done, kills it again and again, and restores it from a backup of its
// fifth life after the fifteenth.
func (f *boxFleet) centreLives(t *testing.T, boxes int) {
	random := rand.New(rand.NewPCG(8, 8))
	for life := 0; f.done.Load() < int64(boxes); life++ {
		c := f.serveCentre(t, 20)
		time.Sleep(time.Duration(300+random.IntN(1500)) * time.Millisecond)
		c.kill()
		f.kills.Add(1)
		switch life {
		case 5:
			command(t, f.hub, nil, "", "backup", "older.db", "--data", "hub.db")
		case 15:
			if r := command(t, f.hub, nil, "", "restore", "older.db", "--data", "hub.db"); r.code != 0 {
				t.Fatalf("restoring: %s", r.stderr)
			}
		}
	}
}

// agree waits until the centre has all entries, and compares it with the boxes: its graph is their union, with what was lost
// by the restore if that had been sent, its journal has each log once, and receipts verify.
func (f *boxFleet) agree(t *testing.T, boxes []*fleetBox) {
	c := f.serveCentre(t, 0)
	f.audit(t, c)
	want, maybe, observed := map[string]string{}, map[string]string{}, 0
	begin := time.Now()
	for _, b := range boxes {
		s := serve(t, b.dir, f.box(b))
		var health string
		for end := time.Now().Add(10 * time.Minute); !strings.Contains(health, "has all entries"); time.Sleep(time.Second) {
			if health = string(request(t, "GET", s.ui+"/health", nil).body); time.Now().After(end) {
				t.Fatalf("box %d is not confirmed: %s\n%s", b.n, s.stderr, c.stderr)
			}
		}
		maps.Copy(want, b.logs)
		maps.Copy(maybe, b.lost)
		observed += b.observations
		for _, row := range s.rows("SELECT ?o { ?s <urn:said> ?o }") {
			if _, ok := want[row]; !ok {
				want[row] = "" // stored, but its answer was lost
			}
		}
	}
	t.Logf("confirmed %.0f s later: %d logs, %d observations", time.Since(begin).Seconds(), len(want), observed)
	had := 0
	for _, row := range c.rows("SELECT ?o { ?s <urn:said> ?o }") {
		if _, ok := want[row]; ok {
			had++
		} else if _, ok := maybe[row]; !ok {
			t.Errorf("the centre has %q, which no box has", row)
		}
	}
	if had != len(want) {
		t.Errorf("the centre has %d of %d logs", had, len(want))
	}
	ids := f.entries(t, c)
	for said, id := range want {
		if id != "" && ids[id] != 1 {
			t.Errorf("the centre's journal has the log %s (%s) %d times", id, said, ids[id])
		}
	}
	known := slices.DeleteFunc(slices.Sorted(maps.Values(want)), func(id string) bool { return id == "" })
	receipts := f.receipts(t, c, known)
	c.stop()
	f.verify(t, receipts)
	if r := command(t, f.hub, nil, "", "audit", "verify", "--data", "hub.db"); r.code != 0 {
		t.Errorf("audit verify: %s%s", r.stdout, r.stderr)
	}
}

// entries counts the centre's entries of each log.
func (f *boxFleet) entries(t *testing.T, c *service) map[string]int {
	out := map[string]int{}
	for before := ""; ; {
		a := request(t, "GET", c.api+"/logs?action=insert&limit=1000"+before, nil)
		var page struct {
			Entries []struct {
				LogID string `json:"log_id"`
			}
			Next *int
		}
		if err := json.Unmarshal(a.body, &page); err != nil || a.status != http.StatusOK {
			t.Fatalf("%d %v %s", a.status, err, a.body)
		}
		for _, e := range page.Entries {
			out[e.LogID]++
		}
		if page.Next == nil {
			return out
		}
		before = fmt.Sprint("&before=", *page.Next)
	}
}

// receipts returns the receipts of some 300 of the logs, one a line.
func (f *boxFleet) receipts(t *testing.T, c *service, ids []string) *bytes.Buffer {
	out := &bytes.Buffer{}
	for i := 0; i < len(ids); i += max(1, len(ids)/300) {
		out.Write(bytes.ReplaceAll(request(t, "GET", c.api+"/logs/"+ids[i]+"/receipt", nil).body, []byte("\n"), nil))
		out.WriteByte('\n')
	}
	return out
}

// verify verifies receipts with the program of docs/evidence.
func (f *boxFleet) verify(t *testing.T, receipts *bytes.Buffer) {
	key := strings.TrimSpace(command(t, f.hub, nil, "", "audit", "key", "--data", "hub.db").stdout)
	python := exec.Command("python3", "-c", "import json, sys, verify_receipt as v\nprint(len([v.verify(sys.argv[1], json.loads(line)) for line in sys.stdin]))", key)
	python.Dir, python.Stdin = filepath.Join(suite.Root(t), "docs", "evidence"), receipts
	out, err := python.CombinedOutput()
	t.Logf("receipts verified: %s", out)
	if err != nil {
		t.Error(err)
	}
}
