package provenance_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// publish stores a text as one log and returns the log's id.
func publish(t testing.TB, s opened, text string) string {
	t.Helper()
	e := journal.Entry{LogID: journal.NewLogID(), Action: journal.Insert, Actor: "ari"}
	d := document(t, turtle.Turtle, text)
	e.Triples = d.Distinct()
	if _, err := s.Add(t.Context(), d, e); err != nil {
		t.Fatal(err)
	}
	return e.LogID
}

// logged returns a log with its contribution.
func logged(t testing.TB, s opened, id string) store.Log {
	t.Helper()
	l, err := s.Log(t.Context(), id, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if int(l.Total) != len(l.Quads) {
		t.Errorf("log %s has %d triples and returned %d", id, l.Total, len(l.Quads))
	}
	return l
}

// contributors returns the ids of the logs that contributed a quad, newest first, read
// page by page.
func contributors(t testing.TB, s opened, q rdf.Quad, limit int) (ids []string) {
	t.Helper()
	f := journal.Filter{Limit: limit, Look: 7}
	for {
		page, err := s.Logs(t.Context(), f, []rdf.Quad{q})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			ids = append(ids, e.LogID)
		}
		if f.Before = page.Next; f.Before == 0 {
			return ids
		}
	}
}

// large returns a text about n subjects, numbered from first.
func large(first, n int) string {
	var b strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "<http://ex/event%d> a <http://ex/Event> ; <http://ex/n> %d ; <http://ex/part> [ <http://ex/x> %d ] .\n", i, i, i)
	}
	return b.String()
}

func TestALogReturnsItsWholeContributionIncludingSharedTriples(t *testing.T) {
	s := openStore(t)
	texts := []string{
		"<http://ex/a> a <http://ex/Robot> ; <http://ex/said> \"hi\"@en , 1 .",
		"<http://ex/a> a <http://ex/Robot> . <http://ex/b> <http://ex/knows> [ <http://ex/name> \"x\" ] .",
		large(0, 300),
		large(0, 400) + "<http://ex/a> a <http://ex/Robot> .",
	}
	var ids []string
	for _, text := range texts {
		ids = append(ids, publish(t, s, text))
	}
	mustCheck(t, s)
	for i, id := range ids {
		l := logged(t, s, id)
		if len(l.Entries) != 1 || l.Entries[0].Seq != uint64(i+1) || l.Entries[0].Actor != "ari" || !l.Kept {
			t.Errorf("log %d: %+v, kept %v", i, l.Entries, l.Kept)
		}
		if want := quads(t, turtle.Turtle, texts[i]); !canon.Isomorphic(l.Quads, want) {
			t.Errorf("log %d contributed %d triples, and Log returned %d others", i, len(want), len(l.Quads))
		}
		few, err := s.Log(t.Context(), id, 2)
		if err != nil || len(few.Quads) != 2 || few.Total != l.Total {
			t.Errorf("log %d: %d of %d triples, %v", i, len(few.Quads), few.Total, err)
		}
	}
	robot := quads(t, turtle.Turtle, "<http://ex/a> a <http://ex/Robot> .")[0]
	for _, limit := range []int{1, 2, 100} {
		if got, want := contributors(t, s, robot, limit), []string{ids[3], ids[1], ids[0]}; !slices.Equal(got, want) {
			t.Errorf("by pages of %d: contributed by %v, want %v", limit, got, want)
		}
	}
	for _, q := range logged(t, s, ids[3]).Quads {
		if got := contributors(t, s, q, 10); !slices.Contains(got, ids[3]) || slices.Contains(got, ids[2]) != !hasBlank(q) && q.S != robot.S && number(q) < 300 {
			t.Errorf("%v: contributed by %v", q, got)
			break
		}
	}
	for _, text := range []string{"<http://ex/a> a <http://ex/None> .", "<http://ex/Robot> <http://ex/a> 1 ."} {
		if got := contributors(t, s, quads(t, turtle.Turtle, text)[0], 10); got != nil {
			t.Errorf("%s contributed by %v", text, got)
		}
	}
}

func hasBlank(q rdf.Quad) bool { return q.S.IsBlank() || q.O.IsBlank() }

func number(q rdf.Quad) (n int) {
	_, _ = fmt.Sscanf(q.S.Value(), "http://ex/event%d", &n)
	return n
}

