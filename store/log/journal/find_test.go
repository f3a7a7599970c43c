package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/store/engine/kv"
)

func view(t *testing.T, db *bolt.DB, do func(kv.Reader) error) {
	t.Helper()
	if err := read(db, do); err != nil {
		t.Fatal(err)
	}
}

func seqs(es []Numbered) (out []uint64) {
	for _, e := range es {
		out = append(out, e.Seq)
	}
	return out
}

func TestALogIsFoundByItsID(t *testing.T) {
	db := open(t)
	var es []Entry
	for i := range 30 {
		es = append(es, Entry{LogID: NewLogID(), Actor: fmt.Sprint(i)})
	}
	es[7].LogID = "no uuid"
	es[20].LogID, es[21].LogID = es[19].LogID, es[19].LogID // parts
	appendAll(t, db, es)
	view(t, db, func(tx kv.Reader) error {
		for i, e := range es {
			want := []uint64{uint64(i + 1)}
			if i >= 19 && i <= 21 {
				want = []uint64{20, 21, 22}
			}
			got, err := Find(tx, e.LogID, 100)
			if err != nil || !slices.Equal(seqs(got), want) {
				t.Errorf("entry %d is found at %v, %v", i+1, seqs(got), err)
			}
		}
		if got, err := Find(tx, es[19].LogID, 2); len(got) != 2 || err != nil {
			t.Errorf("two of three parts: %v, %v", seqs(got), err)
		}
		if got, err := Find(tx, NewLogID(), 2); got != nil || err != nil {
			t.Errorf("a log that is not there: %v, %v", seqs(got), err)
		}
		return CheckIDs(tx)
	})
}

