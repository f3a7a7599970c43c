package provenance_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// TestWithdrawingManyLogsLeavesWhatOthersHold publishes random logs over few triples, withdraws
// several at once, while others are published, and compares the graph and the counts with a
// model.
func TestWithdrawingManyLogsLeavesWhatOthersHold(t *testing.T) {
	dir, round := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		s, err := open(filepath.Join(dir, fmt.Sprint(round)))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		if rapid.Bool().Draw(r, "lookup") {
			s.LookUp(rapid.SampledFrom([]int64{1 << 20, 1 << 20, 50_000}).Draw(r, "room")) // some become too large
		}
		var mu sync.Mutex
		logs := map[string][]string{}
		put := func(first, count int) {
			var lines []string
			for i := first; i < first+count; i++ {
				lines = append(lines, fmt.Sprintf("<http://ex/%d> <http://ex/n> \"%d\" .\n", i, i))
			}
			id := publish(t, s, strings.Join(lines, ""))
			mu.Lock()
			logs[id] = lines
			mu.Unlock()
		}
		for range rapid.IntRange(1, 4).Draw(r, "rounds") {
			for range rapid.IntRange(1, 10).Draw(r, "logs") {
				put(rapid.IntRange(0, 200).Draw(r, "first"), rapid.SampledFrom([]int{1, 5, 64, 65, 150, 400}).Draw(r, "count"))
			}
			ids := slices.Sorted(maps.Keys(logs))
			ids = ids[:rapid.IntRange(0, len(ids)).Draw(r, "withdrawn")]
			removed, stayed, want := 0, 0, 0
			for _, id := range ids {
				want += len(logs[id])
			}
			var beside sync.WaitGroup
			first := rapid.IntRange(0, 200).Draw(r, "beside")
			beside.Go(func() {
				for i := range 5 {
					put(first+i, 100)
				}
			})
			err := s.WithdrawAll(t.Context(), append(ids, "no such log"), provenance.Withdrawal{
				Unit: rapid.IntRange(1, 5).Draw(r, "unit"),
				Enter: func(tx *engine.Tx, gone []provenance.Gone) error {
					return tx.Journal(entryOf(journal.Withdraw))
				},
				Done: func(gone []provenance.Gone) {
					for _, g := range gone {
						removed, stayed = removed+g.Removed, stayed+g.Stayed
					}
				},
				Refused: func(id string, err error) error {
					if id != "no such log" || !errors.Is(err, store.ErrNoLog) {
						r.Errorf("%s was refused: %v", id, err)
					}
					return nil
				},
			})
			beside.Wait()
			if err != nil || removed+stayed != want {
				r.Fatalf("%v: %d triples removed and %d stay, of %d", err, removed, stayed, want)
			}
			for _, id := range ids {
				delete(logs, id)
			}
			var all []string
			for _, lines := range logs {
				all = append(all, lines...)
			}
			slices.Sort(all)
			if got := allQuads(t, s); !slices.Equal(got, slices.Compact(all)) {
				r.Fatalf("there are %d triples, want %d", len(got), len(all))
			}
		}
		if err := s.Check(t.Context()); err != nil {
			r.Fatal(err)
		}
		for id, lines := range logs { // each can still be withdrawn alone: their counts are right
			if gone, err := s.Withdraw(t.Context(), id, entryOf(journal.Withdraw)); err != nil || gone.Removed+gone.Stayed != len(lines) {
				r.Fatalf("%+v, %v, want %d", gone, err, len(lines))
			}
		}
		if got := allQuads(t, s); len(got) != 0 {
			r.Fatalf("%d triples are left", len(got))
		}
	})
}

