package persist

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/provenance"
	"github.com/segraph/segraph/store/rdf"
)

// withdrawnName is the bucket of what withdrawn logs may have brought to shared contexts that are still there. A key is one of
// the bytes below, the number of a context, and the number of the entry of a log that named the context.
const withdrawnName = "withdrawn"

const (
	brought = 'b' // -> the numbers of observations of the context
	due     = 'd' // -> nothing: the log was withdrawn, and what it brought may still go
)

func withdrawnKey(kind byte, numbers ...uint64) []byte {
	key := []byte{kind}
	for _, n := range numbers {
		key = binary.BigEndian.AppendUint64(key, n)
	}
	return key
}

// withdrawnOf calls f with each log that has a key of a kind, of one context or, without one, of all.
func withdrawnOf(r kv.Reader, kind byte, f func(context, log uint64, key, sealed []byte) error, context ...uint64) error {
	prefix := withdrawnKey(kind, context...)
	for key, sealed := range kv.From(r.Bucket(withdrawnName), prefix) {
		if !bytes.HasPrefix(key, prefix) {
			break
		}
		if len(key) != 17 {
			return fmt.Errorf("what a withdrawn log contributed has the wrong key %x", key)
		}
		if err := f(binary.BigEndian.Uint64(key[1:]), binary.BigEndian.Uint64(key[9:]), key, sealed); err != nil {
			return err
		}
	}
	return nil
}

// broughtIn returns the numbers of observations in a value.
func broughtIn(key, sealed []byte) ([]uint64, error) {
	value, err := kv.Unseal(key, sealed)
	numbers, ok := varint.All(value)
	if err == nil && !ok {
		err = &kv.DamagedError{Key: key}
	}
	return numbers, err
}

