package semcheck

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/ids"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// checker checks a document. It identifies terms by numbers. Some are hashes of 59 bits. In
// about one in ten thousand documents of 16 MiB, two terms share a hash, and a count is off
// by one.
type checker struct {
	ctx     context.Context
	limit   int
	report  Report
	seed    maphash.Seed
	sorter  index.Sorter
	typed   map[uint64]bool // subjects with an rdf:type
	judged  map[uint64]bool // subjects that should have a type
	faults  map[index.Tuple]bool
	iris    map[string]uint64
	wanting map[uint64]bool // judged subjects without a type, not reported yet
}

// Check checks a document, reports up to limit issues with their places, and counts its
// distinct triples. text must return a new reader of the document, free of syntax errors;
// it is called at most twice. The error is that of ctx, of a reader, or of counting.
func Check(ctx context.Context, text func() format.Reader, limit int) (r Report, triples int, err error) {
	c := &checker{
		ctx: ctx, limit: limit, report: Report{Issues: []Issue{}}, seed: maphash.MakeSeed(),
		typed: map[uint64]bool{}, judged: map[uint64]bool{}, faults: map[index.Tuple]bool{}, wanting: map[uint64]bool{}, iris: map[string]uint64{},
	}
	if err := c.each(text(), c.first); err != nil {
		return r, 0, err
	}
	for batch := c.sorter.Next(); batch != nil; batch = c.sorter.Next() {
		triples += len(batch)
	}
	if err := c.sorter.Err(); err != nil {
		return r, 0, fmt.Errorf("count triples: %w", err)
	}
	if triples == 0 {
		c.add(Issue{Severity: Error, Code: EmptyGraph, Message: "The Turtle document has no triples."})
	}
	for s := range c.judged {
		if !c.typed[s] {
			c.wanting[s] = true
		}
	}
	if len(c.wanting) > 0 {
		err = c.each(text(), c.second)
	}
	return c.report, triples, err
}

// each calls f with every triple.
func (c *checker) each(r format.Reader, f func(format.Reader, rdf.Quad)) error {
	for n := 0; ; n++ {
		if n%4096 == 0 && c.ctx.Err() != nil {
			return fmt.Errorf("check a document: %w", c.ctx.Err())
		}
		q, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("check a document: %w", err)
		}
		f(r, q)
	}
}

// first counts a triple and checks it against the rule of its predicate.
func (c *checker) first(r format.Reader, q rdf.Quad) {
	t := index.Tuple{c.number(q.S), c.number(q.P), c.number(q.O)}
	c.sorter.Add(t)
	rule := ruleOf(q.P.Value())
	switch rule {
	case none:
		return
	case isType:
		c.typed[t[0]] = true
	default:
		c.judged[t[0]] = true
	}
	if code, _ := judge(q.O, rule); code == "" || c.faults[t] {
		return
	}
	c.faults[t] = true
	c.check(q, rule)
	c.locate(r)
}

// second reports a subject without a type at the first place that gives it a property of
// the vocabulary.
func (c *checker) second(r format.Reader, q rdf.Quad) {
	if ruleOf(q.P.Value()) == none {
		return
	}
	s := c.number(q.S)
	if !c.wanting[s] {
		return
	}
	delete(c.wanting, s)
	c.add(untyped(q.S))
	c.locate(r)
}

// locate sets the position of the issue that was added last.
func (c *checker) locate(r format.Reader) {
	if i := &c.report.Issues[len(c.report.Issues)-1]; i.Line == nil {
		line, column := r.Place()
		i.Line, i.Column = &line, &column
	}
}

// number returns the number of a term: the reader's own for anonymous blank nodes, the
// inline id for small values, a counter for the first IRIs, and a hash for all other
// terms.
func (c *checker) number(t rdf.Term) uint64 {
	if t.IsBlank() {
		if n, ok := turtle.Anonymous(t.Value()); ok {
			return n
		}
	}
	if id, ok := ids.Inline(t); ok {
		return uint64(id)
	}
	kind := uint64(t.Kind()) << 60 // differs from all tags of inline ids
	if t.IsIRI() {
		if n, ok := c.iris[t.Value()]; ok {
			return kind | n
		}
		if len(c.iris) < countedIRIs {
			c.iris[t.Value()] = uint64(len(c.iris))
			return kind | c.iris[t.Value()]
		}
	}
	var h maphash.Hash
	h.SetSeed(c.seed)
	_, _ = h.WriteString(t.Value())
	if t.IsLiteral() {
		_ = h.WriteByte(0)
		_, _ = h.WriteString(t.Datatype())
		_ = h.WriteByte(0)
		_, _ = h.WriteString(t.Tag())
	}
	return kind | 1<<59 | h.Sum64()>>5
}

// countedIRIs is how many IRIs get small numbers. These include most predicates.
const countedIRIs = 256
