package eval

import (
	"github.com/segraph/segraph/store/rdf"
)

// morsel holds some rows of a pipeline and the operators to run on them. The operators
// belong to a fork of the query, so that several goroutines may each evaluate a morsel.
type morsel struct {
	p      *pipeline
	run    *Run // the fork
	head   sink // its first operator
	rows   batch
	out    batch // rows that the operators return
	last   bool  // has the last row of a batch
	stage  stage
	into   translation // from the ids of the Run that made the rows to those of run
	home   translation // from the ids of run to those of the query
	forget func()      // forgets the terms of the previous rows
	done   bool        // evaluated
	err    error
}

// stage prepares the result of a morsel for the operator behind the pipeline.
type stage interface {
	// prepare computes what does not depend on other rows. Any goroutine may call it.
	prepare(b *batch) error
	// take passes on the rows of the last prepare. The query's goroutine calls it.
	take(b *batch) error
}

// newMorsel returns one of n morsels, or nil if several goroutines cannot read the
// data. width is that of the rows that enter the operators that build returns.
func (r *Run) newMorsel(p *pipeline, next sink, width, n int, build func(r *Run, next sink) (sink, error)) (*morsel, error) {
	ds := forkOf(r.ds)
	if ds == nil {
		return nil, nil
	}
	m := &morsel{p: p, run: r.fork(ds), forget: func() {}}
	m.rows.wide, m.out.wide = m.run.budget, m.run.budget
	m.run.width, m.run.parts, m.run.operators = width, allParts-allParts/n, r.operators*n
	m.home = translation{from: m.run.terms, to: r.terms}
	m.into.to = m.run.terms
	var err error
	if m.head, err = build(m.run, morselEnd{m}); err != nil {
		return nil, err
	}
	m.run.width = r.width
	o, isOrder := next.(*order)
	if isOrder && len(computing(o.operands.exprs)) > 0 {
		m.stage, err = newOrderStage(m, o)
		return m, err
	}
	switch next := next.(type) {
	case *group:
		m.stage = &groupStage{m: m, g: next}
	case *rowSink:
		m.stage = &rowStage{m: m, s: next}
	default:
		m.stage = rowsStage{m, next}
		p.batches = !passesOn(next)
	}
	return m, nil
}

// fill adds n rows of a batch, beginning with row first. from has the terms of their
// local ids.
func (m *morsel) fill(b *batch, first, n int, from *terms) error {
	if m.rows.n == 0 {
		m.forget()
		m.forget = m.run.terms.beginPass()
	}
	m.into.from = from
	at := len(m.rows.ids)
	m.rows.reserve(at + n*b.width)
	m.rows.ids = append(m.rows.ids, b.ids[first*b.width:(first+n)*b.width]...)
	m.rows.n, m.rows.width = m.rows.n+n, b.width
	return m.into.ids(m.rows.ids[at:])
}

// evaluate runs the operators. Any goroutine may call it.
func (m *morsel) evaluate() error {
	if err := feed(m.head, &m.rows); err != nil {
		return err
	}
	if err := m.stage.prepare(&m.out); err != nil {
		return err
	}
	return m.run.budget.Failed()
}

// take passes on the result and empties the morsel. The query's goroutine calls it.
func (m *morsel) take() error {
	err := m.err
	if err == nil && (m.out.n > 0 || m.p.batches && m.last) {
		err = m.stage.take(&m.out)
	}
	m.rows.reset()
	m.out.reset()
	return err
}

// morselEnd is behind the operators of a morsel.
type morselEnd struct{ m *morsel }

func (e morselEnd) push(b *batch) error {
	out := &e.m.out
	if b == &e.m.rows && out.n == 0 {
		e.m.rows, e.m.out = e.m.out, e.m.rows
		return nil
	}
	out.reserve(len(out.ids) + len(b.ids))
	out.ids = append(out.ids, b.ids...)
	out.n, out.width = out.n+b.n, b.width
	return nil
}

