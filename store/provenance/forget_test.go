package provenance_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
)

// forgetting makes her triples his, or takes them out if to is 0.
func forgetting(t *testing.T, s opened, to dict.ID) (f *provenance.Forgetting) {
	t.Helper()
	if err := s.View(func(snap *engine.Snapshot) (err error) {
		her, _, err := snap.ID(rdf.NewIRI("urn:her"))
		if err != nil {
			return err
		}
		gone := map[index.Tuple]index.Tuple{}
		scan := snap.Match(her, 0, 0, 0)
		for batch := scan.Next(); batch != nil; batch = scan.Next() {
			for _, x := range batch {
				_, pred, obj := scan.Order.Triple(x)
				becomes := index.Tuple{}
				if to != 0 {
					becomes = index.Tuple{uint64(to), uint64(pred), uint64(obj)}
				}
				gone[index.Tuple{uint64(her), uint64(pred), uint64(obj)}] = becomes
			}
		}
		f, err = s.Forgetting(t.Context(), snap.KV(), 0, gone, func(x index.Tuple) bool { return x[0] == uint64(her) })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return f
}

// forget does the unit of work.
func forget(ctx context.Context, s opened, f *provenance.Forgetting) error {
	return s.Update(ctx, func(tx *engine.Tx) error { _, err := f.Forget(tx); return err })
}

// Each unit of work leaves lists that account for the graph, whatever logs say meanwhile, so each log can be withdrawn, and
// another one can follow. Pieces that others share stay.
func TestForgetLeavesListsThatAccountForTheGraph(t *testing.T) {
	t.Parallel()
	for _, becomes := range []string{"", "urn:him"} {
		for units := range 6 {
			s := openStore(t)
			var ids []string
			him := "<urn:him> <urn:n> 1, 4 .\n"
			for i, with := range []string{"", "<urn:her> <urn:n> 1 .\n", him, "<urn:her> <urn:n> 1, 2 . <urn:him> <urn:n> 2 .\n", "<urn:her> <urn:n> 1, 2, 4 .\n"} {
				for group := range 2 + i%2*2 { // a list that becomes short shares a piece
					var lines strings.Builder
					for i := range 70 - min(len(with), 6) {
						fmt.Fprintf(&lines, "<urn:a%d> <urn:n> %d .\n", group*100+i, i)
					}
					ids = append(ids, publish(t, s, lines.String()+with))
				}
			}
			var to dict.ID
			if becomes != "" {
				if err := s.View(func(snap *engine.Snapshot) (err error) {
					to, _, err = snap.ID(rdf.NewIRI(becomes))
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range units {
				f := forgetting(t, s, to)
				ids = append(ids, publish(t, s, fmt.Sprintf("<urn:her> <urn:n> %d . <urn:him> <urn:n> %d, 2 . <urn:b> <urn:n> %[1]d .", 2+i%2, 10+i)))
				if err := forget(t.Context(), s, f); err != nil {
					t.Fatal(err)
				}
				mustCheck(t, s)
			}
			if err := forget(t.Context(), s, forgetting(t, s, to)); err != nil {
				t.Fatal(err)
			}
			if f := forgetting(t, s, to); len(f.Gone) != 0 {
				t.Fatalf("%d triples are left", len(f.Gone))
			}
			for _, line := range allQuads(t, s) {
				if strings.Contains(line, "urn:her") {
					t.Errorf("after %d units it still has %s", units, line)
				}
			}
			for _, id := range ids {
				if _, err := s.Withdraw(t.Context(), id, entryOf(journal.Withdraw)); err != nil {
					t.Errorf("to %q, after %d units: %v", becomes, units, err)
				}
				mustCheck(t, s)
			}
			if all := allQuads(t, s); len(all) != 0 {
				t.Errorf("it still has %v", all)
			}
		}
	}
}

// What another erasure changed is not what was looked at.
func TestForgetBeginsAgainAfterAnotherErasure(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	publish(t, s, "<urn:her> <urn:n> 1 .")
	f := forgetting(t, s, 0)
	if err := s.Update(t.Context(), func(tx *engine.Tx) error { return tx.Journal(entryOf(journal.Erasure)) }); err != nil {
		t.Fatal(err)
	}
	if err := forget(t.Context(), s, f); !errors.Is(err, provenance.ErrAgain) {
		t.Error(err)
	}
}
