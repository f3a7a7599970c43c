package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/kv"
)

// private returns an entry with every erasable value.
func private() Entry {
	e := Entry{LogID: NewLogID(), Action: Insert, Actor: "ari", Address: "192.0.2.17", RequestID: "request-1", Triples: 1,
		SHA256: strings.Repeat("ab", 32), Secret: NewSecret(), Graph: "g", Canon: "rdfc-1.0"}
	e.Commitment = e.Secret.Content().Commit([]byte("text"))
	return e
}

func update(t *testing.T, db *bolt.DB, do func(kv.Writer) error) {
	t.Helper()
	if err := db.Update(func(tx *bolt.Tx) error { return do(kv.OnBolt(tx)) }); err != nil {
		t.Fatal(err)
	}
}

func got(t *testing.T, db *bolt.DB, seq uint64) (e Entry) {
	t.Helper()
	view(t, db, func(tx kv.Reader) (err error) { e, err = Get(tx, seq); return err })
	return e
}

// TestAnEntryHoldsOnlyHashesOfWhatMustBeErasable: the entry itself shows neither an
// address nor a hash that can be guessed. Readers see its erasable part until it is
// erased.
func TestAnEntryHoldsOnlyHashesOfWhatMustBeErasable(t *testing.T) {
	for name, erase := range map[string]func(kv.Writer) error{
		"one log":  func(tx kv.Writer) error { return Erase(tx, 1) },
		"all logs": func(tx kv.Writer) error { return EraseLogs(tx, []uint64{2, 9}) },
	} {
		db := open(t)
		want, decision := private().Complete(), Entry{Action: Accept, Actor: "eva", Address: "192.0.2.1", RequestID: "r2"}.Complete()
		appendAll(t, db, []Entry{want, decision})
		stored := func() (v []byte) {
			view(t, db, func(tx kv.Reader) error {
				return Stored(tx, 1, 1, func(b []byte) error { v = bytes.Clone(b); return nil })
			})
			return v
		}
		before := stored()
		for _, secret := range []string{want.Address, want.RequestID, want.SHA256, hex.EncodeToString(want.Secret[:])} {
			if bytes.Contains(before, []byte(secret)) {
				t.Errorf("%s: the entry shows %q: %s", name, secret, before[32:])
			}
		}
		if e := got(t, db, 1); e != want {
			t.Errorf("%s: got %+v, want %+v", name, e, want)
		}
		view(t, db, CheckClear)
		update(t, db, func(tx kv.Writer) error { return EraseLogs(tx, []uint64{1}) })
		if e := got(t, db, 1); e != want {
			t.Errorf("%s: a log that stays is %+v", name, e)
		}
		update(t, db, erase)
		e := got(t, db, 1)
		want.Address, want.RequestID, want.SHA256, want.Secret = "", "", "", Secret{}
		if e != want || !bytes.Equal(stored(), before) {
			t.Errorf("%s: erased, it is %+v, want %+v", name, e, want)
		}
		if e := got(t, db, 2); e.Address != decision.Address || e.RequestID != decision.RequestID {
			t.Errorf("%s: a decision was erased: %+v", name, e)
		}
		view(t, db, CheckClear)
	}
}

func TestErasedPartsOfALogAreRestoredFromABackup(t *testing.T) {
	db, old := open(t), open(t)
	e := private()
	appendAll(t, db, []Entry{e})
	view(t, db, func(from kv.Reader) error {
		update(t, old, func(tx kv.Writer) error { return errors.Join(RestoreErased(tx, from, 1), RestoreErased(tx, from, 2)) })
		return nil
	})
	update(t, db, func(tx kv.Writer) error { return EraseLogs(tx, nil) })
	view(t, old, func(from kv.Reader) error {
		update(t, db, func(tx kv.Writer) error { return RestoreErased(tx, from, 1) })
		return nil
	})
	if got := got(t, db, 1); got.Address != e.Address || got.Secret != e.Secret {
		t.Errorf("got %+v", got)
	}
}

