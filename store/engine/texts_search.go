package engine

import (
	"bytes"
	"cmp"
	"context"
	"math"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/memtable"
	"github.com/segraph/segraph/store/engine/text"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/source"
	"github.com/segraph/segraph/store/trigram"
)

// textQuery is the key of a cached answer. strings limits the query to strings; otherwise
// it covers all terms that have a text.
type textQuery struct {
	*trigram.Query
	strings bool
}

type textAnswer struct {
	ranges []source.IDRange
	ok     bool
}

// TextRanges implements source.Reader: with strings, q is about strings only. It caches its answers.
func (d snapshotDataset) TextRanges(q *trigram.Query, strings bool) (ranges []source.IDRange, ok bool, err error) {
	key := textQuery{q, strings}
	if a, ok := d.textRanges[key]; ok {
		return a.ranges, a.ok, nil
	}
	ranges, ok, err = d.textCandidates(q, strings)
	if err != nil {
		return nil, false, err
	}
	if d.textRanges == nil {
		d.textRanges = map[textQuery]textAnswer{}
	}
	d.textRanges[key] = textAnswer{ranges, ok}
	return ranges, ok, nil
}

// textCandidates returns the ranges of ids that q may match: of strings, or else of all
// terms that have a text. It reports false if they exclude too little.
func (s *Snapshot) textCandidates(q *trigram.Query, strings bool) (ranges []source.IDRange, ok bool, err error) {
	if strings {
		return s.searchTags(q, ids.TagLang, ids.TagString)
	}
	ranges, ok, err = s.searchTags(q, indexedTags...)
	// Inline values have texts too.
	return append(ranges, source.IDRange{First: fullRange(ids.TagBoolean, exact).First, Last: source.LocalFirst - 1, Exact: true}), ok, err
}

// searchTags returns ranges of ids with the given tags, which must be sorted. q matches
// no text outside the ranges. It reports false if they exclude too little.
func (s *Snapshot) searchTags(q *trigram.Query, tags ...int) (ranges []source.IDRange, ok bool, err error) {
	if s.noTexts || q == nil {
		return nil, false, nil
	}
	x, err := indexedIn(s.tx())
	if err != nil || !x.known {
		return nil, false, err
	}
	var found candidates
	for _, tag := range tags {
		if err := s.searchTag(&x, tag, q, &found); err != nil {
			return nil, false, err
		}
	}
	return found.ranges, found.excluded > found.all/minExcluded, nil
}

const (
	// minExcluded sets when a look-up pays: it must exclude more than one text in
	// minExcluded.
	minExcluded = 4
	// maxTested is the largest number of unindexed texts of a tag that are tested one by
	// one. Usually there are fewer.
	maxTested = 2048
)

// candidates are ranges of ids whose texts may match a query.
type candidates struct {
	ranges        []source.IDRange
	all, excluded uint64 // about how many texts there are, and how many of them are not in ranges
}

// add appends a range. It joins it with the last one if they are adjacent.
func (c *candidates) add(r source.IDRange) {
	if n := len(c.ranges); n > 0 && c.ranges[n-1].Last+1 == r.First {
		c.ranges[n-1].Last = r.Last
		return
	}
	c.ranges = append(c.ranges, r)
}

// addNumbers appends the ids of a tag whose numbers are in [from, end).
func (c *candidates) addNumbers(tag int, from, end uint64) {
	if from < end {
		first, last := dict.NumberRange(tag, from, end-1)
		c.add(source.IDRange{First: first, Last: last, Exact: true})
	}
}

// searchTag appends the candidates of a tag, and all unindexed ids.
func (s *Snapshot) searchTag(x *indexedTexts, tag int, q *trigram.Query, found *candidates) error {
	const size = text.BlockSize
	at := uint64(0)
	for _, part := range text.Merging(x.list, text.Segment{Tag: tag, To: math.MaxUint64}) {
		found.addNumbers(tag, at*size, part.From*size)
		b := s.tx().Bucket(trigramsName).Bucket(part.Bucket())
		if b == nil {
			return missing(part)
		}
		set, err := part.Search(b, q)
		if err != nil {
			return err
		}
		found.all += uint64(part.Blocks()) * size
		found.excluded += uint64(part.Blocks()-set.Count()) * size
		set.Each(func(i int) { found.addNumbers(tag, (part.From+uint64(i))*size, (part.From+uint64(i)+1)*size) })
		at = part.To
	}
	return s.searchRest(tag, at*size, q, found)
}

