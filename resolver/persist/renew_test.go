package persist

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/outbox"
	"github.com/segraph/segraph/store/rdf"
)

// setForm sets the form of the mirror in a store's totals.
func setForm(t testing.TB, s *Contexts, form uint64) resolver.Record {
	t.Helper()
	value, err := s.Get(record.TotalsKey())
	if err != nil {
		t.Fatal(err)
	}
	totals, err := record.Decode[record.Totals](value)
	if err != nil {
		t.Fatal(err)
	}
	totals.Form = form
	return resolver.Record{Key: record.TotalsKey(), Value: record.Encode(totals)}
}

// date rewrites a store's mirror in the form used before forms were counted: each
// candidate had its own evidence nodes, and decisions had log odds.
func date(t *testing.T, s *Contexts) {
	t.Helper()
	c := resolver.Change{Records: []resolver.Record{setForm(t, s, 0)}}
	says := map[rdf.Term][]rdf.Quad{} // quads of evidence nodes
	var links []rdf.Quad
	err := resolver.Quads(s, func(q rdf.Quad) error {
		switch {
		case mirror.IsContribution(q.S):
			says[q.S], c.Remove = append(says[q.S], q), append(c.Remove, q)
		case mirror.IsContribution(q.O):
			links, c.Remove = append(links, q), append(c.Remove, q)
		case q.P.Value() == vocabulary.ProvStartedAtTime:
			c.Add = append(c.Add, rdf.Quad{S: q.S, P: rdf.NewIRI(vocabulary.ScLogOdds), O: rdf.NewLiteral("2.5", rdf.XSDDouble), G: q.G})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range links {
		feature := says[q.O][0].O.Value()
		node := rdf.NewIRI(q.S.Value() + "/" + feature)
		c.Add = append(c.Add, rdf.Quad{S: q.S, P: q.P, O: node, G: q.G})
		for _, of := range says[q.O] {
			c.Add = append(c.Add, rdf.Quad{S: node, P: of.P, O: of.O, G: of.G})
		}
	}
	if len(links) == 0 {
		t.Fatal("there is no evidence")
	}
	if err := s.Apply(t.Context(), []resolver.Change{c}); err != nil {
		t.Fatal(err)
	}
}

// mustBeDated verifies a store and checks whether its graph of contexts has an older
// form.
func mustBeDated(t *testing.T, s *Store, want bool) {
	t.Helper()
	if report, err := s.Inspect(t.Context()); err != nil || report.Outdated != want {
		t.Errorf("of an older form: %v, %v; want %v", report.Outdated, err, want)
	}
}

// outdated reports whether the resolver found a mirror of an older form.
func outdated(r *resolver.Resolver) bool {
	select {
	case <-r.Outdated():
		return true
	default:
		return false
	}
}

// cut is a store whose disk fails after left transactions.
type cut struct {
	resolver.Store
	left int
}

var errCut = errors.New("the disk is gone")

func (c *cut) Submit(ctx context.Context, change resolver.Change) (func() error, error) {
	if c.left == 0 {
		return nil, errCut
	}
	c.left--
	return c.Store.Submit(ctx, change)
}

// TestAMirrorOfAnOlderFormIsRewritten checks that the mirror is rewritten in parts, while
// clients resolve and decide, after an interruption, and in the outbox too. Nothing of
// the older form remains.
func TestAMirrorOfAnOlderFormIsRewritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	s := openFollowed(t, path)
	_, r := resolved(t, s)
	cases := hears(t, r, 0, 40)
	if _, err := r.Accept(t.Context(), cases[0], "", false, entryOf(journal.Accept)); err != nil {
		t.Fatal(err)
	}
	mustBeDated(t, s, false)
	date(t, s.Contexts())
	mustBeDated(t, s, true)
	f, at, err := followed(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = openFollowed(t, path)
	defer func() { s.Close() }()
	short := openResolver(t, &cut{s.Contexts(), 1}, steadyClock())
	if n, err := short.Renew(t.Context()); !outdated(short) || n == 0 || n > 200 || !errors.Is(err, errCut) {
		t.Fatalf("with a disk that fails after one part: %d records, %v", n, err)
	}
	mustBeDated(t, s, true)

	_, r = resolved(t, s)
	if !outdated(r) {
		t.Error("the older form is not reported")
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Renew(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.Renew(t.Context())
		done <- err
	}()
	hears(t, r, 45, 5)
	if _, err := r.Reject(t.Context(), cases[1], entryOf(journal.Reject)); err != nil {
		t.Error(err)
	}
	if _, err := r.Undo(t.Context(), cases[0], entryOf(journal.Undo)); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	mustBeDated(t, s, false)
	for _, line := range allQuads(t, s) {
		if strings.Contains(line, "/candidate/1/") || strings.Contains(line, "decision_") && strings.Contains(line, vocabulary.ScLogOdds) {
			t.Fatalf("the older form is left in %s", line)
		}
	}
	if n, err := r.Renew(t.Context()); n != 0 || err != nil || outdated(r) {
		t.Errorf("again: %d records, %v", n, err)
	}
	if err := f.catchUp(t.Context(), s.Outbox, at); err != nil {
		t.Fatal(err)
	}
	if want, _, err := followed(s); err != nil || !maps.Equal(f, want) {
		t.Errorf("who follows holds %d quads of %d, %v", len(f), len(want), err)
	}
}

// TestABackupOfAnOlderFormIsMirroredAgain imports a backup of an older form into a
// current file.
func TestABackupOfAnOlderFormIsMirroredAgain(t *testing.T) {
	s := openStore(t)
	_, r := resolved(t, s)
	cases := hears(t, r, 0, 3)
	was := allQuads(t, s)
	date(t, s.Contexts())
	path := backedUp(t, s)
	if report, err := CheckFile(t.Context(), path); err != nil || !report.Outdated {
		t.Errorf("the backup: %+v, %v", report, err)
	}
	g, r := resolved(t, s)
	outdated(r)
	if _, err := g.Clear(t.Context(), true, entryOf(journal.Clear)); err != nil {
		t.Fatal(err)
	}
	if outdated(r) {
		t.Error("nothing has an older form")
	}
	if back, err := g.ImportBackup(t.Context(), path, entryOf(journal.Import)); err != nil || !back.Contexts || !outdated(r) {
		t.Fatalf("%+v, %v", back, err)
	}
	if n, err := r.Renew(t.Context()); n == 0 || err != nil {
		t.Fatalf("%d records, %v", n, err)
	}
	mustBeDated(t, s, false)
	if got := allQuads(t, s); !slices.Equal(got, was) {
		t.Errorf("there are %d quads, and were %d", len(got), len(was))
	}
	if _, err := r.Accept(t.Context(), cases[0], "", false, entryOf(journal.Accept)); err != nil {
		t.Error(err)
	}
	mustBeDated(t, s, false)
}

// Contexts of a newer version are refused with a message and are not reported as damage.
func TestContextsOfANewerVersionAreRefused(t *testing.T) {
	s := openStore(t)
	_, r := resolved(t, s)
	hears(t, r, 0, 1)
	newer := resolver.Change{Records: []resolver.Record{setForm(t, s.Contexts(), mirror.Form+1)}}
	if err := s.Contexts().Apply(t.Context(), []resolver.Change{newer}); err != nil {
		t.Fatal(err)
	}
	if _, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()}); !errors.Is(err, resolver.ErrForm) {
		t.Errorf("opened with %v", err)
	}
	var damaged *file.DamagedError
	if err := s.Check(t.Context()); !errors.Is(err, resolver.ErrForm) || errors.As(err, &damaged) {
		t.Errorf("checked with %v", err)
	}
}

// openFollowed opens a store with an outbox.
func openFollowed(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path, Options{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// follower is another graph store, in memory.
type follower map[rdf.Quad]bool

// catchUp applies all changes after one.
func (f follower) catchUp(ctx context.Context, o *outbox.Outbox, at uint64) error {
	for {
		c, err := o.Read(ctx, at, 100)
		if err != nil || c.Last == at {
			return err
		}
		for _, q := range c.Remove {
			delete(f, q)
		}
		for _, q := range c.Add {
			f[q] = true
		}
		at = c.Last
	}
}

// followed returns what a graph store should hold, and the last change in it.
func followed(s *Store) (f follower, at uint64, err error) {
	f = follower{}
	err = s.Outbox.All(context.Background(), func(last uint64, quads []rdf.Quad) error {
		for _, q := range quads {
			f[q] = true
		}
		at = last
		return nil
	})
	return f, at, err
}
