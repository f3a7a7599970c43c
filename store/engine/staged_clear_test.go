package engine

import (
	"errors"
	"testing"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// The published graph is deleted while a large document is being stored, and other logs
// are published before the tidier runs. The pieces of the document were deleted with the
// graph, and their numbers now belong to other logs.
func TestADocumentAbandonedAfterADeletionRemovesNothingOfOthers(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	keepUntidy(t, s)
	d := s.newStaged(t.Context(), &store.Text{Content: []byte(mixedText(5, 5000))})
	if err := errors.Join(d.number(), d.begin(), d.compare()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Clear(t.Context(), false, journal.Entry{Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	id := publish(t, s, large(0, 2000))
	want, err := provenanceOf(s).Log(t.Context(), id, 0)
	if err != nil || !want.Kept {
		t.Fatalf("%+v, %v", want, err)
	}
	d.giveUp()
	tidyAgainNow(t, s)
	mustCheck(t, s)
	if got, err := provenanceOf(s).Log(t.Context(), id, 0); err != nil || got.Total != want.Total {
		t.Errorf("the other log has %d triples of %d, %v", got.Total, want.Total, err)
	}
}
