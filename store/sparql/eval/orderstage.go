package eval

// orderStage evaluates the computed keys of an order. The order itself compares and keeps
// rows on the query's goroutine.
type orderStage struct {
	m        *morsel
	o        *order
	keys     operands
	prepared bool
}

// newOrderStage returns a stage for an order that has computed keys.
func newOrderStage(m *morsel, o *order) (stage, error) {
	s := &orderStage{m: m, o: o}
	for _, e := range o.operands.exprs {
		if err := s.keys.add(m.run, e); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *orderStage) prepare(b *batch) error {
	s.prepared = false
	if b.n == 0 || b.n > chunkRows || s.o.top == 0 {
		return nil
	}
	if err := s.m.run.budget.Tick(b.n * s.o.work); err != nil {
		return err
	}
	err := s.keys.moveTo(s.m.run, b, 0)
	s.prepared = len(s.keys.computed) > 0
	return err
}

func (s *orderStage) take(b *batch) error {
	if err := s.m.home.ids(b.ids); err != nil {
		return err
	}
	if !s.prepared {
		return s.o.push(b)
	}
	if err := s.o.r.budget.Tick(b.n); err != nil {
		return err
	}
	for i := range b.n {
		for k, key := range s.o.computed {
			key.now = s.keys.computed[k].At(int32(i))
		}
		if err := s.o.offer(b.row(i)); err != nil {
			return err
		}
	}
	return s.o.r.budget.Failed()
}
