package cli

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// A file created without a journal can be read, checked and compacted. Commands that
// would write to it without an entry name the alternative.
func TestAFileWithoutAJournalIsReadAndNotWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	s, err := engine.Open("segraph.db", engine.Options{NoJournal: true})
	if err != nil {
		t.Fatal(err)
	}
	quad := rdf.Quad{S: rdf.NewIRI("http://example.org/s"), P: rdf.NewIRI("http://example.org/p"), O: rdf.NewString("o")}
	if _, err := s.Writer(journal.Entry{}).Add(t.Context(), quad); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check"}, {"compact"}, {"audit", "verify"}} {
		if got := segraph("", nil, args...); got.code != 0 {
			t.Errorf("%s: %+v", args, got)
		}
	}
	dump := segraph("", nil, "dump", "--format", "ntriples")
	if dump.code != 0 || !strings.Contains(dump.stdout, quad.O.String()) {
		t.Errorf("%+v", dump)
	}
	for _, args := range [][]string{{"load", "-", "--format", "ntriples"}, {"serve"}} {
		if got := segraph(dump.stdout, nil, args...); got.code == 0 || !strings.Contains(got.stderr, "load a dump of it into a new file") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
