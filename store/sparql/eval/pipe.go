package eval

import (
	"errors"
	"slices"
	"sync"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/algebra"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/eval/expr"
	"github.com/segraph/segraph/store/sparql/eval/table"
	"github.com/segraph/segraph/store/sparql/source"
)

// pipe passes batches from another goroutine to the query's own, in order. The query's own does
// jobs of the other one (see shared) when it has nothing else to do. While the other one has no
// processor of its own, it works only when the query's goroutine waits.
type pipe struct {
	r       *Run           // of the query's own goroutine
	b       *budget.Budget // of the other goroutine
	forked  *expr.Terms    // of the other goroutine
	mu      sync.Mutex
	cond    sync.Cond
	full    []*job // made, for the query's goroutine
	jobs    []*job // that nobody has begun
	free    []*job
	busy    bool // the query's goroutine works
	owns    bool // a borrowed processor
	ended   bool // all rows were made
	stopped bool // no more rows are wanted
	err     error
	running sync.WaitGroup

	panicked error // of the other goroutine

	bound []algebra.Slot // variables to which values were bound
	local []rdf.Term     // those of the other goroutine that the dataset lacks
	ids   []source.ID    // that the query's own goroutine gave to these; 0 for none so far
}

// pipeBatches is the number of batches that may wait.
const pipeBatches = 4

// errPanicked is the error of a goroutine that panicked.
var errPanicked = errors.New("a goroutine of the query panicked")

// push passes on a copy of b.
func (p *pipe) push(b *table.Batch) error {
	if err := p.wait(func() bool { return len(p.full) < pipeBatches }); err != nil {
		return err
	}
	p.add(&p.full, nil, b)
	return nil
}

// add adds a copy of b to list.
func (p *pipe) add(list *[]*job, of *shared, b *table.Batch) *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := &job{}
	if n := len(p.free); n > 0 {
		j, p.free = p.free[n-1], p.free[:n-1]
	}
	j.of, j.done = of, false
	j.CopyOf(b)
	*list, p.local = append(*list, j), p.forked.Local()
	p.busy = true
	p.cond.Broadcast()
	return j
}

// drop keeps a job for reuse.
func (p *pipe) drop(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, j)
}

func (p *pipe) end() error { return nil }

// wait waits until the other goroutine has a processor and, unless ready is nil, until that is true. Then it does
// jobs meanwhile. It gives back the borrowed processor if other work needs it. It returns
// errDone if no more rows are wanted.
func (p *pipe) wait(ready func() bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.owns && p.b.Wanted() {
		p.owns = false
		p.b.GiveBack()
	}
	for !p.stopped {
		p.owns = p.owns || p.b.Borrow()
		switch may := p.owns || !p.busy; {
		case may && (ready == nil || ready()):
			return nil
		case may && len(p.jobs) > 0:
			if err := p.work(1); err != nil {
				return err
			}
		default:
			p.cond.Wait()
		}
	}
	return errDone
}

// finish ends the other goroutine, which returned err or panicked.
func (p *pipe) finish(err, panicked error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended, p.err, p.panicked = true, err, panicked; p.owns {
		p.b.GiveBack()
	}
	p.cond.Broadcast()
}

// drain passes all batches to next.
func (p *pipe) drain(next sink) error {
	for {
		j, err := p.take()
		if j == nil || err != nil {
			return err
		}
		if err := next.push(&j.Batch); err != nil {
			return err
		}
		p.drop(j)
	}
}

// take waits for the next batch, and does jobs meanwhile. It returns nil at the end.
func (p *pipe) take() (*job, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.full) == 0 && !p.ended {
		if p.busy = len(p.jobs) > 0; p.busy {
			if err := p.work(0); err != nil {
				return nil, err
			}
			continue
		}
		p.cond.Broadcast()
		p.cond.Wait()
	}
	if p.panicked != nil || len(p.full) == 0 {
		return nil, p.err // close panics
	}
	p.busy = true
	j := p.full[0]
	p.full = p.full[1:]
	p.cond.Broadcast()
	return j, p.adopt(&j.Batch)
}

// adopt replaces ids of the other goroutine's own terms.
func (p *pipe) adopt(b *table.Batch) (err error) {
	for _, slot := range p.bound {
		for i := range b.N {
			id := &b.Row(i)[slot]
			if *id < expr.ForkFirst {
				continue
			}
			n := int(*id - expr.ForkFirst)
			if n >= len(p.ids) {
				p.ids = slices.Grow(p.ids, len(p.local)-len(p.ids))[:len(p.local)]
			}
			if p.ids[n] == 0 {
				if p.ids[n], err = p.r.terms.ID(p.local[n]); err != nil {
					return err
				}
			}
			*id = p.ids[n]
		}
	}
	return nil
}

// close stops the other goroutine, waits for it and releases its memory. If it panicked,
// close panics.
func (p *pipe) close() {
	p.mu.Lock()
	p.stopped = true
	p.cond.Broadcast()
	p.mu.Unlock()
	p.b.Halt()
	p.running.Wait()
	p.b.Release()
	if p.panicked != nil {
		panic(p.panicked)
	}
}

// shared is an operator of the other goroutine, such as FILTER, that both goroutines
// evaluate, a batch at a time. Batches go on in the order of their rows.
type shared struct {
	p     *pipe
	do    [2]func(b *table.Batch) error // on the query's own goroutine, and on the other
	next  sink
	queue []*job // in the order of their rows
}

// job is a batch, which a shared operator may have to work on.
type job struct {
	table.Batch
	of   *shared
	done bool
}

// work does the first job on one of the goroutines. It unlocks p meanwhile.
func (p *pipe) work(side int) error {
	j := p.jobs[0]
	p.jobs = p.jobs[1:]
	do := func() error {
		p.mu.Unlock()
		defer p.mu.Lock()
		return j.of.do[side](&j.Batch)
	}
	if err := do(); err != nil {
		return err
	}
	j.done = true
	p.cond.Broadcast()
	return nil
}

// push makes a job of a copy of b.
func (s *shared) push(b *table.Batch) error {
	s.queue = append(s.queue, s.p.add(&s.p.jobs, s, b))
	return s.pass(pipeBatches)
}

// pass passes on all batches but the last n.
func (s *shared) pass(n int) error {
	for len(s.queue) > n {
		j := s.queue[0]
		if err := s.p.wait(func() bool { return j.done }); err != nil {
			return err
		}
		s.queue = s.queue[1:]
		if j.N > 0 {
			if err := s.next.push(&j.Batch); err != nil {
				return err
			}
		}
		s.p.drop(j)
	}
	return nil
}

func (s *shared) end() error {
	err := s.pass(0)
	if err != nil && err != errDone {
		return err
	}
	s.queue = nil
	if endErr := s.next.end(); endErr != nil {
		return endErr
	}
	return err
}
