package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine/kv"
)

// private returns an entry of a log with values in each group.
func private() Entry {
	e := Entry{LogID: NewLogID(), Action: Insert, Actor: "ari", Claimed: "maria", Robot: "http://e/robot", Signer: "key-of-ari", Subject: "http://e/maria", Kind: "greeting",
		Observed: "2026-02-11T09:12:13Z", Detail: "in the hall", Address: "192.0.2.17", RequestID: "request-1", Triples: 1, SHA256: strings.Repeat("ab", 32), Graph: "g", Canon: "rdfc-1.0"}
	e.Secret = NewSecret()
	e.Commitment = e.Secret.Content().Commit([]byte("text"))
	return e.Complete()
}

// decided returns an entry of a decision with values in each group that it can have.
func decided() Entry {
	e := private()
	e.Action, e.SHA256, e.Commitment, e.Graph, e.Canon = Accept, "", "", "", ""
	return e
}

// without returns what readers see of an entry after groups were erased.
func without(e Entry, groups Groups) Entry {
	e.Secret, e.Salted = Secret{}, Salted{}
	groups.all(func(g Group) {
		for _, v := range e.values(g) {
			*v = ""
		}
		if g == Content {
			e.SHA256 = ""
		}
	})
	e.Erased = groups
	return e
}

func update(t *testing.T, db *bolt.DB, do func(kv.Writer) error) {
	t.Helper()
	if err := db.Update(func(tx *bolt.Tx) error { return do(kv.OnBolt(tx)) }); err != nil {
		t.Fatal(err)
	}
}

// got returns an entry as readers see it.
func got(t *testing.T, db *bolt.DB, seq uint64) (e Entry) {
	t.Helper()
	view(t, db, func(tx kv.Reader) (err error) { e, err = Get(tx, seq); return err })
	e.Salted = Salted{}
	return e
}

// storedOf returns the stored bytes of an entry.
func storedOf(t *testing.T, db *bolt.DB, seq uint64) (v []byte) {
	t.Helper()
	view(t, db, func(tx kv.Reader) error {
		return Stored(tx, seq, 1, func(b []byte) error { v = bytes.Clone(b); return nil })
	})
	return v
}

// TestEachGroupIsErasedAlone erases each set of groups, in one step and one after
// another. The entry stays byte for byte, says what was erased, and shows the rest. No
// secret stays from which an erased salt can be computed.
func TestEachGroupIsErasedAlone(t *testing.T) {
	for name, make := range map[string]func() Entry{"a log": private, "a decision": decided} {
		for groups := Groups(1); groups < 1<<groupCount; groups++ {
			db := open(t)
			e, other := make(), make()
			secret := NewSecret()
			e.Secret = secret
			if e.Commitment != "" {
				e.Commitment = secret.Content().Commit([]byte("text"))
			}
			appendAll(t, db, []Entry{e, other})
			before := storedOf(t, db, 1)
			for _, shown := range []string{e.Actor, e.Claimed, e.Robot, e.Signer, e.Subject, e.Kind, e.Observed, e.Detail, e.Address, e.RequestID, strings.Repeat("ab", 32)} {
				if bytes.Contains(before, []byte(`"`+shown+`"`)) {
					t.Errorf("%s: the entry shows %q: %s", name, shown, before[32:])
				}
			}
			if seen := got(t, db, 1); seen != without(e, 0) {
				t.Errorf("%s: got %+v, want %+v", name, seen, without(e, 0))
			}
			view(t, db, CheckBeside)
			has := GroupsOf(Who, What, Client)
			if e.Commitment != "" {
				has |= GroupsOf(Content)
			}
			groups.all(func(g Group) { update(t, db, func(tx kv.Writer) error { return Erase(tx, 1, GroupsOf(g)) }) })
			update(t, db, func(tx kv.Writer) error { return Erase(tx, 1, groups) })
			if seen := got(t, db, 1); seen != without(e, groups&has) {
				t.Errorf("%s without %04b: got %+v, want %+v", name, groups, seen, without(e, groups&has))
			}
			if !bytes.Equal(storedOf(t, db, 1), before) || got(t, db, 2) != without(other, 0) {
				t.Errorf("%s without %04b: an entry changed", name, groups)
			}
			view(t, db, CheckBeside)
			view(t, db, func(tx kv.Reader) error {
				for _, p := range e.places(1) {
					name, v := p.bucket, tx.Bucket(p.bucket).Get(p.key)
					if groups&has != 0 && bytes.Contains(v, secret[:]) {
						t.Errorf("%s without %04b: %s has the secret", name, groups, name)
					}
					for g := range Group(groupCount) {
						if salt := secret.Salt(g); groups.Has(g) && bytes.Contains(v, salt[:]) {
							t.Errorf("%s without %04b: %s has the salt of %s", name, groups, name, g)
						}
					}
				}
				return nil
			})
		}
	}
}

