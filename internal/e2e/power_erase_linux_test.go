//go:build amd64 || arm64

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/powercut"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/turtle"
)

// Marks of a recording of erasures.
type (
	ackedPerson  struct{ n int } // known everywhere
	erasingOf    struct{ n int } // asked for
	ackedErasure struct{ n int }
)

// Of the person with a number: a token that no hash has by chance, the IRI, and the lines of others that stay.
func tokenOf(n int) string  { return fmt.Sprintf("wanted%03dperson", n) }
func personOf(n int) string { return "http://ex/id/" + tokenOf(n) }
func stayingOf(n int) string {
	return fmt.Sprintf("<http://ex/keep%d> <http://ex/p> \"stays %[1]d\" .\n", n)
}

// call sends JSON, and reads the answer's id.
func (o *outage) call(path, body string, good ...int) (id string) {
	o.t.Helper()
	a := o.ask(http.DefaultClient, o.s.api+path, "application/json", []byte(body), good...)
	if a == nil {
		return ""
	}
	var out struct{ ID string }
	_ = json.Unmarshal(a.body, &out) // other answers have none
	return out.ID
}

// know makes a person known in a log, an observation and a saved query.
func (o *outage) know(n int) {
	log, _ := json.Marshal(fmt.Sprintf("<%s> <http://schema.org/name> \"%s\" . <http://ex/m%[3]d> <http://schema.org/sender> <%[1]s> ; <http://schema.org/text> \"%[2]s said\" .\n%[4]s",
		personOf(n), tokenOf(n), n, stayingOf(n)))
	o.call("/ttl", fmt.Sprintf(`{"user": %q, "ttl_content": %s}`, personOf(n), log), http.StatusCreated)
	o.call("/shared-context/resolve", fmt.Sprintf(`{"event_kind": "heard", "observed_at": "2026-01-01T12:%02d:00Z", "subject_uri": %q, "text": "%s speaks", "robot_uri": "http://ex/r"}`, n%60, personOf(n), tokenOf(n)), http.StatusOK)
	o.rec.Mark(ackedPerson{n})
}

// erase erases a person, or begins to.
func (o *outage) erase(n int) {
	o.rec.Mark(erasingOf{n})
	id := o.call("/admin/erasures", fmt.Sprintf(`{"person": %q, "reason": "a letter", "pseudonymise": %v}`, personOf(n), n%2 == 0), http.StatusCreated)
	if a := o.ask(http.DefaultClient, o.s.api+"/admin/erasures/"+id+"/confirm", "application/json", []byte("{}"), http.StatusOK); a != nil {
		o.rec.Mark(ackedErasure{n})
	}
}

// copied makes a snapshot, which an erasure may take before it is sent.
func (o *outage) copied() {
	poll(o.t, "a snapshot is sent", func() bool {
		a, _ := try(http.DefaultClient, "GET", o.s.api+"/admin/backup", nil)
		return a.status == http.StatusOK
	})
}

