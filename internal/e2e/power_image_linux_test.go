//go:build amd64 || arm64

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine"

	"github.com/segraph/segraph/internal/powercut"
	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// ledger records what was acknowledged and checks images against it.
type ledger struct {
	t     *testing.T
	dir   string
	known int // marks that were processed

	posts, withdrawn map[string]bool
	clears           int
	forgotten        int               // number of the last deletion that removes contexts, once it has begun
	seen, earlier    map[string]string // observation -> context; earlier: those that a deletion may have removed
	decided          map[string]string // case -> act
	backups          map[string]bool
	quiet            quiet

	good map[string]bool // digests of backups that passed the check

	// Counters of what was found.
	images, absent, newer, decisions, restored, etags, doubtful int
}

func newLedger(t *testing.T) *ledger {
	// The folder is in memory, because on a disk every image would wait for it.
	dir, err := os.MkdirTemp("/dev/shm", "segraph-power-")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &ledger{t: t, dir: dir, posts: map[string]bool{}, withdrawn: map[string]bool{}, seen: map[string]string{}, earlier: map[string]string{},
		decided: map[string]string{}, backups: map[string]bool{}, good: map[string]bool{}}
}

// learn processes new marks.
func (l *ledger) learn(marks []any) {
	for ; l.known < len(marks); l.known++ {
		switch m := marks[l.known].(type) {
		case ackedPost:
			l.posts[m.name] = true
		case ackedWithdraw:
			l.withdrawn[m.log] = true
		case ackedClear:
			l.clears = m.clears
		case ackedBackup:
			l.backups[m.sha256] = true
		case ackedSight:
			l.seen[m.body] = m.uri
		case ackedCase:
			l.decided[m.id] = m.act
		case undoing:
			delete(l.seen, m.body)
		case forgetting:
			l.forgotten, l.earlier = m.clears, l.seen
			l.seen, l.decided = map[string]string{}, map[string]string{}
		case quiet:
			l.quiet = m
		case busy:
			l.quiet = quiet{}
		default:
			l.t.Fatalf("unknown mark %T", m)
		}
	}
}

// check checks an image against the acknowledged writes.
func (l *ledger) check(image powercut.Image, what string) {
	l.t.Helper()
	l.images++
	fail := func(format string, args ...any) { l.t.Helper(); l.t.Errorf(what+": "+format, args...) }
	dir := filepath.Join(l.dir, "image")
	if err := errors.Join(os.RemoveAll(dir), write(image, dir)); err != nil {
		l.t.Fatal(err)
	}
	l.checkBackups(dir, image, fail)
	path := filepath.Join(dir, "segraph.db")
	if _, ok := image["segraph.db"]; !ok {
		l.absent++
		if len(l.posts) > 0 {
			fail("there is no file")
		}
		return
	}
	if _, err := persist.CheckFile(l.t.Context(), path); err != nil {
		fail("%v", err)
		return
	}
	entries, err := entriesOf(path)
	if err != nil {
		fail("%v", err)
		return
	}
	present := l.checkJournal(entries, fail)
	s, err := persist.Open(path, persist.Options{})
	if err != nil {
		fail("%v", err)
		return
	}
	if s.MetaPages() != file.MetaGood {
		l.doubtful++
	}
	l.checkGraph(s, entries, present, fail)
	checkAnswers(s, entries, fail)
	l.checkDecisions(s, entries, fail)
	if err := errors.Join(s.Check(l.t.Context()), s.Close()); err != nil {
		fail("after it was opened: %v", err)
	}
}

