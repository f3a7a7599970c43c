package engine

import (
	"bytes"
	"context"
	"errors"
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/rdf"
)

// A file of schema 1 that was not closed may have a bucket of deferred deltas. It maps a
// number to encoded additions, removals and records, followed by a CRC-32C. Some of their
// content may already be in some indexes.
var deferredName = []byte("late")

// migrate stores the deltas that an earlier version deferred.
func (s *Store) migrate() error {
	var deferred []*Delta
	there := false
	err := s.View(func(snap *Snapshot) (err error) {
		there = snap.bolt.Bucket(deferredName) != nil
		deferred, err = readDeferred(snap.bolt)
		return err
	})
	if err != nil || !there {
		return err
	}
	return s.direct(context.Background(), directly{do: func(tx *Tx) error {
		for _, d := range deferred {
			if err := tx.Apply(d); err != nil {
				return err
			}
		}
		return tx.KV().Remove(string(deferredName))
	}})
}

// readDeferred adds the deltas that an earlier version deferred to the memtable of a
// read-only file.
func (s *Store) readDeferred() error {
	tx, err := s.file.Begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // fails only if already closed
	deferred, err := readDeferred(tx)
	if err != nil {
		return err
	}
	for _, d := range deferred {
		levels, _ := s.state.above(tx)
		unit, err := s.newTx(reading{tx, levels})
		if err == nil {
			err = unit.Apply(d)
		}
		if err == nil {
			err = unit.finish()
		}
		if err != nil {
			return err
		}
		s.state.levels[0].Merge(unit.own)
	}
	return nil
}

// readDeferred returns the deltas that an earlier version deferred.
func readDeferred(tx *bolt.Tx) ([]*Delta, error) {
	b := tx.Bucket(deferredName)
	if b == nil {
		return nil, nil
	}
	var out []*Delta
	err := b.ForEach(func(k, v []byte) error {
		text, err := kv.Unseal(k, v)
		if err != nil {
			return err
		}
		d := &Delta{}
		if text, err = cutDocument(text, &d.Add); err == nil {
			text, err = cutDocument(text, &d.Remove)
		}
		if err == nil {
			text, err = cutRecords(text, &d.Records)
		}
		if err != nil || len(text) > 0 {
			return &kv.DamagedError{Key: slices.Clone(k)}
		}
		out = append(out, d)
		return nil
	})
	return out, err
}

// cutDocument decodes a document from the front of b.
func cutDocument(b []byte, d *store.Document) (rest []byte, err error) {
	in := varint.NewReader(b)
	for range in.Count(len(b)) {
		switch kind := rdf.Kind(in.Byte()); kind {
		case rdf.KindIRI:
			d.Terms = append(d.Terms, rdf.NewIRI(in.Text()))
		case rdf.KindLiteral:
			value, datatype, language := in.Text(), in.Text(), in.Text()
			if language != "" {
				d.Terms = append(d.Terms, rdf.NewLang(value, language))
			} else {
				d.Terms = append(d.Terms, rdf.NewLiteral(value, datatype))
			}
		default:
			in.Fail()
		}
	}
	for range in.Count(len(b)) {
		var q [4]uint32
		for i := range q[:3] {
			q[i] = uint32(in.Count(len(d.Terms) - 1))
		}
		q[3] = uint32(in.Count(len(d.Terms))) - 1
		d.Quads = append(d.Quads, q)
	}
	if in.Failed() {
		return nil, errDeferred
	}
	return in.Rest(), nil
}

var errDeferred = errors.New("a deferred delta can't be decoded")

// cutRecords decodes records from the front of b. An empty b has none: the first versions
// did not defer records.
func cutRecords(b []byte, records *[]Record) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	in := varint.NewReader(b)
	for range in.Count(len(b)) {
		r := Record{Key: []byte(in.Text())}
		if n := in.Count(len(b)); n > 0 {
			r.Value = bytes.Clone(in.Bytes(n - 1))
		}
		*records = append(*records, r)
	}
	if in.Failed() {
		return nil, errDeferred
	}
	return in.Rest(), nil
}
