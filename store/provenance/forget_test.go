package provenance_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
)

// What a snapshot told of the lists, with those that are newer, is what Forget needs: the lists of all logs that have a
// triple become shorter, and pieces that others share stay.
func TestForgetReadsWhatASnapshotToldAndWhatIsNewer(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	const hers = "<urn:her> <urn:n> 1 .\n"
	var ids []string
	for _, with := range []string{"", hers} {
		for group := range 10 { // in about four of them, a list that becomes short shares a piece
			var lines strings.Builder
			for i := range 70 - 6*len(with)/len(hers) {
				fmt.Fprintf(&lines, "<urn:a%d> <urn:n> %d .\n", group*100+i, i)
			}
			ids = append(ids, publish(t, s, lines.String()+with))
		}
	}
	var of *provenance.Listing
	gone := func(snap *engine.Snapshot) map[index.Tuple]index.Tuple {
		her, _, err := snap.ID(rdf.NewIRI("urn:her"))
		if err != nil {
			t.Fatal(err)
		}
		out := map[index.Tuple]index.Tuple{}
		scan := snap.Match(her, 0, 0, 0)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, x := range batch {
				sub, pred, obj := scan.Order.Triple(x)
				out[index.Tuple{uint64(sub), uint64(pred), uint64(obj)}] = index.Tuple{}
			}
		}
		return out
	}
	look := func() {
		t.Helper()
		if err := s.View(func(snap *engine.Snapshot) (err error) {
			of, err = s.Listing(snap.KV(), dict.ID(0), gone(snap), func(index.Tuple) bool { return false })
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	forget := func() (lost []int, err error) {
		err = s.Update(t.Context(), func(tx *engine.Tx) error {
			logs := map[uint64]int{}
			err := s.Forget(tx, 0, of, gone(tx.Snapshot()), func(seq uint64, n int) { logs[seq] += n })
			lost = slices.Sorted(maps.Values(logs))
			if err != nil {
				return err
			}
			return tx.Journal(entryOf(journal.Erasure))
		})
		return lost, err
	}
	look()
	ids = append(ids, publish(t, s, hers))
	if lost, err := forget(); err != nil || len(lost) != 11 || lost[10] != 1 {
		t.Errorf("%v, %v", lost, err)
	}
	mustCheck(t, s)
	publish(t, s, hers)
	if _, err := forget(); !errors.Is(err, provenance.ErrAgain) {
		t.Errorf("after another erasure: %v", err)
	}
	look()
	publish(t, s, "<urn:her> <urn:n> 2 .")
	if _, err := forget(); !errors.Is(err, provenance.ErrAgain) {
		t.Errorf("with a triple that the snapshot did not have: %v", err)
	}
	look()
	if lost, err := forget(); err != nil || len(lost) != 2 {
		t.Errorf("%v, %v", lost, err)
	}
	mustCheck(t, s)
	for _, id := range ids[:20] {
		if _, err := s.Withdraw(t.Context(), id, entryOf(journal.Withdraw)); err != nil {
			t.Error(err)
		}
	}
	if all := allQuads(t, s); len(all) != 0 {
		t.Errorf("it still has %v", all)
	}
	mustCheck(t, s)
}