// write writes the files of an image.
func write(image powercut.Image, dir string) error {
	for name, c := range image {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, c.Data, 0o600)
		}
		if err == nil {
			err = os.Truncate(path, c.Size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entriesOf returns the journal entries of a file, which it opens read-only.
func entriesOf(path string) (out []journal.Entry, err error) {
	s, err := persist.Open(path, persist.Options{Options: engine.Options{ReadOnly: true}})
	if err != nil {
		return nil, err
	}
	err = s.View(func(snap *engine.Snapshot) (err error) { out, err = storetest.Entries(snap.KV()); return err })
	return out, errors.Join(err, s.Close())
}

// checkJournal checks that the journal has everything acknowledged. It returns the
// documents that must be in the graph. The journal may also contain unacknowledged
// documents.
func (l *ledger) checkJournal(entries []journal.Entry, fail func(string, ...any)) (present map[string]bool) {
	present = map[string]bool{}
	posts, logs, withdrawn := map[string]bool{}, map[string]string{}, map[string]bool{}
	clears := 0
	for _, e := range entries {
		switch e.Action {
		case journal.Insert:
			posts[e.Claimed], present[e.Claimed], logs[e.LogID] = true, true, e.Claimed
		case journal.Withdraw:
			withdrawn[e.Withdrawn] = true
			delete(present, logs[e.Withdrawn])
		case journal.Clear:
			clears++
			clear(present)
		}
	}
	for name := range l.posts {
		if !posts[name] {
			fail("document %s was acknowledged, and the journal does not have it", name)
		}
	}
	for log := range l.withdrawn {
		if !withdrawn[log] {
			fail("log %s was withdrawn, and the journal does not have that", log)
		}
	}
	if clears < l.clears {
		fail("the graph was emptied %d times, and the journal says %d", l.clears, clears)
	}
	if len(posts) > len(l.posts) {
		l.newer++
	}
	return present
}

// checkAnswers compares the answers kept for retries with the journal: each document was sent
// with a key, and its answer is kept exactly if the document is stored.
func checkAnswers(s *persist.Store, entries []journal.Entry, fail func(string, ...any)) {
	logs := uint64(0)
	for _, e := range entries {
		switch {
		case e.Action == journal.Insert:
			logs++
		case e.Action == journal.Clear && e.Detail != "": // with contexts, which forgets all answers
			logs = 0
		}
	}
	if stats, err := s.Retries.Stats(); err != nil || stats.Records != logs {
		fail("the answers of %d documents are kept, and %d documents were stored: %v", stats.Records, logs, err)
	}
}

// checkGraph compares the published graph with the journal.
func (l *ledger) checkGraph(s *persist.Store, entries []journal.Entry, present map[string]bool, fail func(string, ...any)) {
	e, err := s.Export(l.t.Context(), rdf.Term{}, turtle.NTriples)
	if err != nil {
		fail("%v", err)
		return
	}
	defer e.Close()
	var text bytes.Buffer
	if _, err := e.WriteTo(&text); err != nil {
		fail("%v", err)
	}
	if n := len(entries); n > 0 && l.quiet.name != "" && entries[n-1].Claimed == l.quiet.name {
		if l.etags++; e.ETag() != l.quiet.etag {
			fail("the ETag is %s, and was %s after %s", e.ETag(), l.quiet.etag, l.quiet.name)
		}
	}
	want := map[string]bool{}
	for name := range present {
		for line := range strings.Lines(claimed(name)) {
			want[line] = true
		}
	}
	for line := range strings.Lines(text.String()) {
		if !want[line] && strings.HasPrefix(line, "<http://example.org/d") {
			fail("a triple is there that should not be: %s", line)
		}
		delete(want, line)
	}
	if len(want) > 0 {
		fail("%d triples are missing, one is %s", len(want), slices.Min(slices.Collect(maps.Keys(want))))
	}
}

// checkDecisions repeats requests and decisions and compares the answers.
func (l *ledger) checkDecisions(s *persist.Store, entries []journal.Entry, fail func(string, ...any)) {
	ctx := l.t.Context()
	r, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
	if err != nil {
		fail("%v", err)
		return
	}
	seen := l.seen
	if clears := len(slices.DeleteFunc(slices.Clone(entries), func(e journal.Entry) bool { return e.Action != journal.Clear })); clears < l.forgotten {
		seen = l.earlier // contexts were not removed
	}
	for body, uri := range seen {
		o, err := resolver.ReadObservation([]byte(body))
		if err != nil {
			l.t.Fatal(err)
		}
		got, err := r.Resolve(ctx, o, "robot")
		if err != nil {
			fail("%v", err)
			return
		}
		now, err := r.Context(ctx, uri, 0, 0)
		if err != nil {
			fail("context %s was answered: %v", uri, err)
			return
		}
		if !got.Duplicate || got.SharedContextURI != now.Context.URI {
			fail("an observation was of %s, which is %s, and now is of %s\n%s", uri, now.Context.URI, got.SharedContextURI, body)
		}
		l.decisions++
	}
	for id, act := range l.decided {
		var v *resolver.Verdict
		if act == "accept" {
			v, err = r.Accept(ctx, id, "", false, journal.Entry{Actor: "person"})
		} else {
			v, err = r.Reject(ctx, id, journal.Entry{Actor: "person"})
		}
		if err != nil || !v.AlreadyDecided {
			fail("the decision of case %s, %s, is lost: %v, %v", id, act, v, err)
		}
		l.decisions++
	}
}

// checkBackups checks that acknowledged backups exist, and that every backup with a final
// name is valid.
func (l *ledger) checkBackups(dir string, image powercut.Image, fail func(string, ...any)) {
	there := map[string]bool{}
	for name := range image {
		if base := filepath.Base(name); !strings.HasPrefix(base, "segraph-") || !strings.HasSuffix(base, ".db") {
			continue
		}
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			l.t.Fatal(err)
		}
		digest := sha256.Sum256(b)
		sum := hex.EncodeToString(digest[:])
		if there[sum] = true; l.good[sum] {
			continue
		}
		if _, err := persist.CheckFile(l.t.Context(), path); err != nil {
			fail("backup %s: %v", name, err)
		}
		l.good[sum] = true
	}
	for sum := range l.backups {
		if l.restored++; !there[sum] {
			fail("the backup with the digest %s was acknowledged and is lost", sum)
		}
	}
}

func (l *ledger) summary() string {
	return fmt.Sprintf("%d before the file was there, %d with documents that were not acknowledged yet; %d with a meta page of noise; looked for %d decisions, %d backups and %d ETags",
		l.absent, l.newer, l.doubtful, l.decisions, l.restored, l.etags)
}

// enough fails if too few cases occurred for a meaningful test.
func (l *ledger) enough() {
	if l.newer < l.images/100 || l.decisions < l.images || l.restored < l.images/4 || l.etags < l.images/100 || len(l.good) < 3 {
		l.t.Errorf("too few for a test: %s", l.summary())
	}
}
