package outbox_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/follow/outbox"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// openOutboxStore opens a store with an outbox.
func openOutboxStore(t interface {
	Helper()
	Fatal(...any)
}, path string, follow bool) *persist.Store {
	t.Helper()
	s, err := persist.Open(path, persist.Options{Follow: follow})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// follower is a second store, in memory.
type follower map[rdf.Quad]bool

func (f follower) apply(c outbox.Change) {
	for _, g := range c.Reset {
		maps.DeleteFunc(f, func(q rdf.Quad, _ bool) bool { return q.G == g })
	}
	for _, q := range c.Remove {
		delete(f, q)
	}
	for _, q := range c.Add {
		f[q] = true
	}
}

// catchUp applies all changes after at and returns the number of the last one. It passes
// limit to Read.
func (f follower) catchUp(ctx context.Context, o *outbox.Outbox, at uint64, limit int) (uint64, error) {
	for {
		c, err := o.Read(ctx, at, limit)
		if err != nil || c.Last == at {
			return at, err
		}
		f.apply(c)
		at = c.Last
	}
}

// all returns the triples that a second store should hold.
func all(s *persist.Store) (follower, error) {
	out := follower{}
	err := s.Outbox.All(context.Background(), func(quads []rdf.Quad) error {
		for _, q := range quads {
			out[q] = true
		}
		return nil
	})
	return out, err
}

func outboxQuad(n int, g rdf.Term) rdf.Quad {
	return rdf.Quad{S: rdf.NewIRI(fmt.Sprintf("urn:s%d", n%5)), P: rdf.NewIRI("urn:p"), O: rdf.NewString(fmt.Sprint(n)), G: g}
}

var contextsGraph = rdf.NewIRI(store.ContextsGraph)

func init() { suite.Checks(30) }

// A second store applies changes in parts of any size, some of them again, from any point
// on. It ends up with the content of the store, whatever was added, removed and cleared.
func TestAFollowerOfTheOutboxHasTheSameTriples(t *testing.T) {
	suite.NotShort(t)
	path := filepath.Join(t.TempDir(), "outbox.db")
	rounds := 0
	rapid.Check(t, func(t *rapid.T) {
		rounds++
		s := openOutboxStore(t, fmt.Sprint(path, rounds), true)
		defer s.Close()
		ctx := context.Background()
		o := s.Outbox
		f, at, applied := follower{}, uint64(0), []uint64{0}
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				d := &store.Document{}
				for range rapid.IntRange(1, 4).Draw(t, "size") {
					d.Add(outboxQuad(rapid.IntRange(0, 20).Draw(t, "quad"), rdf.Term{}))
				}
				d.Add(rdf.Quad{S: rdf.NewBlank("x"), P: rdf.NewIRI("urn:p"), O: rdf.NewBlank("y")})
				if _, err := s.Add(ctx, d, journal.Entry{Action: journal.Insert}); err != nil {
					t.Fatal(err)
				}
			case 2, 3:
				c := resolver.Change{Clear: rapid.IntRange(0, 3).Draw(t, "clear") == 0}
				for range 3 {
					g := rapid.SampledFrom([]rdf.Term{contextsGraph, contextsGraph, {}}).Draw(t, "graph")
					c.Add = append(c.Add, outboxQuad(rapid.IntRange(0, 20).Draw(t, "add"), g))
					c.Remove = append(c.Remove, outboxQuad(rapid.IntRange(0, 20).Draw(t, "remove"), g))
				}
				if err := s.Contexts().Apply(ctx, []resolver.Change{c}); err != nil {
					t.Fatal(err)
				}
			case 4:
				if rapid.Bool().Draw(t, "really") {
					if _, err := s.Clear(ctx, true, journal.Entry{Action: journal.Clear}); err != nil {
						t.Fatal(err)
					}
				}
			case 5: // back to an earlier change, as after a crash
				if trimmed, _, err := o.Span(); err != nil {
					t.Fatal(err)
				} else if back := rapid.SampledFrom(applied).Draw(t, "back"); back >= trimmed {
					at = back
				}
			case 6:
				c, err := o.Read(ctx, at, rapid.IntRange(1, 10).Draw(t, "most"))
				if err != nil {
					t.Fatal(err)
				}
				f.apply(c)
				at = c.Last
				applied = append(applied, at)
				if err := o.Confirm(ctx, "f", min(at, applied[len(applied)/2])); err != nil {
					t.Fatal(err)
				}
			}
		}
		at, err := f.catchUp(ctx, o, at, 10)
		if err != nil {
			t.Fatal(err)
		}
		if _, last, err := o.Span(); err != nil || last != at {
			t.Fatalf("read to %d, and the last change is %d: %v", at, last, err)
		}
		want, err := all(s)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(f, want) {
			t.Fatalf("the follower holds\n%v, want\n%v", slices.Collect(maps.Keys(f)), slices.Collect(maps.Keys(want)))
		}
	})
}

