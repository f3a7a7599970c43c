package persist

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/forgotten"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/vocabulary"
)

// lookBeside looks at a read snapshot, while observations and logs are stored. If erase is set, it first gives ids to
// the terms that replace the person's terms.
func (x *erasing) lookBeside(ctx context.Context, erase bool) error {
	for {
		err := x.store.View(func(snap *engine.Snapshot) error {
			if err := x.find(snap); err != nil || erase && slices.Contains(x.termIDs, 0) {
				return err
			}
			_, err := x.look(ctx, snap)
			return err
		})
		if err != nil || !erase || !slices.Contains(x.termIDs, 0) {
			return err
		}
		if err := x.store.Update(ctx, func(tx *engine.Tx) error { return tx.IDs(x.terms, x.termIDs) }); err != nil {
			return err
		}
	}
}

// restAfter is how long an erasure looks before it leaves the processor, three times as long, to others who write.
const restAfter = time.Millisecond

// rest sleeps now and then, if others write and the erasure is not in a hurry: three times as long
// as it worked.
func (x *erasing) rest() {
	if x.looked++; x.looked%64 != 0 || x.hurry {
		return
	}
	if worked := time.Since(x.working); worked > restAfter {
		if units := x.store.Units(); units != x.written {
			x.written = units
			time.Sleep(3 * worked)
		}
		x.working = time.Now()
	}
}

// in reports whether a text has an IRI of the person.
func (x *erasing) in(text string) bool {
	x.rest()
	return x.list.In(text)
}

// blank returns a text without the person's IRIs.
func (x *erasing) blank(text string) string { return x.list.Blank(text, journal.ErasedText) }

// names reports whether a subject or a robot is the person, or a text has an IRI of the person.
func (x *erasing) names(text string) bool {
	return x.list.Has(text) || x.list.In(text)
}

// says reports whether a text is, or has, an IRI of the person. Another name may be a user's, or a word.
func (x *erasing) says(text string) bool {
	return x.list.Has(text) && rdf.IsIRI(text) || x.list.In(text)
}

// noted reports whether a note has an IRI of the person.
func (x *erasing) noted(n *notes.Note) bool { return x.says(n.Owner) || x.in(n.Name) || x.in(n.Text) }

// lessNote takes the person out of a token's or a class's note as the one who made it, and reports whether the note then
// names nobody.
func (x *erasing) lessNote(n *notes.Note) bool {
	if n.Kind == notes.Token || n.Kind == notes.Class {
		var fields map[string]any
		if json.Unmarshal([]byte(n.Text), &fields) == nil {
			for _, by := range []string{"actor", "by"} {
				if name, ok := fields[by].(string); ok {
					fields[by] = forgotten.User(x.list, name, journal.ErasedText)
				}
			}
			if text, err := json.Marshal(fields); err == nil {
				n.Text = string(text)
			}
		}
	}
	return !x.noted(n)
}

// about reports whether an entry's log loses triples, its context lost observations, or the body of its signed request has an IRI
// of the person, as in a prefix.
func (x *erasing) about(seq uint64, e *journal.Entry) bool {
	x.rest()
	if x.logs[seq] > 0 || x.of.URIs[e.Context] {
		return true
	}
	body, _ := journal.SignedBody(x.snap.KV(), seq, e) // none if it is damaged
	text, _ := coding.Decoded(body, journal.MaxBody)
	return x.list.In(string(text))
}

// look reads a snapshot in which find has looked, and counts what goes. It returns how the resolver's records change.
func (x *erasing) look(ctx context.Context, snap *engine.Snapshot) (change resolver.Change, err error) {
	of := func(iri string) (string, bool) { x.rest(); return x.list.Of(iri) }
	if change, x.of, err = resolver.Forgettable(ctx, records{snap.Records()}, of, x.blank); err != nil {
		return change, err
	}
	r := snap.KV()
	x.last, x.graphs, x.logs = journal.HeadOf(r), map[dict.ID]*erasingGraph{}, map[uint64]int{}
	x.texts, x.links = map[dict.ID]bool{}, map[dict.ID]bool{}
	if x.topic, _, err = snap.ID(vocabulary.Sentences.About); err != nil {
		return change, err
	}
	for i, all := range [][]rdf.Term{vocabulary.Sentences.Texts, vocabulary.Sentences.From, vocabulary.Sentences.To} {
		for _, t := range all {
			p, found, err := snap.ID(t)
			switch {
			case err != nil:
				return change, err
			case found && i == 0:
				x.texts[p] = true
			case found:
				x.links[p] = i == 1
			}
		}
	}
	x.out.Observations, x.out.Contexts, x.out.Terms, x.out.Triples = x.of.Observations, x.of.Contexts, len(x.ids), 0
	for _, g := range snap.Graphs() {
		if err := x.lookAt(ctx, snap, g); err != nil {
			return change, err
		}
	}
	x.count()
	if x.notes, err = notes.Naming(r, x.noted); err != nil {
		return change, err
	}
	if x.answers, x.kept, err = retries.Naming(r, 0, x.in); err != nil {
		return change, err
	}
	x.inside = nil
	x.named, err = journal.Named(ctx, r, 0, x.says, x.names, func(seq uint64, e *journal.Entry) bool {
		if x.of.URIs[e.Context] {
			x.inside = append(x.inside, seq)
		}
		return x.about(seq, e)
	})
	x.out.Logs, x.out.Notes, x.out.Answers, x.out.Entries = len(x.logs), len(x.notes), len(x.answers), len(x.named)
	return change, err
}

// lookAt finds and counts what goes from a graph: the triples of gone, and from the lists of logs also what names the
// person, or is a text of a node that does, but is not in the graph any more.
func (x *erasing) lookAt(ctx context.Context, snap *engine.Snapshot, id dict.ID) error {
	g := &erasingGraph{said: map[dict.ID]bool{}}
	gone, err := x.gone(ctx, snap, id, g)
	if err != nil {
		return err
	}
	x.out.Triples += len(gone)
	g.Forgetting, err = x.store.Provenance.Forgetting(ctx, snap.KV(), id, gone, func(t index.Tuple) bool {
		x.rest()
		if g.named || slices.ContainsFunc(t[:], func(id uint64) bool { _, is := x.ids[dict.ID(id)]; return is }) {
			return true
		}
		return g.said[dict.ID(t[0])] && x.texts[dict.ID(t[1])] && isText(x.snap, dict.ID(t[2]))
	})
	if err == nil && len(g.Gone) > 0 {
		x.graphs[id] = g
	}
	return err
}

// count notes which logs lose triples.
func (x *erasing) count() {
	clear(x.logs)
	for _, g := range x.graphs {
		for seq, triples := range g.Logs {
			if !g.contexts {
				x.logs[seq] += triples
			}
		}
	}
}
