package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/tree"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
)

// Check reads and verifies the whole store: the file's pages, the checksum of each block,
// and the data of extensions. Terms and ids must match. Each graph must have a name, and
// sorted indexes that hold the same triples with the right counts. No id may be assigned
// twice. The journal's entries must form a chain and be found by their ids. Check uses no
// caches and needs about one bit of memory for each term. The error is a
// *file.DamagedError, an *UncheckedError, or the context's.
func (s *Store) Check(ctx context.Context) error {
	_, err := s.Inspect(ctx)
	return err
}

// Report describes the content of a good file.
type Report struct {
	Triples int64 // in all graphs
	Graphs  int
	Terms   int64        // in the dictionary
	Head    journal.Head // of the journal
}

// Inspect verifies the whole store, as Check does, and returns a report.
func (s *Store) Inspect(ctx context.Context) (report Report, err error) {
	if err := s.file.Check(ctx); err != nil {
		return report, err
	}
	err = s.View(func(snap *Snapshot) error {
		snap.Reader = snap.dictionary(nil) // without a cache, which would hide damage
		c := Checker{ctx: ctx, Snapshot: snap, extensions: s.extensions}
		err := c.run()
		report = c.report
		if err != nil && ctx.Err() == nil && !errors.As(err, new(*UncheckedError)) {
			return &file.DamagedError{Path: s.file.Path(), Detail: err.Error()}
		}
		return err
	})
	if ctx.Err() != nil {
		return report, ctx.Err()
	}
	return report, err
}

// Checker verifies a snapshot.
type Checker struct {
	*Snapshot
	ctx    context.Context
	terms  dict.IDSet // ids in the dictionary
	blanks uint64     // one more than the greatest number of an unlabelled blank node
	report Report

	extensions []Extension
	unchecked  error // the first error of an extension that could not be checked
}

