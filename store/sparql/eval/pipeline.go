package eval

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/segraph/segraph/store/sparql/budget"
)

// pipeline evaluates a part of a query on several goroutines. Rows pass through a ring of
// morsels. The producer, if there is one, makes rows and fills morsels. Whichever
// goroutine is free evaluates the next full morsel. The query's goroutine takes the
// results in the order in which the morsels were filled. So the operators behind see the
// same rows in the same order, on the same goroutine, as without a pipeline.
type pipeline struct {
	b       *budget.Budget
	guard   func(do func() error) error
	morsels []*morsel
	rows    int   // of a full morsel
	batches bool  // no morsel has rows of two batches
	pending batch // if batches is set, results of the morsels of a batch that is not complete

	producer *Run // nil if the query's goroutine makes the rows
	head     sink // first operator of the producer

	mu   sync.Mutex
	cond sync.Cond
	// The numbers of morsels filled, claimed for evaluation and taken so far. Number n is
	// at n modulo the size of the ring.
	filled, claimed, taken int
	ended                  bool  // all rows were made
	err                    error // of the producer
	stopped                bool  // no more rows are wanted
	idle                   bool  // the query's goroutine has nothing to do
	sharing                bool  // the producer has no processor, and runs while the query's goroutine is idle
	panicked               error
	helpers, maxHelpers    int // goroutines besides the query's
	running                sync.WaitGroup
}

const (
	// morselsEach is the number of morsels for each processor, and maxMorsels limits
	// their number.
	morselsEach = 4
	maxMorsels  = 16
)

// errPanicked is the error of a morsel or producer whose goroutine panicked.
var errPanicked = errors.New("a goroutine of the query panicked")

// newPipeline returns a pipeline whose morsels evaluate the operators that build
// returns, for the given number of rows at a time. Their results go to next. It returns
// nil if several goroutines cannot read the data, or if the morsels would need too much
// memory.
func (r *Run) newPipeline(next sink, width, rows int, build func(r *Run, next sink) (sink, error)) (*pipeline, error) {
	processors := r.budget.Processors()
	n := min(maxMorsels, morselsEach*processors)
	rows = int(min(int64(rows), r.many))
	if !r.budget.Room(int64(2*n*rows*r.width) * idSize) {
		return nil, nil
	}
	p := &pipeline{b: r.budget, guard: forkable(r.ds).Guard, rows: rows, maxHelpers: processors - 1}
	p.cond.L = &p.mu
	for range n {
		m, err := r.newMorsel(p, next, width, n, build)
		if m == nil || err != nil {
			p.close()
			return nil, err
		}
		p.morsels = append(p.morsels, m)
	}
	return p, nil
}

// run pushes b into the producer, evaluates the rows that it makes, and passes on the
// results.
func (p *pipeline) run(b *batch) (err error) {
	defer p.close()
	p.sharing, p.helpers = p.b.Borrow(1) == 0, 1
	p.start(func() {
		p.produce(b)
		p.assist()
	})
	return p.drain()
}

// start runs do on a new goroutine, on the processor that the caller borrowed.
func (p *pipeline) start(do func()) {
	p.running.Go(func() {
		defer p.leave()
		defer p.keepPanic()
		do()
	})
}

// leave ends a goroutine and gives back its processor.
func (p *pipeline) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.helpers--
	if p.ended && p.sharing { // the producer borrowed no processor, so this goroutine returns none
		p.sharing = false
		return
	}
	p.b.GiveBack()
	p.cond.Broadcast() // a producer that shares can borrow it
}

// keepPanic recovers from a panic and keeps it for the query's goroutine to repeat.
func (p *pipeline) keepPanic() {
	if r := recover(); r != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.panicked = fmt.Errorf("%v, on a borrowed processor:\n%s", r, debug.Stack())
		p.cond.Broadcast()
	}
}

// produce runs the producer to its end.
func (p *pipeline) produce(b *batch) {
	err := errPanicked
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended, p.err = true, err
		p.cond.Broadcast()
	}()
	if err = p.guard(func() error { return feed(p.head, b) }); err == nil {
		err = p.producer.budget.Failed()
	}
}

// filler is the last operator of the producer. It fills morsels.
type filler struct{ p *pipeline }

func (f filler) push(b *batch) error { return f.p.put(b, f.p.producer.terms, f.p.room) }

func (f filler) end() error {
	f.p.fillLast()
	return nil
}

// fillLast passes on the last morsel, which need not be full.
func (p *pipeline) fillLast() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped && p.filled-p.taken < len(p.morsels) && p.morsel(p.filled).rows.n > 0 {
		p.filled++
	}
}

func (p *pipeline) morsel(number int) *morsel { return p.morsels[number%len(p.morsels)] }