func (morselEnd) end() error { return nil }

// rowsStage prepares nothing. Unless the operators behind it pass each row on at once,
// it joins the morsels of a batch again: the order in which a scan returns rows depends
// on batches.
type rowsStage struct {
	m    *morsel
	next sink
}

func (rowsStage) prepare(*batch) error { return nil }

func (s rowsStage) take(b *batch) error {
	if !s.m.p.batches {
		return s.m.home.to.pass(func() error {
			if err := s.m.home.ids(b.ids); err != nil {
				return err
			}
			return s.next.push(b)
		})
	}
	if err := s.m.home.ids(b.ids); err != nil {
		return err
	}
	whole := &s.m.p.pending
	if whole.n == 0 && s.m.last {
		whole = b
	} else if b.n > 0 {
		whole.ids = append(whole.ids, b.ids...)
		whole.n, whole.width = whole.n+b.n, b.width
	}
	if !s.m.last || whole.n == 0 {
		return nil
	}
	defer whole.reset()
	return s.next.push(whole)
}

// preparedText is the number of bytes of texts after which a morsel prepares no more
// rows.
const preparedText = 1 << 20

// rowStage looks up the terms of the rows of the answer.
type rowStage struct {
	m     *morsel
	s     *rowSink
	terms []rdf.Term
	rows  int   // number of rows whose terms are in terms
	text  int64 // bytes of their texts
}

func (s *rowStage) prepare(b *batch) error {
	const termSize = 64
	account := s.m.run.budget
	columns := len(s.s.terms)
	if n := b.n*columns - len(s.terms); n > 0 {
		if err := account.Grow(int64(n) * termSize); err != nil {
			return err
		}
		s.terms = append(s.terms, make([]rdf.Term, n)...)
	}
	before := s.text
	s.text = 0
	for s.rows = 0; s.rows < b.n && s.text < preparedText; s.rows++ {
		terms := s.terms[s.rows*columns : (s.rows+1)*columns]
		if err := s.s.lookUp(b.row(s.rows), terms, s.m.run.terms); err != nil {
			return err
		}
		if err := account.Tick(16 + columns); err != nil {
			return err
		}
		for _, t := range terms {
			s.text += int64(len(t.Value()))
		}
	}
	return account.Grow(s.text - before)
}

func (s *rowStage) take(b *batch) error {
	columns := len(s.s.terms)
	for i := range s.rows {
		if err := s.s.emit(s.terms[i*columns : (i+1)*columns : (i+1)*columns]); err != nil {
			return err
		}
	}
	return s.s.from(b, s.rows, s.m.run.terms)
}

// groupStage evaluates the arguments of the aggregates of a group.
type groupStage struct {
	m        *morsel
	g        *group
	columns  lazyColumns
	adders   []adder
	prepared bool
	rows     []int32
}

func (s *groupStage) compile(c *columns) (err error) {
	s.adders, err = c.adders(s.g, &s.m.home)
	return err
}

func (s *groupStage) prepare(b *batch) error {
	s.prepared = false
	if b.n == 0 || b.n > chunkRows {
		return nil
	}
	inColumns, err := s.columns.ready(s.m.run, b, s.g.exprs, s.compile)
	if !inColumns || err != nil {
		return err
	}
	s.rows = s.columns.begin(b, 0)
	if err := s.m.run.budget.Tick(s.g.work * len(s.rows)); err != nil {
		return err
	}
	for _, a := range s.adders {
		a.evaluate(s.rows)
	}
	s.prepared = s.columns.ok()
	return nil
}

func (s *groupStage) take(b *batch) error {
	if err := s.m.home.ids(b.ids); err != nil {
		return err
	}
	if !s.prepared {
		return s.g.push(b)
	}
	if err := s.g.r.budget.Tick(b.n); err != nil {
		return err
	}
	if err := s.g.addEvaluated(b, 0, s.rows, s.adders); err != nil {
		return err
	}
	return s.g.r.budget.Failed()
}