// run verifies what the file's own check does not: terms, texts, graphs, extensions, counters, and the journal with
// its tree.
func (c *Checker) run() error {
	if err := c.checkDictionary(); err != nil {
		return err
	}
	if err := c.checkTexts(); err != nil {
		return err
	}
	c.report.Head = journal.HeadOf(c.KV())
	if graphs := c.tx().Bucket(graphsName); graphs != nil {
		err := graphs.ForEach(func(k, v []byte) error {
			if len(k) != 8 || v != nil {
				return fmt.Errorf("%x is not a graph", k)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, g := range c.Graphs() {
		if err := c.checkGraph(g); err != nil {
			return fmt.Errorf("graph %#x: %w", uint64(g), err)
		}
	}
	if err := c.checkExtensions(); err != nil {
		return err
	}
	if err := c.checkCounters(); err != nil {
		return err
	}
	revoked, signedEntries := checkRevoked{}, 0
	entries, err := tree.NewVerifier(c.KV())
	if err != nil {
		return err
	}
	err = journal.Verify(c.KV(), func(h journal.Head, stored []byte) error {
		if journal.IsSigned(stored) {
			signedEntries++
		}
		return cmp.Or(entries.Add(stored), revoked.note(h, stored), c.ctx.Err())
	})
	if err != nil {
		return err
	}
	if _, err := entries.End(); err != nil {
		return err
	}
	if err := revoked.compare(c.KV()); err != nil {
		return err
	}
	return cmp.Or(journal.CheckIDs(c.KV()), journal.CheckBeside(c.KV()), journal.CheckSigned(c.KV(), signedEntries), c.unchecked)
}

// Caching returns a copy of the snapshot that caches terms, for repeated reads of the
// same ones.
func (c *Checker) Caching() *Snapshot {
	snap := *c.Snapshot
	snap.Reader = c.dictionary(&dict.Cache{})
	return &snap
}

// Context returns the context of the check.
func (c *Checker) Context() context.Context { return c.ctx }

// Scratch returns the paths of the scratch buckets of large documents that are not stored
// yet: see LargeContribution.
func (c *Checker) Scratch() [][]string { return scratches(c.tx()) }

// checkExtensions lets the extensions verify their data. An *UncheckedError is reported
// only if everything else is good.
func (c *Checker) checkExtensions() error {
	for _, x := range c.extensions {
		if x.Check == nil {
			continue
		}
		err := x.Check(c)
		if errors.As(err, new(*UncheckedError)) {
			c.unchecked = cmp.Or(c.unchecked, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkCounters verifies that no assigned id will be assigned again.
func (c *Checker) checkCounters() error {
	next, err := c.numbers()
	if err != nil {
		return err
	}
	for tag := range next {
		counter := tag
		if tag == ids.TagBlank { // labelled blank nodes have their own counter
			counter = ids.TagNone
		}
		if n := c.terms.End(tag); n > next[counter] {
			return fmt.Errorf("the dictionary's counter for kind %d is %d, but %d ids are assigned", tag, next[counter], n)
		}
	}
	if c.blanks > next[ids.TagBlank] {
		return fmt.Errorf("the counter of blank nodes is %d, but %d are assigned", next[ids.TagBlank], c.blanks)
	}
	return nil
}

// checkDictionary verifies that each text leads to a term, and that term back to the same
// id.
func (c *Checker) checkDictionary() error {
	if err := dict.CheckSecret(c.tx().Bucket(dictName)); err != nil {
		return err
	}
	texts := c.dictionary(nil) // a separate reader, because look-ups move the position of Texts
	n := 0
	for _, kind := range []rdf.Kind{rdf.KindBlank, rdf.KindIRI, rdf.KindLiteral, rdf.KindTriple} {
		err := texts.Texts(kind, "", func(id dict.ID) (bool, error) {
			if n++; n%1000 == 0 && c.ctx.Err() != nil {
				return false, c.ctx.Err()
			}
			t, err := c.Term(id)
			if err != nil {
				return false, err
			}
			back, _, err := c.ID(t)
			if err == nil && t.Direction() != "" && !file.Has(c.tx(), file.Directions) {
				err = fmt.Errorf("%v has a base direction, and the file does not say that it has some", t)
			}
			if err == nil && (back != id || id.Kind() != kind) {
				err = fmt.Errorf("%v is stored as id %#x and found as %#x", t, uint64(id), uint64(back))
			}
			c.terms.Add(id)
			c.report.Terms++
			return true, err
		})
		if err != nil {
			return err
		}
	}
	return c.checkTriples()
}

// checkGraph compares the indexes by their numbers of triples and by order-independent
// sums.
func (c *Checker) checkGraph(g dict.ID) error {
	if g != defaultGraph {
		if err := c.CheckTerms(g); err != nil {
			return fmt.Errorf("it has no name: %w", err)
		}
		if g.IsLiteral() {
			return errors.New("its name is a literal")
		}
	}
	v := c.view(g)
	if err := v.checkBuckets(); err != nil {
		return err
	}
	var counts [orders.Count]int64
	var sums [orders.Count]uint64
	triples := int64(0)
	found := predicates{view: v}
	for _, o := range orders.All {
		err := c.checkIndex(v.indexes[o], func(t index.Tuple) error {
			sub, p, obj := o.Triple(t)
			if o == SPO {
				triples++
			}
			counts[o]++
			sums[o] += index.Hash(SPO.Tuple(sub, p, obj))
			if o != POS {
				return nil
			}
			found.add(p)
			return c.CheckTerms(sub, p, obj) // once for each triple, in the order in which equal terms are near one another
		})
		if err != nil {
			return fmt.Errorf("index %s: %w", indexNames[o], err)
		}
	}
	for o := range counts {
		if counts[o] != counts[SPO] || sums[o] != sums[SPO] {
			return fmt.Errorf("the indexes do not hold the same triples (%d of %s and %d of %s)", counts[SPO], SPO, counts[o], Order(o))
		}
	}
	found.compare(found.last, found.with)
	found.compare(0, triples)
	if found.wrong != nil {
		return found.wrong
	}
	c.report.Graphs++
	c.report.Triples += triples
	return v.checkCounts(&found.all, triples > 0)
}

// checkBuckets verifies that each part of the graph has all indexes, or none and no counts:
// an extension may store records in the bucket of a graph before its first triple.
func (v *view) checkBuckets() error {
	for part, counts := range v.counts {
		has := func(x index.Index) bool { return x.Parts[part] != nil }
		if counts == nil && !slices.ContainsFunc(v.indexes[:], has) {
			continue
		}
		for o, x := range v.indexes {
			if !has(x) {
				return fmt.Errorf("index %s: it is missing", indexNames[o])
			}
		}
		if counts == nil {
			return errors.New("the counts are missing")
		}
	}
	return nil
}

// checkIndex verifies that an index's tuples are sorted, and calls f with each.
func (c *Checker) checkIndex(x index.Index, f func(index.Tuple) error) error {
	scan := x.Scan()
	lo, hi := index.Prefix()
	scan.Seek(lo, hi)
	var last index.Tuple
	for batch := scan.Next(); batch != nil; batch = scan.Next() {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		for _, t := range batch {
			if !ids.Less(&last, &t) { // no tuple is all zeros
				return fmt.Errorf("%x stands behind %x", t, last)
			}
			if err := f(t); err != nil {
				return err
			}
			last = t
		}
	}
	return scan.Err()
}

// CheckTerms verifies that each id has a term and, unless it is inline, is found by the term's text.
func (c *Checker) CheckTerms(ids ...dict.ID) error {
	for _, id := range ids {
		if c.terms.Has(id) {
			continue
		}
		if n, ok := id.BlankNumber(); ok {
			c.blanks = max(c.blanks, n+1)
		}
		if _, err := c.Term(id); err != nil {
			return err
		}
		if !id.Inline() {
			return fmt.Errorf("id %#x can't be found by its text", uint64(id))
		}
	}
	return nil
}

// predicates compares the stored counts of a graph, summed over its parts, with the predicates of POS.
type predicates struct {
	view  *view
	all   dict.IDSet
	last  dict.ID // the one that is read
	with  int64   // triples with it
	wrong error   // the first difference
}

// add adds the predicate of the next triple.
func (x *predicates) add(p dict.ID) {
	if p != x.last {
		x.compare(x.last, x.with)
		x.all.Add(p)
		x.last, x.with = p, 0
	}
	x.with++
}

// compare compares the stored count of a predicate, or the total, whose key is 0, with n, unless that is 0.
func (x *predicates) compare(p dict.ID, n int64) {
	if stored := x.view.count(p); stored != n && n > 0 {
		x.wrong = cmp.Or(x.wrong, fmt.Errorf("the count of predicate %#x is %d instead of %d", uint64(p), stored, n))
	}
}

// checkCounts verifies that only the predicates of a graph have counts and, if it has triples, the total, whose key is 0.
func (v *view) checkCounts(found *dict.IDSet, triples bool) error {
	several := len(v.counts)+len(v.levels) > 1 // then counts may cancel each other; a single one is never stored as 0
	check := func(p dict.ID) error {
		if found.Has(p) || p == 0 && triples {
			return nil
		}
		if n := v.count(p); n != 0 || !several {
			return fmt.Errorf("the count of predicate %#x is %d instead of 0", uint64(p), n)
		}
		return nil
	}
	for _, b := range v.counts {
		if b == nil { // see checkBuckets
			continue
		}
		err := b.ForEach(func(k, v []byte) error {
			if len(k) != 8 || len(v) != 8 {
				return fmt.Errorf("%x is not a count", k)
			}
			return check(dict.ID(binary.BigEndian.Uint64(k)))
		})
		if err != nil {
			return err
		}
	}
	var err error
	for _, l := range v.levels {
		l.Counts(v.graph, func(p dict.ID, _ int64) { err = cmp.Or(err, check(p)) })
	}
	return err
}