// checkWithdrawn verifies that what is kept for withdrawals can be read.
func checkWithdrawn(c *engine.Checker) error {
	for _, kind := range []byte{brought, due} {
		err := withdrawnOf(c.KV(), kind, func(_, _ uint64, key, sealed []byte) error {
			_, err := broughtIn(key, sealed)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropWithdrawn removes what was noted of contexts that go.
func dropWithdrawn(tx *engine.Tx, contexts []uint64) error {
	var keys [][]byte
	for _, n := range contexts {
		for _, kind := range []byte{brought, due} {
			err := withdrawnOf(tx.KV(), kind, func(_, _ uint64, key, _ []byte) error {
				keys = append(keys, slices.Clone(key))
				return nil
			}, n)
			if err != nil {
				return err
			}
		}
	}
	return dropKeys(tx, keys)
}

// dropKeys removes keys of what is kept for withdrawals.
func dropKeys(tx *engine.Tx, keys [][]byte) error {
	if len(keys) == 0 {
		return nil
	}
	b, err := tx.KV().Writable(withdrawnName)
	for _, key := range keys {
		if err == nil {
			err = b.Delete(key)
		}
	}
	return err
}

// noteWithdrawn notes which contexts logs named that are being withdrawn, and what they may have brought there; see
// provenance.Options.
func noteWithdrawn(tx *engine.Tx, gone []provenance.Gone) error {
	snap := tx.Snapshot()
	in, err := newContextFinder(snap)
	if in == nil || err != nil {
		return err
	}
	var noted []resolver.Brought
	var logs []uint64
	for i := range gone {
		l := &gone[i]
		found, err := in.find(l.Triples, func() (string, error) { return decisionBeside(tx.KV(), l) })
		if err != nil {
			return err
		}
		l.Contexts = nil // this may be the second call
		for _, b := range found {
			l.Contexts, noted, logs = append(l.Contexts, b.Root), append(noted, b), append(logs, l.Seq)
		}
	}
	if len(noted) == 0 {
		return nil
	}
	w, err := tx.KV().Writable(withdrawnName)
	if err != nil {
		return err
	}
	for i, b := range noted {
		var value []byte
		for _, o := range b.Observations {
			value = varint.Append(value, o)
		}
		for kind, value := range map[byte][]byte{brought: value, due: nil} {
			key := withdrawnKey(kind, b.Context, logs[i])
			if err := w.Put(key, kv.Seal(key, value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// decisionBeside returns the id of the decision on the observation that came with a log in one line, or "".
func decisionBeside(r kv.Reader, log *provenance.Gone) (string, error) {
	if log.Seq == 1 || log.Entry.RequestID == "" {
		return "", nil
	}
	e, err := journal.Get(r, log.Seq-1)
	if err != nil || e.Action != journal.Resolve || e.RequestID != log.Entry.RequestID || e.Actor != log.Entry.Actor {
		return "", err
	}
	return e.Decision, nil
}

// contextsNamed is provenance.Options.Contexts.
func contextsNamed(snap *engine.Snapshot, triples map[dict.ID][]index.Tuple) (numbers []uint64, err error) {
	in, err := newContextFinder(snap)
	if in == nil || err != nil {
		return nil, err
	}
	found, err := in.find(triples, func() (string, error) { return "", nil })
	for _, b := range found {
		numbers = append(numbers, b.Root)
	}
	return numbers, err
}

// contextFinder finds contexts that triples name.
type contextFinder struct {
	snap    *engine.Snapshot
	finder  *index.Finder
	unknown map[dict.ID]bool // terms that the graph of contexts says nothing of
}

// newContextFinder returns a contextFinder on a snapshot, or nil if there are no contexts.
func newContextFinder(snap *engine.Snapshot) (*contextFinder, error) {
	g, known, err := snap.ID(contextsGraph)
	if err != nil || !known || !slices.Contains(snap.Graphs(), g) {
		return nil, err
	}
	return &contextFinder{snap: snap, finder: snap.Finder(g, engine.SPO), unknown: map[dict.ID]bool{}}, nil
}

// find returns the contexts that triples, by graph, name: as a subject, an object or a graph, also in triple terms. decision
// returns the id of the decision on an observation that came with the triples, or "".
func (f *contextFinder) find(triples map[dict.ID][]index.Tuple, decision func() (string, error)) (found []resolver.Brought, err error) {
	did := map[dict.ID]bool{}
	for _, p := range doers {
		id, known, err := f.snap.ID(p)
		if err != nil {
			return nil, err
		}
		did[id] = known
	}
	terms, agents := map[dict.ID]bool{}, map[dict.ID]bool{}
	for g, all := range triples {
		terms[g] = true
		for _, t := range all {
			if did[dict.ID(t[1])] {
				agents[dict.ID(t[2])] = true
			}
			if err := f.add(terms, dict.ID(t[0]), dict.ID(t[2])); err != nil {
				return nil, err
			}
		}
	}
	placed := ""
	for _, id := range slices.Sorted(maps.Keys(terms)) {
		if !id.IsIRI() || f.unknown[id] {
			continue
		}
		f.finder.Seek(index.Tuple{uint64(id)}, index.Tuple{uint64(id), math.MaxUint64, math.MaxUint64})
		if len(f.finder.Next()) == 0 {
			if err := f.finder.Err(); err != nil {
				return nil, err
			}
			f.unknown[id] = true
			continue
		}
		uri, err := f.snap.Term(id)
		if err == nil && placed == "" {
			placed, err = decision()
		}
		if err != nil {
			return nil, err
		}
		b, err := resolver.BroughtBy(records{f.snap.Records()}, uri.Value(), placed, func(robot string) (bool, error) {
			id, _, err := f.snap.ID(rdf.NewIRI(robot))
			return agents[id], err
		})
		if err != nil {
			return nil, err
		}
		if b.Context != 0 {
			found = append(found, b)
		}
	}
	return found, nil
}

// add adds terms, and those within triple terms.
func (f *contextFinder) add(terms map[dict.ID]bool, some ...dict.ID) error {
	for _, id := range some {
		terms[id] = true
		if !id.IsTriple() {
			continue
		}
		parts, err := f.snap.Parts(id)
		if err == nil {
			err = f.add(terms, parts[0], parts[2])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
