package engine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
)

// Delta is a change of an extension's records and of quads. Its quads have no blank
// nodes.
type Delta struct {
	Records []Record
	// Remove and Add are disjoint sets of quads.
	Remove, Add store.Document
	Entry       *journal.Entry // journal entry that contributes the added quads of the published graph, unless it is a Resolve; may be nil
}

// Record is a value with its key, in the bucket of records. A nil value removes the key.
// The engine keeps the value, and may write a checksum into its slice's spare capacity.
type Record struct{ Key, Value []byte }

// lastOfEach returns the last record of each key, sorted by key. It reuses records'
// memory.
func lastOfEach(records []Record) []Record {
	slices.SortStableFunc(records, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	last := records[:0]
	for i, r := range records {
		if i+1 == len(records) || !bytes.Equal(r.Key, records[i+1].Key) {
			last = append(last, r)
		}
	}
	return last
}

// Apply does what a delta of the resolver says: it stores records, removes and adds quads, and appends the entry.
func (tx *Tx) Apply(d *Delta) error {
	d.Records = lastOfEach(d.Records)
	if err := tx.putRecords(d.Records); err != nil {
		return err
	}
	removed, err := tx.tuples(&d.Remove)
	if err != nil {
		return err
	}
	for _, g := range slices.Sorted(maps.Keys(removed)) {
		if _, err := tx.Remove(g, removed[g]); err != nil {
			return err
		}
	}
	if _, err := tx.addDocument(&d.Add, nil); err != nil {
		return err
	}
	if d.Entry == nil || d.Entry.Action == journal.Resolve { // an observation is not a log
		tx.contributed = nil
	}
	// Quads of named graphs mirror the records, and are of no log.
	tx.contributed = slices.DeleteFunc(tx.contributed, func(c contribution) bool { return c.graph != defaultGraph })
	if d.Entry == nil {
		return nil
	}
	return tx.Journal(*d.Entry)
}

// DropRecords removes all records.
func (tx *Tx) DropRecords() error {
	return tx.KV().Remove(recordsName)
}

// RemoveGraph removes a named graph.
func (tx *Tx) RemoveGraph(name rdf.Term) error {
	var id [1]dict.ID
	if err := tx.dict.Find([]rdf.Term{name}, id[:]); err != nil || id[0] == 0 {
		return err
	}
	tx.touchEmptied(name)
	return tx.removeGraph(id[0])
}

// recordsName is the bucket of records: key -> value and the CRC-32C of both.
const recordsName = "contexts"

// putRecords stores records, sorted by key. It deletes those whose Value is nil. The caller
// must not change the values afterwards, and their slices must not overlap.
func (tx *Tx) putRecords(records []Record) error {
	if len(records) == 0 {
		return nil
	}
	b, err := tx.KV().Writable(recordsName)
	if err != nil {
		return fmt.Errorf("opening the records: %w", err)
	}
	for _, r := range records {
		if r.Value == nil {
			err = b.Delete(r.Key)
		} else {
			err = b.Put(r.Key, kv.SealInPlace(r.Key, r.Value))
		}
		if err != nil {
			return fmt.Errorf("writing the records: %w", err)
		}
	}
	return nil
}

// tuples returns the ids of a document's triples by graph. It omits triples with a term
// that has no id.
func (tx *Tx) tuples(d *store.Document) (map[dict.ID][]index.Tuple, error) {
	ids := make([]dict.ID, len(d.Terms))
	if err := tx.dict.Find(d.Terms, ids); err != nil {
		return nil, err
	}
	out := map[dict.ID][]index.Tuple{}
	for _, q := range d.Quads {
		g := defaultGraph
		if q[3] != store.NoGraph {
			if g = ids[q[3]]; g == 0 {
				continue
			}
		}
		s, p, o := ids[q[0]], ids[q[1]], ids[q[2]]
		if s != 0 && p != 0 && o != 0 {
			out[g] = append(out[g], SPO.Tuple(s, p, o))
		}
	}
	return out, nil
}