// A second store receives everything in parts, while posts, decisions and deletions go
// on. After it has applied the later changes, it holds the same triples. No snapshot
// stays open meanwhile, because it would make the file grow by everything that is
// written.
func TestAFollowerSentEverythingDuringChangesHasTheSameTriples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "outbox.db")
	rounds := 0
	rapid.Check(t, func(t *rapid.T) {
		rounds++
		s := openOutboxStore(t, fmt.Sprint(path, rounds), true)
		defer s.Close()
		ctx := context.Background()
		write := func() {
			switch rapid.IntRange(0, 8).Draw(t, "write") {
			case 0, 1, 2:
				d := &store.Document{}
				for range rapid.IntRange(1, 6).Draw(t, "size") {
					d.Add(outboxQuad(rapid.IntRange(0, 40).Draw(t, "quad"), rdf.Term{}))
				}
				if _, err := s.Add(ctx, d, journal.Entry{Action: journal.Insert}); err != nil {
					t.Fatal(err)
				}
			case 3, 4, 5:
				var c resolver.Change
				for range 4 {
					g := rapid.SampledFrom([]rdf.Term{contextsGraph, {}}).Draw(t, "graph")
					c.Add = append(c.Add, outboxQuad(rapid.IntRange(0, 40).Draw(t, "add"), g))
					c.Remove = append(c.Remove, outboxQuad(rapid.IntRange(0, 40).Draw(t, "remove"), g))
				}
				if err := s.Contexts().Apply(ctx, []resolver.Change{c}); err != nil {
					t.Fatal(err)
				}
			case 6:
				if _, err := s.Clear(ctx, rapid.Bool().Draw(t, "contexts"), journal.Entry{Action: journal.Clear}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range rapid.IntRange(0, 10).Draw(t, "before") {
			write()
		}
		o, f := s.Outbox, follower{}
		at, err := o.Begin(ctx, "f")
		if err != nil {
			t.Fatal(err)
		}
		err = o.AllInParts(ctx, rapid.IntRange(1, 5).Draw(t, "at once"), func(quads []rdf.Quad) error {
			for begin := time.Now(); s.Snapshots() != 0; time.Sleep(time.Millisecond) { // the store's own work may hold one for a moment
				if time.Since(begin) > 5*time.Second {
					t.Fatalf("%d snapshots are held", s.Snapshots())
				}
			}
			f.apply(outbox.Change{Add: quads})
			for range rapid.IntRange(0, 2).Draw(t, "meanwhile") {
				write()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.catchUp(ctx, o, at, 10); err != nil {
			t.Fatal(err)
		}
		want, err := all(s)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(f, want) {
			t.Fatalf("the follower holds\n%v, want\n%v", slices.Collect(maps.Keys(f)), slices.Collect(maps.Keys(want)))
		}
	})
}

// Many changes are trimmed in several transactions. Later changes stay.
func TestManyChangesAreForgottenInParts(t *testing.T) {
	s := openOutboxStore(t, filepath.Join(t.TempDir(), "outbox.db"), true)
	defer s.Close()
	const changes = 3*outbox.TrimAtOnce + 7
	err := s.Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.KV().Writable("outbox", "changes")
		if err != nil {
			return err
		}
		for range changes {
			n, err := b.NextSequence()
			if err != nil {
				return err
			}
			key := binary.BigEndian.AppendUint64(nil, n)
			if err := b.Put(key, kv.Seal(key, []byte{0})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.Version()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Outbox.Confirm(t.Context(), "f", changes-2); err != nil {
		t.Fatal(err)
	}
	if after, err := s.Version(); err != nil || after.Transaction < before.Transaction+5 {
		t.Errorf("%d transactions, %v; want 5", after.Transaction-before.Transaction, err)
	}
	var left []uint64
	err = s.View(func(snap *engine.Snapshot) error {
		for k := range kv.All(snap.KV().Bucket("outbox", "changes")) {
			left = append(left, binary.BigEndian.Uint64(k))
		}
		return nil
	})
	if trimmed, _, _ := s.Outbox.Span(); err != nil || trimmed != changes-2 || !slices.Equal(left, []uint64{changes - 1, changes}) {
		t.Errorf("%v are left after %d: %v", left, trimmed, err)
	}
}