func TestThePrivatePartOfAnEntryIsChecked(t *testing.T) {
	for name, harm := range map[string]func(b *bolt.Bucket) error{
		"changed": func(b *bolt.Bucket) error { v := bytes.Clone(b.Get(seqKey(1))); v[20] ^= 1; return b.Put(seqKey(1), v) },
		"sealed again": func(b *bolt.Bucket) error {
			v := bytes.Clone(b.Get(seqKey(1)))
			return b.Put(seqKey(1), kv.Seal(seqKey(1), bytes.Replace(v[:len(v)-4], []byte{192, 0, 2, 17}, []byte{192, 0, 2, 18}, 1)))
		},
		"too short":   func(b *bolt.Bucket) error { return b.Put(seqKey(1), kv.Seal(seqKey(1), []byte("x"))) },
		"of no entry": func(b *bolt.Bucket) error { return b.Put(seqKey(9), b.Get(seqKey(1))) },
		"no number":   func(b *bolt.Bucket) error { return b.Put([]byte("x"), b.Get(seqKey(1))) },
	} {
		db := open(t)
		appendAll(t, db, []Entry{private()})
		if err := db.Update(func(tx *bolt.Tx) error { return harm(tx.Bucket([]byte(clearLogsName))) }); err != nil {
			t.Fatal(err)
		}
		var damaged interface{ Damaged() string }
		if err := read(db, CheckClear); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnEntryIsNotTooLongForAnEntryBundle(t *testing.T) {
	db := open(t)
	err := db.Update(func(tx *bolt.Tx) error {
		_, err := Append(kv.OnBolt(tx), Entry{Detail: strings.Repeat("x", MaxStored)})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "60000") {
		t.Errorf("%v", err)
	}
}

// TestResolvesAreListedOnlyWhenAskedFor: otherwise they would hide everything else.
func TestResolvesAreListedOnlyWhenAskedFor(t *testing.T) {
	db := open(t)
	es := entries(60)
	for i := range es {
		if es[i].LogID = NewLogID(); i%3 > 0 {
			es[i].Action = Resolve
		}
	}
	appendAll(t, db, es)
	for name, x := range map[string]struct {
		f    Filter
		want int
	}{
		"all":       {Filter{Limit: 99, Look: 99}, 20},
		"a look":    {Filter{Limit: 99, Look: 10}, 9}, // 16 resolves count as one entry
		"resolves":  {Filter{Limit: 99, Look: 99, Action: Resolve}, 40},
		"by log id": {Filter{Limit: 99, Look: 99, LogID: es[1].LogID}, 1},
	} {
		view(t, db, func(tx kv.Reader) error {
			p, err := List(t.Context(), tx, x.f)
			if len(p.Entries) != x.want {
				t.Errorf("%s: %d entries, want %d", name, len(p.Entries), x.want)
			}
			return err
		})
	}
}

// TestEntriesOfOlderProgramsStayReadable stores an entry like older programs, with one
// hash of the address, one of the request's id, and the texts in the erasable part.
func TestEntriesOfOlderProgramsStayReadable(t *testing.T) {
	db := open(t)
	want := Entry{LogID: NewLogID(), Action: Insert, Actor: "ari", Address: "192.0.2.17", RequestID: NewLogID(), Secret: NewSecret()}.Complete()
	r := record{Entry: want, AddressHash: want.Secret.hash("address", want.Address), RequestHash: want.Secret.hash("request", want.RequestID)}
	r.Address, r.RequestID = "", ""
	text, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	erasable := want.Secret[:]
	for _, s := range []string{"", want.Address, want.RequestID} {
		erasable = varint.AppendString(erasable, s)
	}
	update(t, db, func(tx kv.Writer) error {
		key := seqKey(1)
		return errors.Join(putClear(tx, bucketName, key, append(make([]byte, 32), text...)), putClear(tx, clearLogsName, key, kv.Seal(key, erasable)))
	})
	if e := got(t, db, 1); e != want {
		t.Errorf("got %+v, want %+v", e, want)
	}
	view(t, db, CheckClear)
	update(t, db, func(tx kv.Writer) error {
		key := seqKey(1)
		return putClear(tx, clearLogsName, key, kv.Seal(key, bytes.Replace(erasable, []byte("192.0.2.17"), []byte("192.0.2.18"), 1)))
	})
	if err := read(db, CheckClear); err == nil {
		t.Error("another address was not found")
	}
}

// TestTextsBesideAnEntryAreStoredShort: texts are read as they were, in whatever form
// they are stored.
func TestTextsBesideAnEntryAreStoredShort(t *testing.T) {
	for i, cases := range []map[string]int{
		{strings.Repeat("a5", 32): 32, strings.Repeat("A5", 32): 65, strings.Repeat("a5", 31): 63, "": 0},
		{"192.0.2.17": 4, "2001:db8::17": 16, "::ffff:192.0.2.17": 16, "2001:DB8::17": 13, "fe80::1%eth0": 13, "localhost": 10, "": 0, "\x01abc": 5},
		{"0198c0f4-7d1c-7000-8000-000000000001": 16, "0198C0F4-7D1C-7000-8000-000000000001": 37, "{0198c0f4-7d1c-7000-8000-000000000001}": 39, "r1": 3, "": 0, "\x01abc": 5},
	} {
		for text, size := range cases {
			want := [3]string{strings.Repeat("ab", 32), "192.0.2.17", "r1"}
			want[i] = ""
			others := len(appendTexts(nil, want[0], want[1], want[2]))
			want[i] = text
			b := appendTexts(nil, want[0], want[1], want[2])
			sum, address, id, ok := texts(b)
			if got := [3]string{sum, address, id}; got != want || !ok || len(b)-others != size {
				t.Errorf("%q is stored in %d bytes, want %d, and read as %q, %t", text, len(b)-others, size, got, ok)
			}
			for n := range b {
				if _, _, _, ok := texts(b[:n]); ok {
					t.Errorf("the first %d bytes of %x were read", n, b)
				}
			}
		}
	}
}