// run runs a command, recorded.
func (o *outage) run(args ...string) {
	o.t.Helper()
	cmd := exec.Command(binary, append(args, "--data", filepath.Join(o.dir, "segraph.db"))...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = o.dir, environ(), &said, &said
	wait, err := o.tracer.Start(cmd)
	if err == nil {
		var code int
		if code, err = wait(); err == nil && code != 0 {
			err = fmt.Errorf("it ended with %d", code)
		}
	}
	if err != nil {
		o.t.Fatalf("segraph %q: %v\n%s", args, err, said.String())
	}
}

// erasures erases people from a running service beside posts, with snapshots, a kill and a start in the middle of
// one, and from a file, which it compacts. many is the number of people of each part.
func (o *outage) erasures(many int) {
	n := 0
	for part := range 2 {
		o.start("--memory", "60")
		first := n
		for ; n < first+many+2; n++ {
			o.know(n)
		}
		o.copied()
		client := &http.Client{Transport: &http.Transport{}}
		var beside sync.WaitGroup
		beside.Go(func() {
			for range 10 * many {
				if o.post(client) == "" {
					return
				}
			}
		})
		for i := first; i < first+many; i++ {
			o.erase(i)
		}
		poll(o.t, "the snapshots are gone", func() bool { return len(snapshots(o.t, filepath.Join(o.dir, "segraph.db"))) == 0 })
		o.copied()
		if part == 0 {
			goal := o.rec.Len() + 12 // in the middle
			beside.Go(func() { o.erase(first + many) })
			poll(o.t, "an erasure writes", func() bool { return o.rec.Len() > goal || o.t.Failed() })
			o.s.kill()
		}
		beside.Wait()
		client.CloseIdleConnections()
	}
	o.s.stop()
	o.run("compact")
	o.rec.Mark(erasingOf{n - 1})
	o.run("erase", "--yes", "--reason", "a letter", personOf(n-1))
	o.rec.Mark(ackedErasure{n - 1})
	o.run("compact")
	if o.t.Failed() {
		o.t.FailNow()
	}
}

// erasedLedger records who was erased, and checks images against it.
type erasedLedger struct {
	t      *testing.T
	dir    string
	known  int // marks that were processed
	images int

	posts                 map[string]bool
	people, asked, erased map[int]bool
	*found
}

// found is what the checks of images have found. They share it, because several run at a time.
type found struct {
	mu             sync.Mutex
	copies         map[[32]byte][]int // digest of a snapshot -> who is in it
	before, middle int                // of images: with an erasure that did not begin, or was not complete
}

// now returns a copy of the ledger, to check an image with.
func (l *erasedLedger) now() *erasedLedger {
	l.images++
	c := *l
	c.dir = filepath.Join(l.dir, fmt.Sprint(l.images))
	c.posts, c.people, c.asked, c.erased = maps.Clone(l.posts), maps.Clone(l.people), maps.Clone(l.asked), maps.Clone(l.erased)
	return &c
}

func (l *erasedLedger) learn(marks []any) {
	for ; l.known < len(marks); l.known++ {
		switch m := marks[l.known].(type) {
		case ackedPost:
			l.posts[m.name] = true
		case ackedPerson:
			l.people[m.n] = true
		case erasingOf:
			l.asked[m.n] = true
		case ackedErasure:
			l.erased[m.n] = true
		}
	}
}

func dumpOf(t *testing.T, s *persist.Store) string {
	t.Helper()
	var text bytes.Buffer
	if err := s.Dump(t.Context(), &text, turtle.NQuads); err != nil {
		t.Error(err)
	}
	return text.String()
}

// check checks an image: who was erased is in no graph, and nothing is found of them once a start completed it; who was
// not is whole; others have all that was acknowledged.
func (l *erasedLedger) check(image powercut.Image, what string) {
	l.t.Helper()
	fail := func(format string, args ...any) { l.t.Helper(); l.t.Errorf(what+": "+format, args...) }
	defer func() { _ = os.RemoveAll(l.dir) }()
	if err := write(image, l.dir); err != nil {
		fail("%v", err)
	}
	path := filepath.Join(l.dir, "segraph.db")
	if _, ok := image["segraph.db"]; !ok {
		if len(l.posts)+len(l.people) > 0 {
			fail("there is no file")
		}
		return
	}
	if _, err := persist.CheckFile(l.t.Context(), path); err != nil {
		fail("%v", err)
		return
	}
	s, err := persist.Open(path, persist.Options{})
	if err != nil {
		fail("%v", err)
		return
	}
	defer s.Close()
	l.looked(s, image, fail)
	r, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		fail("%v", err)
		return
	}
	if _, err = (persist.ResolvedGraph{Graph: s, Store: s, Resolver: r}).ApplyForgotten(l.t.Context(), journal.Entry{LogID: journal.NewLogID(), Action: journal.Erasure, Time: time.Now()}); err == nil {
		err = s.Purge(l.t.Context(), nil)
	}
	if err != nil {
		fail("completing erasures: %v", err)
	}
	text := dumpOf(l.t, s)
	for n := range l.people {
		_, listed := s.Forgotten.Of(personOf(n))
		if !strings.Contains(text, strings.TrimSuffix(stayingOf(n), ".\n")) {
			fail("what others said with person %d is gone", n)
		}
		if whole := strings.Contains(text, "<"+personOf(n)+"> <http://schema.org/name> ") && strings.Contains(text, tokenOf(n)+" said"); whole == listed {
			fail("person %d is whole: %v, and is erased: %v", n, whole, listed)
		}
		if listed && (n+l.images)%4 == 0 { // it takes most of the time
			if places, err := s.Find(l.t.Context(), tokenOf(n), retries.Unpacked); err != nil || len(places) > 0 {
				fail("person %d is found in %v, %v", n, places, err)
			}
		}
	}
	for name := range l.posts {
		if !strings.Contains(text, "<http://example.org/"+name+"> <http://example.org/claims> ") {
			fail("document %s was acknowledged, and is gone", name)
		}
	}
	if err := s.Check(l.t.Context()); err != nil {
		fail("after it was opened: %v", err)
	}
}