// BenchmarkWithdrawOneByOne withdraws one log after the other from a file with 23,000. Each has 44 triples; many others have
// two of these, too.
func BenchmarkWithdrawOneByOne(b *testing.B) {
	s := openStore(b)
	s.LookUp(1 << 30)
	ids := make([]string, 23_000)
	var many sync.WaitGroup
	for first := range 32 {
		many.Go(func() {
			for n := first; n < len(ids); n += 32 {
				var text strings.Builder
				fmt.Fprintf(&text, "<urn:robot%d> a <urn:Robot> ; <urn:name> \"robot %d\" .", n%7, n%7)
				for i := range 14 {
					fmt.Fprintf(&text, "<urn:a%d/%d> a <urn:Activity> ; <urn:by> <urn:robot%d> ; <urn:text> \"sentence %d of %d\" .\n", n, i, n%7, i, n)
				}
				ids[n] = publish(b, s, text.String())
			}
		})
	}
	many.Wait()
	for b.Loop() {
		id := ids[0]
		ids = ids[1:]
		if got, err := s.Withdraw(b.Context(), id, entryOf(journal.Withdraw)); err != nil || got.Stayed != 2 && len(ids) > 7 {
			b.Fatalf("%+v, %v", got, err)
		}
	}
}

// A preview says what a withdrawal removes, and a graph that is cleared meanwhile refuses it.
func TestAPreviewOfAWithdrawal(t *testing.T) {
	s := openStore(t)
	ids := []string{publish(t, s, `<urn:a> <urn:n> 1, 2 .`), publish(t, s, `<urn:a> <urn:n> 2, 3 .`), publish(t, s, `<urn:a> <urn:n> 3 .`)}
	if got, err := s.Preview(t.Context(), ids[:2]); err != nil || got.Removed != 2 || got.Stayed != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := allQuads(t, s); len(got) != 3 {
		t.Errorf("a preview changed the graph: %q", got)
	}
	cleared, refused := false, 0
	err := s.WithdrawAll(t.Context(), ids, provenance.Withdrawal{
		Unit:  1,
		Enter: func(tx *engine.Tx, _ []provenance.Gone) error { return tx.Journal(entryOf(journal.Withdraw)) },
		Done: func([]provenance.Gone) {
			if !cleared {
				cleared = true
				if _, err := s.Clear(t.Context(), false, entryOf(journal.Clear)); err != nil {
					t.Error(err)
				}
			}
		},
		Refused: func(_ string, err error) error {
			if refused++; !errors.Is(err, store.ErrNotKept) {
				t.Error(err)
			}
			return nil
		},
	})
	if err != nil || !cleared || len(allQuads(t, s)) != 0 {
		t.Errorf("%v, %d refused", err, refused)
	}
	mustCheck(t, s)
}

func TestLogsAreSelectedByUserTimeAndContent(t *testing.T) {
	s := openStore(t)
	begin := time.Now().UTC()
	var ids []string
	for i, text := range []string{
		`<urn:1> a <urn:K> ; <urn:by> <urn:ari> .`, `<urn:2> a <urn:K> .`, `<urn:3> <urn:byToo> <urn:ari> . <urn:g> { <urn:4> a <urn:K> }`, `<urn:5> <urn:by> <urn:tiago> .`,
	} {
		e := entryOf(journal.Insert)
		e.Actor, e.Time = []string{"ari", "eva"}[i%2], begin.Add(time.Duration(i)*time.Hour)
		if _, err := s.Load(t.Context(), strings.NewReader(text), turtle.TriG, turtle.Options{}, e, nil); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.LogID)
	}
	iri := rdf.NewIRI
	for name, x := range map[string]struct {
		by   store.Selection
		want []int
	}{
		"all":                {store.Selection{}, []int{0, 1, 2, 3}},
		"a user":             {store.Selection{User: "eva"}, []int{1, 3}},
		"a time":             {store.Selection{Since: begin.Add(time.Hour), Until: begin.Add(3 * time.Hour)}, []int{1, 2}},
		"a robot":            {store.Selection{Robot: iri("urn:ari")}, []int{0, 2}},
		"a kind":             {store.Selection{Kind: iri("urn:K")}, []int{0, 1, 2}},
		"a robot and a kind": {store.Selection{Robot: iri("urn:ari"), Kind: iri("urn:K"), User: "ari"}, []int{0, 2}},
		"subjects":           {store.Selection{About: []rdf.Term{iri("urn:4"), iri("urn:5"), iri("urn:none")}}, []int{2, 3}},
		"an unknown subject": {store.Selection{About: []rdf.Term{iri("urn:none")}}, nil},
		"an unknown robot":   {store.Selection{Robot: iri("urn:none")}, nil},
		"no subjects":        {store.Selection{About: []rdf.Term{}}, nil},
	} {
		got, err := s.Select(t.Context(), x.by, 10)
		var at []int
		for _, e := range got {
			at = append(at, slices.Index(ids, e.LogID))
		}
		if err != nil || !slices.Equal(at, x.want) {
			t.Errorf("%s: %v, %v, want %v", name, at, err, x.want)
		}
	}
	first, err := s.Select(t.Context(), store.Selection{}, 2)
	if err != nil || len(first) != 2 {
		t.Fatalf("%v, %v", first, err)
	}
	if rest, err := s.Select(t.Context(), store.Selection{After: first[1].Seq}, 9); err != nil || len(rest) != 2 || rest[0].LogID != ids[2] {
		t.Errorf("%v, %v", rest, err)
	}
}