func TestTheIndexOfLogsIsChecked(t *testing.T) {
	for name, harm := range map[string]func(b *bolt.Bucket) error{
		"an id lost":         func(b *bolt.Bucket) error { k, _ := b.Cursor().First(); return b.Delete(k) },
		"an id of no entry":  func(b *bolt.Bucket) error { return b.Put(append(idOf("x"), seqKey(99)...), nil) },
		"an id of another's": func(b *bolt.Bucket) error { return b.Put(append(idOf("x"), seqKey(2)...), nil) },
		"a short key":        func(b *bolt.Bucket) error { return b.Put([]byte("x"), nil) },
	} {
		db := open(t)
		appendAll(t, db, entries(5))
		if err := db.Update(func(tx *bolt.Tx) error { return harm(tx.Bucket([]byte(idsName))) }); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if err := read(db, CheckIDs); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPagesOfTheJournalAreFilteredAndNewestFirst(t *testing.T) {
	db := open(t)
	es := entries(30)
	for i := range es {
		es[i].Actor = []string{"ari", "tiago"}[i%2]
		es[i].Claimed = []string{"x", "y", "z"}[i%3]
	}
	es[10].Action = Clear
	appendAll(t, db, es)
	at := func(i int) time.Time { return es[i].Time }
	for name, tt := range map[string]struct {
		f    Filter
		want []uint64
		next uint64
	}{
		"the newest":        {Filter{Limit: 3}, []uint64{30, 29, 28}, 28},
		"the page after":    {Filter{Limit: 3, Before: 28}, []uint64{27, 26, 25}, 25},
		"the last page":     {Filter{Limit: 3, Before: 3}, []uint64{2, 1}, 0},
		"exactly the end":   {Filter{Limit: 2, Before: 3}, []uint64{2, 1}, 0},
		"before all":        {Filter{Limit: 3, Before: 1}, nil, 0},
		"before what comes": {Filter{Limit: 1, Before: 99}, []uint64{30}, 30},
		"an actor":          {Filter{Limit: 2, Actor: "ari"}, []uint64{29, 27}, 27},
		"a claimed user":    {Filter{Limit: 2, Claimed: "z"}, []uint64{30, 27}, 27},
		"an action":         {Filter{Limit: 5, Action: Clear}, []uint64{11}, 0},
		"any of actions":    {Filter{Limit: 5, Any: []Action{Erasure, Clear}}, []uint64{11}, 0},
		"a time":            {Filter{Limit: 9, Since: at(3), Until: at(5)}, []uint64{5, 4}, 0},
		"a bounded look":    {Filter{Limit: 5, Action: Clear, Look: 10}, nil, 21},
		"a look that finds": {Filter{Limit: 5, Action: Clear, Look: 10, Before: 21}, []uint64{11}, 11},
	} {
		if tt.f.Look == 0 {
			tt.f.Look = 1000
		}
		view(t, db, func(tx kv.Reader) error {
			p, err := List(t.Context(), tx, tt.f)
			if !slices.Equal(seqs(p.Entries), tt.want) || p.Next != tt.next {
				t.Errorf("%s: %v, next %d; want %v, next %d", name, seqs(p.Entries), p.Next, tt.want, tt.next)
			}
			return err
		})
	}
}

func TestLogsAreFoundByTheBeginningOfTheirID(t *testing.T) {
	db := open(t)
	es := entries(6)
	for i, id := range []string{"019a2b3c-0000-7000-8000-000000000001", "019a2b3c-ffff-7000-8000-000000000002", "019a2b3d-0000-7000-8000-000000000003", "not a UUID", "019a2b3d-0000-7000-8000-000000000005", "ffffffff-ffff-7000-8000-000000000006"} {
		es[i].LogID = id
	}
	es[4].Action = Resolve
	appendAll(t, db, es)
	for begins, want := range map[string][]uint64{
		"019": {3, 2, 1}, "019a2b3c": {2, 1}, "019a2b3c-f": {2}, "019a2b3d-0000-7000-8000-000000000003": {3}, "f": {6}, "ff": {6}, "018": nil, "02": nil, "not": nil,
		strings.Repeat("f", 99): nil, "019a2b3cffff": nil,
	} {
		view(t, db, func(tx kv.Reader) error {
			p, err := List(t.Context(), tx, Filter{Begins: begins, Limit: 5, Look: 100})
			if !slices.Equal(seqs(p.Entries), want) {
				t.Errorf("%s: %v, want %v", begins, seqs(p.Entries), want)
			}
			return err
		})
	}
	view(t, db, func(tx kv.Reader) error {
		p, err := List(t.Context(), tx, Filter{Begins: "019", Limit: 2, Look: 100})
		if !slices.Equal(seqs(p.Entries), []uint64{3, 2}) {
			t.Errorf("the newest two: %v", seqs(p.Entries))
		}
		return err
	})
}

func TestAHeadTellsWhetherTheEndWasCutOff(t *testing.T) {
	db := open(t)
	es := entries(9)
	appendAll(t, db, es[:5])
	var noted Head
	view(t, db, func(tx kv.Reader) error { noted = HeadOf(tx); return nil })
	appendAllFrom(t, db, es, 5)
	held := func() (ok bool) {
		view(t, db, func(tx kv.Reader) error {
			return Verify(tx, func(h Head, _ []byte) error { ok = ok || h == noted; return nil })
		})
		return ok
	}
	if noted.Seq != 5 || !held() {
		t.Errorf("the head %d of before is not held", noted.Seq)
	}
	err := db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(bucketName))
		for seq := uint64(5); seq <= 9; seq++ {
			if err := b.Delete(seqKey(seq)); err != nil {
				return err
			}
		}
		_, err := Append(kv.OnBolt(tx), Entry{LogID: "forged"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if held() {
		t.Error("the end was replaced, and the head of before is held")
	}
}

// BenchmarkVerify reads a chain of 1 M entries as audits do. Goal: within 10 s.
func BenchmarkVerify(b *testing.B) {
	db, err := bolt.Open(b.TempDir()+"/x.db", 0o600, &bolt.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	const million = 1_000_000
	for done := 0; done < million; {
		err := db.Update(func(tx *bolt.Tx) error {
			for range 10_000 {
				e := Entry{LogID: NewLogID(), Action: Insert, Time: time.Now().UTC(), Actor: "robot-17", Claimed: "ari", Address: "192.0.2.17",
					RequestID: NewLogID(), Triples: 14, Added: 12, SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
				if _, err := Append(kv.OnBolt(tx), e); err != nil {
					return err
				}
				done++
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		n := 0
		err := db.View(func(tx *bolt.Tx) error { return Verify(kv.OnBolt(tx), func(Head, []byte) error { n++; return nil }) })
		if err != nil || n != million {
			b.Fatal(n, err)
		}
	}
}