// looked checks what a reader sees before a start completes anything.
func (l *erasedLedger) looked(s *persist.Store, image powercut.Image, fail func(string, ...any)) {
	applied, err := s.Forgotten.Applied()
	old, err2 := s.Forgotten.Old()
	has := old != nil
	if err := errors.Join(err, err2); err != nil {
		fail("%v", err)
	}
	if applied > s.Forgotten.Len() {
		fail("the file is without %d people, and the list has %d", applied, s.Forgotten.Len())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if applied < s.Forgotten.Len() || has {
		l.middle++
	}
	text := dumpOf(l.t, s)
	for n := range l.asked {
		_, listed := s.Forgotten.Of(personOf(n))
		switch in := strings.Contains(text, tokenOf(n)); {
		case l.erased[n] && (!listed || in):
			fail("person %d was erased, and is in the list: %v, in the file: %v", n, listed, in)
		case in && !has && applied == s.Forgotten.Len() && listed:
			fail("person %d is in the file, which says that nobody is", n)
		case !listed:
			l.before++
		}
	}
	for name, c := range image {
		if !has && applied == s.Forgotten.Len() && strings.HasPrefix(filepath.Base(name), "segraph-") && strings.HasSuffix(name, ".db") {
			for _, n := range l.in(c) {
				if _, listed := s.Forgotten.Of(personOf(n)); listed {
					fail("person %d is in %s, and the file says that nothing is left", n, name)
				}
			}
		}
	}
}

// in returns who is in a snapshot.
func (l *erasedLedger) in(c powercut.Content) []int {
	sum := sha256.Sum256(c.Data)
	if found, ok := l.copies[sum]; ok {
		return found
	}
	path := filepath.Join(l.dir, "copy.db")
	s, err := (*persist.Store)(nil), write(powercut.Image{"copy.db": c}, l.dir)
	if err == nil {
		s, err = persist.Open(path, persist.Options{})
	}
	if err != nil {
		return nil // it was not complete yet, or no longer
	}
	defer s.Close()
	var found []int
	for n := range l.people {
		if places, err := s.Find(l.t.Context(), tokenOf(n), retries.Unpacked); err == nil && len(places) > 0 {
			found = append(found, n)
		}
	}
	l.copies[sum] = found
	return found
}

// The image that a power cut leaves at any moment of erasures has the person whole and unlisted, or listed, so that a
// start leaves nothing of them. Nobody else loses anything.
func TestAPowerCutKeepsNobodyWhoIsErased(t *testing.T) {
	if storeSettings(t) != nil {
		t.Skip("with a graph store, the file is written the same way, except for the outbox")
	}
	suite.Slow(t, "checking images")
	t.Parallel()
	o := newOutage(t)
	o.erasures(suite.Times(6, 2))
	o.likeTheRecording()
	begin := time.Now()
	l := &erasedLedger{t: t, dir: newLedger(t).dir, posts: map[string]bool{}, people: map[int]bool{}, asked: map[int]bool{}, erased: map[int]bool{}, found: &found{copies: map[[32]byte][]int{}}}
	images := suite.Times(10_000, suite.Size(40, 12))
	disk := o.rec.Disk()
	var checks sync.WaitGroup
	turns := make(chan struct{}, 8) // a check waits more than it computes
	for n, at := range o.rec.Moments(images, rand.New(rand.NewPCG(uint64(images), 41))) {
		if err := disk.Advance(at); err != nil {
			t.Error(err)
		}
		l.learn(disk.Marks())
		random := rand.New(rand.NewPCG(uint64(n), 41))
		fate := powercut.Fate(random.IntN(int(powercut.Fates)))
		image, what, now := disk.Cut(fate, random), fmt.Sprintf("image %d: %v after %d events, %d writes pending", n, fate, at, disk.Pending()), l.now()
		turns <- struct{}{}
		if t.Failed() {
			break
		}
		checks.Go(func() {
			now.check(image, what)
			<-turns
		})
		if n%1000 == 999 {
			t.Logf("%d images in %v", n+1, time.Since(begin).Round(time.Second))
		}
	}
	checks.Wait()
	t.Logf("%d images in %v, of %d people, %d with an erasure that was not complete, %d times somebody asked for was not in the list yet", l.images, time.Since(begin).Round(time.Millisecond), len(l.erased), l.middle, l.before)
	if l.middle < l.images/50 || len(l.erased) < 4 {
		t.Error("too few for a test")
	}
}