// A log from when a clock was ahead, or not set, hides no other log.
func TestAWrongClockHidesNoOtherLog(t *testing.T) {
	s := openStore(t)
	now := time.Now().UTC()
	var ids []string
	for i, at := range []time.Time{now.Add(-9 * time.Hour), now.AddDate(1, 0, 0), now.Add(-8 * time.Hour), time.Unix(9, 0), time.Unix(0, 0), now.Add(-7 * time.Hour), now} {
		e := entryOf(journal.Insert)
		e.Time = at
		if _, err := s.Add(t.Context(), document(t, turtle.Turtle, fmt.Sprintf("<urn:s> <urn:p> %d .", i)), e); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.LogID)
	}
	of := func(all []journal.Numbered, err error) (at []int) {
		if err != nil {
			t.Error(err)
		}
		for _, e := range all {
			at = append(at, slices.Index(ids, e.LogID))
		}
		return at
	}
	for want, by := range map[string]store.Selection{
		"[2 5]": {Since: now.Add(-8 * time.Hour), Until: now.Add(-time.Hour)}, "[0]": {Since: now.Add(-10 * time.Hour), Until: now.Add(-9 * time.Hour).Add(1)}, "[6]": {Since: now, Until: now.Add(time.Hour)},
	} {
		if got := fmt.Sprint(of(s.Select(t.Context(), by, 9))); got != want {
			t.Errorf("%+v selects %s, want %s", by, got, want)
		}
	}
	var old []int
	for _, x := range expired(t, s, store.Expiry{Now: now, Rules: []store.ExpiryRule{{Before: now.Add(-time.Hour)}}}, 9) {
		old = append(old, slices.Index(ids, x.LogID))
	}
	if !slices.Equal(old, []int{0, 2, 5}) {
		t.Errorf("too old are %v", old)
	}
}