// searchRest appends the unindexed ids of a tag: those with numbers not less than from.
// If there are few, it tests their texts.
func (s *Snapshot) searchRest(tag int, from uint64, q *trigram.Query, found *candidates) error {
	terms := s.tx().Bucket(dictName)
	least, greatest, ok, err := dict.Stored(terms, tag)
	if err != nil {
		return err
	}
	from = max(from, least)
	if ok && from <= greatest {
		n := greatest + 1 - from
		if found.all += n; n > maxTested {
			found.addNumbers(tag, from, ids.MaxNumber+1)
			return nil
		}
		var folded []byte
		has := func(t trigram.Trigram) bool {
			return bytes.Contains(folded, []byte{byte(t >> 16), byte(t >> 8), byte(t)})
		}
		err := dict.Values(terms, tag, from, func(number uint64, value []byte) bool {
			if folded = trigram.Fold(folded[:0], string(value)); q.Matches(has) {
				found.addNumbers(tag, number, number+1)
			} else {
				found.excluded++
			}
			return true
		})
		if err != nil {
			return err
		}
		from = greatest + 1
	}
	found.addNumbers(tag, from, ids.MaxNumber+1) // the memtable
	return nil
}

// maxFound limits the bytes of the terms that a search for texts returns.
const maxFound = 4 << 20

// Containing returns up to limit IRIs or literals that contain part, ignoring case and accents
// as trigram.Fold does, in no particular order, of up to maxFound bytes together, and reports whether there are more. Numbers
// and times are not searched. Each term was used in a triple since everything was last
// deleted, but that triple may be gone. Without an index it reads all texts, until ctx ends.
func (s *Store) Containing(ctx context.Context, kind rdf.Kind, part string, limit int) (list []rdf.Term, more bool, err error) {
	tags := []int{ids.TagIRI}
	if kind == rdf.KindLiteral {
		tags = []int{ids.TagLang, ids.TagString, ids.TagOther}
	}
	err = s.View(func(snap *Snapshot) error {
		ranges, _, err := snap.searchTags(trigram.Contains(part), tags...)
		if err != nil {
			return err
		}
		if ranges == nil {
			for _, tag := range tags {
				ranges = append(ranges, fullRange(tag, tested))
			}
		}
		x := containing{ctx: ctx, snap: snap, part: trigram.NewMatcher(part), most: limit}
		err = x.stored(ranges)
		for _, l := range snap.levels {
			if err == nil {
				err = x.deferred(l, kind)
			}
		}
		list, more = x.list, x.full
		return err
	})
	return list, more, err
}

// containing collects terms that contain a part.
type containing struct {
	ctx     context.Context
	snap    *Snapshot
	part    *trigram.Matcher
	most, n int
	size    int // bytes of list
	full    bool
	list    []rdf.Term
}

// add adds a term if it contains the part. It reports whether to continue.
func (x *containing) add(id dict.ID) (bool, error) {
	t, err := x.snap.Term(id)
	if err == nil && x.part.Matches(t.Value()) {
		if x.full = x.full || len(x.list) == x.most || x.size+t.Size() > maxFound; !x.full {
			x.list, x.size = append(x.list, t), x.size+t.Size()
		}
	}
	return !x.full, err
}

// goesOn counts a text and reports whether there is time for more.
func (x *containing) goesOn() bool {
	x.n++
	return x.n%1000 != 0 || x.ctx.Err() == nil
}

// stored adds the terms in the buckets that contain the text, among some ranges of ids.
func (x *containing) stored(ranges []source.IDRange) error {
	terms := x.snap.tx().Bucket(dictName)
	for _, r := range ranges {
		tag, last := r.First.Tag(), uint64(r.Last)&ids.MaxNumber
		more := true
		var failed error
		err := dict.Values(terms, tag, uint64(r.First)&ids.MaxNumber, func(number uint64, value []byte) bool {
			if number > last {
				return false
			}
			if x.part.Matches(string(value)) {
				id, _ := dict.NumberRange(tag, number, number)
				more, failed = x.add(id)
			}
			more = more && x.goesOn()
			return more && failed == nil
		})
		if err = cmp.Or(err, failed); err != nil || !more {
			return cmp.Or(err, x.ctx.Err())
		}
	}
	return nil
}

// deferred searches a level of the memtable.
func (x *containing) deferred(l *memtable.Level, kind rdf.Kind) (err error) {
	l.Texts([]byte{byte(kind)}, func(_ []byte, id dict.ID) bool {
		if kind == rdf.KindIRI && !id.IsIRI() || kind == rdf.KindLiteral && !id.IsLiteral() {
			return false
		}
		var more bool
		more, err = x.add(id)
		return more && err == nil && x.goesOn()
	})
	return cmp.Or(err, x.ctx.Err())
}