// TestAWithdrawalKeepsWhoAndWhat: a log says who sent it after its content was erased.
func TestAWithdrawalKeepsWhoAndWhat(t *testing.T) {
	for name, erase := range map[string]func(kv.Writer) error{
		"one log":  func(tx kv.Writer) error { return Erase(tx, 1, GroupsOf(Client, Content)) },
		"all logs": func(tx kv.Writer) error { return EraseLogs(tx, []uint64{2, 9}) },
	} {
		db := open(t)
		log, decision := private(), decided()
		appendAll(t, db, []Entry{log, decision})
		update(t, db, func(tx kv.Writer) error { return EraseLogs(tx, []uint64{1}) })
		if e := got(t, db, 1); e != without(log, 0) {
			t.Errorf("%s: a log that stays is %+v", name, e)
		}
		update(t, db, erase)
		if e := got(t, db, 1); e != without(log, GroupsOf(Client, Content)) {
			t.Errorf("%s: erased, it is %+v", name, e)
		}
		if e := got(t, db, 2); e != without(decision, 0) {
			t.Errorf("%s: a decision was erased: %+v", name, e)
		}
		view(t, db, CheckBeside)
	}
}

// TestHashesAreThoseOfTheDocumentation computes them as docs/evidence describes.
func TestHashesAreThoseOfTheDocumentation(t *testing.T) {
	db := open(t)
	log, key := private(), Entry{Action: UseKey, Actor: "admin", Owner: "ari", Signer: "id", Key: "bytes", Revoked: Revoked{Username: "u", TokenID: "t"}, Secret: NewSecret()}
	appendAll(t, db, []Entry{log, key, {Action: Rotate, Key: "of the log", Secret: NewSecret()}})
	for i, want := range []map[string]string{
		{"who": "ari\nmaria\n\nhttp://e/robot\nkey-of-ari\n\n\n\n", "what": "http://e/maria\ngreeting\n2026-02-11T09:12:13Z\nin the hall\n", "client": "192.0.2.17\nrequest-1\n"},
		{"who": "admin\n\nari\n\nid\nbytes\nu\nt\n"},
		{"who": "library\n\n\n\n\n\n\n\n", "key": "of the log"},
	} {
		var leaf map[string]any
		if err := json.Unmarshal(storedOf(t, db, uint64(i+1))[32:], &leaf); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"who", "what", "client"} {
			text, has := want[word]
			if !has {
				if leaf[word] != nil {
					t.Errorf("entry %d has %s", i+1, word)
				}
				continue
			}
			var e Entry
			view(t, db, func(tx kv.Reader) (err error) { e, err = Get(tx, uint64(i+1)); return err })
			salt, _ := e.Salted.Salt(map[string]Group{"who": Who, "what": What, "client": Client}[word])
			sum := sha256.Sum256(append(salt[:], text...))
			if leaf[word] != base64.RawStdEncoding.EncodeToString(sum[:]) {
				t.Errorf("entry %d has %s %v", i+1, word, leaf[word])
			}
		}
		if key := want["key"]; key != "" && leaf["key"] != key {
			t.Errorf("the log's own key is %v", leaf["key"])
		}
	}
	secret := sha256.Sum256(append(log.Secret[:], "who"...))
	if salt := log.Secret.Salt(Who); !bytes.Equal(salt[:], secret[:16]) {
		t.Errorf("the salt is %x", salt)
	}
}

// TestShownGroupsAreRead opens groups of an entry to a reader who has only its bytes.
func TestShownGroupsAreRead(t *testing.T) {
	db := open(t)
	want := private()
	appendAll(t, db, []Entry{want})
	var e Entry
	view(t, db, func(tx kv.Reader) (err error) { e, err = Get(tx, 1); return err })
	parsed := func() Entry {
		t.Helper()
		p, err := Parse(storedOf(t, db, 1))
		if err != nil || p.Actor != "" || p.Detail != "" {
			t.Fatalf("%+v, %v", p, err)
		}
		return p
	}
	if e.Show(GroupsOf(Client, Content)) != nil {
		t.Error("the client is shown")
	}
	if p := parsed(); p.Read(e.Show(GroupsOf(Who))) != nil || p.Actor != "ari" || p.Robot != want.Robot || p.Kind != "" {
		t.Errorf("with who: %+v", p)
	}
	if p := parsed(); p.Read(e.Show(GroupsOf(Who, What))) != nil || p.Signer != want.Signer || p.Kind != want.Kind || p.Detail != want.Detail || p.Address != "" {
		t.Errorf("with who and what: %+v", p)
	}
	for name, change := range map[string]func(o *Open){
		"a value":         func(o *Open) { o.Who.Values[0] = "eve" },
		"a value moved":   func(o *Open) { o.What.Values[0], o.What.Values[1] = o.What.Values[1], o.What.Values[0] },
		"a salt":          func(o *Open) { o.What.Salt[0] ^= 1 },
		"a short salt":    func(o *Open) { o.Who.Salt = o.Who.Salt[:15] },
		"a value more":    func(o *Open) { o.Who.Values = append(o.Who.Values, "") },
		"a value less":    func(o *Open) { o.Who.Values = o.Who.Values[:7] },
		"values in one":   func(o *Open) { o.Who.Values[0], o.Who.Values[7] = "ari\nmaria", "" },
		"another group's": func(o *Open) { o.Who = o.What },
	} {
		o := e.Show(GroupsOf(Who, What))
		change(o)
		if p := parsed(); p.Read(o) == nil {
			t.Errorf("%s changed, and it was read", name)
		}
	}
}