// put fills morsels with the rows of a batch, whose terms are in terms. room returns
// the next morsel with room, or nil if no more rows are wanted.
func (p *pipeline) put(b *batch, terms *terms, room func() (*morsel, error)) error {
	for at := 0; at < b.n; {
		m, err := room()
		if m == nil {
			return err
		}
		n := min(b.n-at, p.rows-m.rows.n)
		if err := m.fill(b, at, n, terms); err != nil {
			return err
		}
		at += n
		m.last = at == b.n
		if m.rows.n == p.rows || p.batches && m.last {
			p.full()
		}
	}
	return nil
}

// full passes on the morsel being filled. If more morsels wait than goroutines run, it
// starts another goroutine on a free processor.
func (p *pipeline) full() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.filled++
	p.idle = false
	p.cond.Broadcast()
	if p.filled-p.claimed > 1 && p.helpers < p.maxHelpers && !p.sharing && p.b.Borrow(1) == 1 {
		p.helpers++
		p.start(p.assist)
	}
}

// room waits for a morsel with room and returns it. Meanwhile the producer evaluates
// others.
func (p *pipeline) room() (*morsel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.stopped {
		switch {
		case p.filled-p.taken < len(p.morsels):
			return p.morsel(p.filled), nil
		case !p.sharing && p.claimed < p.filled:
			p.evaluate()
			continue
		}
		p.cond.Wait()
	}
	return nil, errDone
}

// yield gives back the producer's processor if other work needs it, and borrows one again
// when one is free. Without a processor, the producer waits until the query's goroutine is
// idle.
func (p *pipeline) yield() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.sharing && p.b.Wanted() {
		p.b.GiveBack()
		p.sharing = true
	}
	for p.sharing && !p.stopped {
		if p.b.Borrow(1) == 1 {
			p.sharing = false
		} else if p.idle {
			return
		} else {
			p.cond.Wait()
		}
	}
}

// evaluate evaluates the next morsel. The caller holds mu.
func (p *pipeline) evaluate() {
	m := p.morsel(p.claimed)
	p.claimed++
	p.mu.Unlock()
	m.err = errPanicked
	defer func() {
		p.mu.Lock()
		m.done = true
		p.cond.Broadcast()
	}()
	m.err = p.guard(m.evaluate)
}

// assist evaluates morsels as long as there are any and no other work needs the processor.
func (p *pipeline) assist() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.claimed < p.filled && !p.stopped && !p.sharing && !p.b.Wanted() {
		p.evaluate()
	}
}

// take passes on the results of a morsel. The caller holds mu.
func (p *pipeline) take(m *morsel) error {
	m.done = false
	p.mu.Unlock()
	defer func() { // also if the caller of the query panics
		p.mu.Lock()
		p.taken++
		p.cond.Broadcast()
	}()
	return m.take()
}

// step takes or evaluates one morsel, and reports whether there are more.
func (p *pipeline) step() (more bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		switch m := p.morsel(p.taken); {
		case p.panicked != nil:
			panic(p.panicked)
		case p.taken < p.claimed && m.done:
			return true, p.take(m)
		case p.claimed < p.filled:
			p.evaluate()
			return true, nil
		case p.taken == p.filled && p.ended:
			return false, p.err
		}
		p.idle = true
		p.cond.Broadcast()
		p.cond.Wait()
		p.idle = false
	}
}

// drain takes all morsels until the rows end.
func (p *pipeline) drain() (err error) {
	for more := true; more && err == nil; {
		more, err = p.step()
	}
	return err
}

// give puts rows that the query's goroutine made into morsels.
func (p *pipeline) give(b *batch, terms *terms) error {
	return p.put(b, terms, func() (*morsel, error) {
		for p.filled-p.taken == len(p.morsels) { // only this goroutine changes them
			if _, err := p.step(); err != nil {
				return nil, err
			}
		}
		return p.morsel(p.filled), nil
	})
}

// finish takes the rest of the rows passed to give.
func (p *pipeline) finish() error {
	p.fillLast()
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	return p.drain()
}

// close stops all goroutines, waits for them and releases all memory. If one of them
// panicked, close panics.
func (p *pipeline) close() {
	p.mu.Lock()
	p.stopped = true
	p.cond.Broadcast()
	p.mu.Unlock()
	var forks []*budget.Budget
	for _, m := range p.morsels {
		forks = append(forks, m.run.budget)
	}
	if p.producer != nil {
		forks = append(forks, p.producer.budget)
	}
	for _, f := range forks {
		f.Halt()
	}
	p.running.Wait()
	for _, f := range forks {
		f.Release()
	}
	if p.panicked != nil {
		panic(p.panicked)
	}
}