// TestAGraphSentAgainCostsLittle checks that a robot can send everything it knows again,
// with a few additions each time.
func TestAGraphSentAgainCostsLittle(t *testing.T) {
	suite.NotShort(t)
	s := openStore(t)
	size := func() (n int) {
		err := s.View(func(snap *engine.Snapshot) error {
			for _, name := range []string{"logs", "pieces", "hashes"} {
				for k, v := range kv.All(snap.KV().Bucket(engine.GraphPath(0, name)...)) {
					n += len(k) + len(v)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	text := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<http://ex/event%d> a <http://ex/Event> ; <http://ex/n> %d ; <http://ex/at> \"place %d\" .\n", i, i, i%7)
		}
		return b.String()
	}
	publish(t, s, text(5000))
	first := size()
	if perTriple := float64(first) / 15_000; perTriple > 8 {
		t.Errorf("%.1f bytes a triple", perTriple)
	}
	for n := range 10 {
		publish(t, s, text(5010+10*n))
	}
	if grown := size() - first; grown > first/5 {
		t.Errorf("ten times the graph again cost %d bytes, and the first time %d", grown, first)
	}
	mustCheck(t, s)
}

func TestAContributionIsDeletedWithItsGraph(t *testing.T) {
	s := openStore(t)
	id := publish(t, s, large(0, 100))
	load(t, s, turtle.TriG, "<http://ex/g> { <http://ex/a> <http://ex/p> 1 }")
	if _, err := s.Clear(t.Context(), true, journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear}); err != nil {
		t.Fatal(err)
	}
	mustCheck(t, s)
	if l := logged(t, s, id); l.Kept || l.Total != 0 || len(l.Entries) != 1 {
		t.Errorf("after everything was deleted: %+v", l)
	}
	if _, err := textOf(t, s, id, turtle.Turtle); !errors.Is(err, store.ErrNotKept) {
		t.Errorf("WriteTo returned %v", err)
	}
	named := quads(t, turtle.NQuads, "<http://ex/a> <http://ex/p> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> <http://ex/g> .")[0]
	if got := contributors(t, s, named, 10); len(got) != 1 {
		t.Errorf("the triple of another graph was contributed by %v", got)
	}
	again := publish(t, s, large(0, 100))
	if l := logged(t, s, again); !l.Kept || l.Total != 400 {
		t.Errorf("published again: %d triples, kept %v", l.Total, l.Kept)
	}
	mustCheck(t, s)
}

func textOf(t *testing.T, s opened, id string, f turtle.Format) (string, error) {
	t.Helper()
	x, err := s.LogText(t.Context(), id, f)
	if err != nil {
		return "", err
	}
	defer x.Close()
	var b bytes.Buffer
	_, err = x.WriteTo(&b)
	return b.String(), err
}

func TestALogAsTextIsWhatWasPublished(t *testing.T) {
	s := openStore(t)
	publish(t, s, "<http://ex/other> <http://ex/p> 1 .")
	id := publish(t, s, sample)
	for _, f := range []turtle.Format{turtle.Turtle, turtle.NTriples} {
		text, err := textOf(t, s, id, f)
		if err != nil {
			t.Fatal(err)
		}
		if !canon.Isomorphic(quads(t, f, text), quads(t, turtle.Turtle, sample)) {
			t.Errorf("the text in format %v is\n%s", f, text)
		}
	}
	if _, err := s.LogText(t.Context(), "none", turtle.Turtle); !errors.Is(err, store.ErrNoLog) {
		t.Errorf("a log that is not there: %v", err)
	}
	if l, err := s.Log(t.Context(), "none", 1); err != nil || l.Entries != nil {
		t.Errorf("a log that is not there: %+v, %v", l, err)
	}
}

// TestLogsOfAGroupKeepTheirOwn checks documents that share a transaction and triples.
func TestLogsOfAGroupKeepTheirOwn(t *testing.T) {
	s := openStore(t)
	const writers = 40
	ids, errs := make([]string, writers), make(chan error, writers)
	for i := range writers {
		d := document(t, turtle.Turtle, fmt.Sprintf("<http://ex/shared> a <http://ex/Thing> . <http://ex/own%d> a <http://ex/Thing> .", i))
		ids[i] = journal.NewLogID()
		go func() {
			_, err := s.Add(t.Context(), d, journal.Entry{LogID: ids[i], Action: journal.Insert, Triples: 2})
			errs <- err
		}()
	}
	for range writers {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		want := quads(t, turtle.Turtle, fmt.Sprintf("<http://ex/shared> a <http://ex/Thing> . <http://ex/own%d> a <http://ex/Thing> .", i))
		if l := logged(t, s, id); !canon.Isomorphic(l.Quads, want) {
			t.Errorf("log %d has %v", i, l.Quads)
		}
	}
	shared := quads(t, turtle.Turtle, "<http://ex/shared> a <http://ex/Thing> .")[0]
	if got := contributors(t, s, shared, 100); len(got) != writers {
		t.Errorf("the shared triple was contributed by %d logs", len(got))
	}
	mustCheck(t, s)
}