func TestTheValuesBesideAnEntryAreChecked(t *testing.T) {
	for name, harm := range map[string]func(b *bolt.Bucket) error{
		"changed": func(b *bolt.Bucket) error { v := bytes.Clone(b.Get(seqKey(1))); v[20] ^= 1; return b.Put(seqKey(1), v) },
		"sealed again": func(b *bolt.Bucket) error {
			v := bytes.Clone(b.Get(seqKey(1)))
			return b.Put(seqKey(1), kv.Seal(seqKey(1), bytes.Replace(v[:len(v)-4], []byte{192, 0, 2, 17}, []byte{192, 0, 2, 18}, 1)))
		},
		"of groups that belong elsewhere": func(b *bolt.Bucket) error {
			e := private()
			return b.Put(seqKey(1), kv.Seal(seqKey(1), e.appendBeside(nil, GroupsOf(Who), e.Secret)))
		},
		"longer": func(b *bolt.Bucket) error {
			v := bytes.Clone(b.Get(seqKey(1)))
			return b.Put(seqKey(1), kv.Seal(seqKey(1), append(v[:len(v)-4], 0)))
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
		if err := read(db, CheckBeside); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is beside no entry is named, wherever it is.
func TestTheCheckNamesWhatIsBesideNoEntry(t *testing.T) {
	db := open(t)
	appendAll(t, db, []Entry{decided(), private(), private()})
	err := db.Update(func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte(clearLogsName))
		return b.Put(seqKey(1), b.Get(seqKey(2)))
	})
	if err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if err := read(db, CheckBeside); !errors.As(err, &damaged) || damaged.Seq != 1 {
		t.Errorf("%v", err)
	}
}

func TestControlCharactersInValuesAreRefused(t *testing.T) {
	for _, e := range []Entry{{Actor: "a\nb"}, {Detail: "a\x00"}, {RequestID: "\u0085"}} {
		if err := open(t).Update(func(tx *bolt.Tx) error { _, err := Append(kv.OnBolt(tx), e); return err }); err == nil || !strings.Contains(err.Error(), "control characters") {
			t.Errorf("%+v: %v", e, err)
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

// TestTextsBesideAnEntryAreStoredShort: texts are read as they were, in whatever form
// they are stored.
func TestTextsBesideAnEntryAreStoredShort(t *testing.T) {
	for f, cases := range map[form]map[string]int{
		asHash:    {strings.Repeat("a5", 32): 32, strings.Repeat("A5", 32): 65, strings.Repeat("a5", 31): 63, "": 0},
		asAddress: {"192.0.2.17": 4, "2001:db8::17": 16, "::ffff:192.0.2.17": 16, "2001:DB8::17": 13, "fe80::1%eth0": 13, "localhost": 10, "": 0, "\x01abc": 5},
		asUUID:    {"0198c0f4-7d1c-7000-8000-000000000001": 16, "0198C0F4-7D1C-7000-8000-000000000001": 37, "{0198c0f4-7d1c-7000-8000-000000000001}": 39, "r1": 3, "": 0, "\x01abc": 5},
		asText:    {"ari": 4, "": 0, "192.0.2.17": 11},
	} {
		for value, size := range cases {
			var read [5]string
			other, none := "x", ""
			b := appendTexts(nil, []text{{&none, f}, {&value, f}, {&other, asText}, {&none, f}, {&other, asText}})
			r := varint.NewReader(b)
			readTexts(&r, []text{{&read[0], f}, {&read[1], f}, {&read[2], asText}, {&read[3], f}, {&read[4], asText}})
			if read != [5]string{"", value, "x", "", "x"} || r.Failed() || len(b) != 2+size+4 {
				t.Errorf("%q is stored in %d bytes, want %d, and read as %q", value, len(b)-6, size, read)
			}
			for n := range b {
				r := varint.NewReader(b[:n])
				if readTexts(&r, []text{{&read[0], f}, {&read[1], f}, {&read[2], asText}, {&read[3], f}, {&read[4], asText}}); !r.Failed() {
					t.Errorf("the first %d bytes of %x were read", n, b)
				}
			}
		}
	}
}
