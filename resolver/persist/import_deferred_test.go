package persist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// A copy of a file with deferred decisions can be imported as completely as one of a
// closed file.
func TestACopyOfAFileAfterAKillIsComplete(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for decisions := 2; decisions < 14; decisions++ {
		s := openStore(t)
		g, r := resolved(t, s)
		publish(t, s, sample)
		hears(t, r, 0, decisions)
		when := fmt.Sprintf("after %d decisions", 2*decisions)
		path := leftBy(t, s)
		if _, err := CheckFile(t.Context(), path); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		was, remembered := allQuads(t, s), recordsOf(t, s.Contexts())
		if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
			t.Fatal(err)
		}
		if back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil || !back.Contexts {
			t.Errorf("%s: %+v, %v", when, back, err)
		}
		if got := allQuads(t, s); !slices.Equal(got, was) {
			t.Errorf("%s: %d quads came back of %d", when, len(got), len(was))
		}
		// Deleting everything rewrites the usual offsets of clocks.
		clock := func(line string) bool { return strings.HasPrefix(line, fmt.Sprintf("%x=", record.ScaleKey())) }
		if got := slices.DeleteFunc(recordsOf(t, s.Contexts()), clock); !slices.Equal(got, slices.DeleteFunc(remembered, clock)) {
			t.Errorf("%s: %d records came back of %d", when, len(got), len(remembered))
		}
		mustCheck(t, s)
	}
}

// What was learnt about clocks is kept, even if the backup has older values as deferred
// writes.
func TestLearntClocksAreNotReplacedByDeferredOnes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	put := func(key, value string) resolver.Record {
		return resolver.Record{Key: []byte(key), Value: []byte(value)}
	}
	deferred := []resolver.Change{{Records: []resolver.Record{put("clock", "before"), put("context", "before")}, Add: []rdf.Quad{inContexts("a", "b", "c")}}}
	if err := s.Contexts().Apply(t.Context(), deferred); err != nil {
		t.Fatal(err)
	}
	path := leftBy(t, s)
	if _, err := s.Contexts().Clear(t.Context(), resolver.Change{Clear: true, Records: []resolver.Record{put("clock", "since")}}, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	whole := func(from resolver.Store) (resolver.BackupFit, error) {
		if got, err := from.Get([]byte("context")); err != nil || string(got) != "before" {
			t.Errorf("the backup has %q, %v", got, err)
		}
		return resolver.BackupFit{Complete: true}, nil
	}
	if _, _, err := s.importBackup(t.Context(), path, entryOf(journal.Import), whole); err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("%x=%x", "clock", "since"), fmt.Sprintf("%x=%x", "context", "before")}
	if got := recordsOf(t, s.Contexts()); !slices.Equal(got, want) {
		t.Errorf("the records are %q, want %q", got, want)
	}
	if got := allQuads(t, s); len(got) != 1 {
		t.Errorf("the quads are %q", got)
	}
	mustCheckStore(t, s)
}