// expired returns all logs that are too old, found limit at a time.
func expired(t *testing.T, s opened, x store.Expiry, limit int) (all []store.Expired) {
	t.Helper()
	for search := s.Expired(x); ; {
		found, err := search.Next(t.Context(), limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 {
			return all
		}
		all = append(all, found...)
	}
}

// A log in parts is too old as a whole, also if nothing is left of its first part, or that never arrived, and however many others
// are too old.
func TestALogWithoutItsFirstPartExpires(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	now := time.Now().UTC()
	for _, texts := range [][]string{{"", "<urn:s> <urn:p> 1 ."}, {"<urn:s> <urn:p> 2 .", "<urn:s> <urn:p> 3 ."}, {"<urn:s> <urn:q> 1 ."}, {"<urn:s> <urn:q> 2 ."}, {"<urn:s> <urn:q> 3 ."}} {
		e := entryOf(journal.Insert)
		e.Time = now.Add(-9 * time.Hour)
		for i, text := range texts {
			if e.Part = 0; len(texts) > 1 {
				e.Part = i + 1
			}
			d := document(t, turtle.Turtle, text)
			if err := s.Update(t.Context(), func(tx *engine.Tx) error { return tx.AddPart(d, &e, e.LogID) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	x := store.Expiry{Now: now, Rules: []store.ExpiryRule{{Before: now.Add(-time.Hour)}}}
	for limit := 1; limit < 9; limit++ {
		var got []uint64
		for _, l := range expired(t, s, x, limit) {
			got = append(got, l.Seq)
		}
		if slices.Sort(got); fmt.Sprint(got) != "[2 3 5 6 7]" {
			t.Errorf("%d at a time: %v", limit, got)
		}
	}
}

// TestALogInPartsIsWithdrawn loads a file that is stored as two parts, each with an entry.
func TestALogInPartsIsWithdrawn(t *testing.T) {
	suite.NotShort(t)
	s := openStore(t)
	const n = 250_002 // a part has 250,000
	var text strings.Builder
	text.WriteString("<urn:a> <urn:n> 0")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&text, ",%d", i)
	}
	e := entryOf(journal.Insert)
	if _, err := s.Load(t.Context(), strings.NewReader(text.String()+" ."), turtle.Turtle, turtle.Options{}, e, nil); err != nil {
		t.Fatal(err)
	}
	other := publish(t, s, `<urn:a> <urn:n> 3, 250001 .`)
	if gone, err := s.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); err != nil || gone.Removed != n-2 || gone.Stayed != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	if _, err := s.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); !errors.Is(err, store.ErrNotKept) {
		t.Errorf("a second time: %v", err)
	}
	if gone, err := s.Withdraw(t.Context(), other, entryOf(journal.Withdraw)); err != nil || gone.Removed != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	mustCheck(t, s)
}

// An erasure asks for the times of logs that it found earlier. Some may be gone by then.
func TestAWithdrawnLogHasNoTimes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	e := entryOf(journal.Insert).Complete()
	e.Triples = 1
	for e.Part = 1; e.Part <= 2; e.Part++ {
		if _, err := s.Add(t.Context(), document(t, turtle.Turtle, fmt.Sprintf("<urn:a> <urn:n> %d .", e.Part)), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{1, 0} {
		calls := 0
		err := s.Times(t.Context(), map[uint64]int{1: 1, 2: 1}, nil, nil, func(x journal.Numbered, first, _ time.Time, _ func(int) bool) error {
			if calls++; x.LogID != e.LogID || first.IsZero() {
				t.Errorf("the log %q is of %v", x.LogID, first)
			}
			return nil
		})
		if err != nil || calls != want {
			t.Errorf("%d calls, %v, want %d", calls, err, want)
		}
		if want > 0 {
			if _, err := s.Withdraw(t.Context(), e.LogID, entryOf(journal.Withdraw)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// publishing stores logs beside a test until end is called. It returns once the first is stored.
func publishing(t *testing.T, s opened) (end func()) {
	t.Helper()
	stop, begun := make(chan struct{}), make(chan struct{}, 1)
	var beside sync.WaitGroup
	beside.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				publish(t, s, fmt.Sprintf("<http://ex/beside> <http://ex/n> \"%d\" .\n", i))
			}
			select {
			case begun <- struct{}{}:
			default:
			}
		}
	})
	<-begun
	return func() {
		close(stop)
		beside.Wait()
	}
}

// A patient withdrawal rests while others write, and goes on at once when another withdrawal waits for it.
func TestAPatientWithdrawalRestsUntilItIsNeeded(t *testing.T) {
	s, err := open(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	took := func(ctx context.Context, end time.Time, needed bool) time.Duration {
		var ids []string
		for i := range 16 {
			ids = append(ids, publish(t, s, fmt.Sprintf("<http://ex/%d> <http://ex/n> \"%v\" .\n", i, needed)))
		}
		var beside sync.WaitGroup
		var once sync.Once
		defer beside.Wait()
		defer publishing(t, s)()
		enter := func(tx *engine.Tx, _ []provenance.Gone) error { return tx.Journal(entryOf(journal.Withdraw)) }
		if needed {
			enter = func(tx *engine.Tx, _ []provenance.Gone) error {
				once.Do(func() {
					beside.Go(func() {
						if err := s.Alone(t.Context(), func() error { return nil }); err != nil {
							t.Error(err)
						}
					})
				})
				return tx.Journal(entryOf(journal.Withdraw))
			}
		}
		begin := time.Now()
		if err := s.WithdrawAll(ctx, ids, provenance.Withdrawal{Unit: 1, Patient: &provenance.Patience{End: end, Left: len(ids)}, Enter: enter}); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		return time.Since(begin)
	}
	far := time.Now().Add(time.Hour)
	hurried := took(t.Context(), far, true)
	ctx, cancel := context.WithTimeout(t.Context(), 2*hurried)
	defer cancel()
	if rested := took(ctx, far, false); ctx.Err() == nil {
		t.Errorf("it took %v while others wrote, and %v while another waited for it; want at least twice as long", rested, hurried)
	}
}

// A patient withdrawal rests less if it would not end in time.
func TestAPatientWithdrawalEndsInTime(t *testing.T) {
	for _, x := range []struct{ left, went, parts int }{{100, 1, 101}, {100, 20, 6}, {0, 20, 1}, {-9, 1, 1}} { // a part for each rest that follows
		p := provenance.Patience{End: time.Now().Add(time.Hour), Left: x.left}
		if most := p.Most(x.went) * time.Duration(x.parts); most > time.Hour || most < 59*time.Minute {
			t.Errorf("with %d left it rests %v after %d", x.left, p.Most(x.went), x.went)
		}
	}
	s := openStore(t)
	var ids []string
	for i := range 100 {
		ids = append(ids, publish(t, s, fmt.Sprintf("<http://ex/%d> <http://ex/n> 1 .\n", i)))
	}
	defer publishing(t, s)()
	p := &provenance.Patience{End: time.Now(), Left: len(ids)}
	err := s.WithdrawAll(t.Context(), ids, provenance.Withdrawal{Unit: 1, Patient: p, Enter: func(tx *engine.Tx, _ []provenance.Gone) error { return tx.Journal(entryOf(journal.Withdraw)) }})
	if err != nil || p.Left != 0 {
		t.Errorf("%d are left, %v", p.Left, err)
	}
}

// Withdrawing as many logs as retention finds at once takes little memory on a small machine.
func TestWithdrawingManyLogsTakesLittleMemory(t *testing.T) {
	s := openStore(t) // as a machine of 64 MiB has it
	var beside sync.WaitGroup
	for first := range 16 {
		beside.Go(func() {
			for n := first; n < 4000; n += 16 {
				var text strings.Builder
				for i := range 30 {
					fmt.Fprintf(&text, "<urn:a%d> <urn:n> %d .\n", n, i)
				}
				publish(t, s, text.String())
			}
		})
	}
	beside.Wait()
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // also what finalizers held
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	found, err := s.Expired(store.Expiry{Rules: []store.ExpiryRule{{Before: time.Now().Add(time.Hour)}}}).Next(t.Context(), 4000)
	if err != nil || len(found) != 4000 {
		t.Fatalf("%d, %v", len(found), err)
	}
	ids := make([]string, len(found))
	for i, l := range found {
		ids[i] = l.LogID
	}
	enough := errors.New("enough")
	err = s.WithdrawAll(t.Context(), ids, provenance.Withdrawal{Enter: func(*engine.Tx, []provenance.Gone) error {
		if took := live() - before; took > 4<<20 {
			t.Errorf("it takes %d KiB", took>>10)
		}
		return enough
	}})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
	runtime.KeepAlive(found)
}
