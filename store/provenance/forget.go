package provenance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/segraph/segraph/internal/varint"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
)

// forgottenName is the bucket of what Forget took out of lists: the key of a list -> how many triples, how many of
// these the entry contributed first, and a CRC-32C.
const forgottenName = "forgot"

// Forgetting replaces triples of a graph, in the graph and in the lists of logs, in units of work. After each of them,
// the lists account for the graph as before, so that what a kill interrupts can begin again.
type Forgetting struct {
	Gone map[index.Tuple]index.Tuple // what each triple becomes that is still there; the zero tuple means nothing
	Logs map[uint64]int              // entries whose lists have or had such triples, and how many each

	p       *Provenance
	graph   dict.ID
	also    func(index.Tuple) bool
	head    journal.Head           // lists of later entries were not read yet
	seqs    []uint64               // entries whose lists are still to be changed, ascending
	loose   []index.Tuple          // triples of the graph that no list had
	holders map[index.Tuple]int    // how many of these lists have a triple of Gone
	first   map[index.Tuple]uint64 // the oldest list that has what a triple becomes; 0 means none
	uses    map[uint64]int         // how many lists use a piece
}

// Forgetting reads, in a read snapshot, which lists of a graph have triples of gone, or others that also accepts. These
// become nothing: the graph itself may not have them any more. Forget must follow within the same call of Alone.
func (p *Provenance) Forgetting(ctx context.Context, r kv.Reader, g dict.ID, gone map[index.Tuple]index.Tuple, also func(index.Tuple) bool) (*Forgetting, error) {
	f := &Forgetting{Gone: gone, Logs: map[uint64]int{}, p: p, graph: g, also: also, head: journal.HeadOf(r), holders: map[index.Tuple]int{}, first: map[index.Tuple]uint64{}, uses: map[uint64]int{}}
	var all []index.Tuple
	for t, to := range gone {
		if all = append(all, t); to != (index.Tuple{}) {
			f.first[to] = 0
		}
	}
	if err := f.read(ctx, r, 0); err != nil {
		return nil, err
	}
	f.loose = slices.DeleteFunc(all, func(t index.Tuple) bool { return f.holders[t] > 0 })
	orders.Sort(f.loose, 3)
	return f, nil
}

// read reads the lists of the entries after one.
func (f *Forgetting) read(ctx context.Context, r kv.Reader, after uint64) error {
	type found struct{ gone, become []index.Tuple }
	pieces, seen := bucket(r, f.graph, piecesName), map[uint64]found{}
	for key, value := range kv.From(bucket(r, f.graph, logsName), number(after+1)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		seq, has := binary.BigEndian.Uint64(key), false
		add := func(x found) {
			for _, t := range x.gone {
				f.holders[t]++
			}
			for _, t := range x.become {
				if f.first[t] == 0 {
					f.first[t] = seq
				}
			}
			if len(x.gone) > 0 {
				f.Logs[seq], has = f.Logs[seq]+len(x.gone), true
			}
		}
		known := func(piece uint64) bool {
			f.uses[piece]++
			x, ok := seen[piece]
			add(x)
			return ok
		}
		err := list(pieces, key, value, known, func(run []index.Tuple, piece uint64) error {
			var x found
			for _, t := range run {
				if _, is := f.Gone[t]; is {
					x.gone = append(x.gone, t)
				} else if f.also(t) {
					f.Gone[t], x.gone = index.Tuple{}, append(x.gone, t)
				} else if _, is := f.first[t]; is {
					x.become = append(x.become, t)
				}
			}
			if add(x); piece != 0 {
				seen[piece] = x
			}
			return nil
		})
		if err != nil {
			return err
		}
		if has {
			f.seqs = append(f.seqs, seq)
		}
	}
	return nil
}

// Alone runs do, while nothing else withdraws logs or forgets triples.
func (p *Provenance) Alone(ctx context.Context, do func() error) error {
	select {
	case p.withdrawing <- struct{}{}:
		defer func() { <-p.withdrawing }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Left returns how many lists and triples are left for Forget.
func (f *Forgetting) Left() int { return len(f.seqs) + len(f.loose) }

// Advance reads lists that are newer than those read before. The error is ErrAgain if these changed in other ways than by
// Forget.
func (f *Forgetting) Advance(r kv.Reader) error {
	err := unchanged(r, f.head)
	if head := journal.HeadOf(r); err == nil && head != f.head {
		err = f.read(context.Background(), r, f.head.Seq)
		f.head = head
	}
	return err
}

// Forget changes, in a unit of work, at most n of the lists that are left, the newest first, or triples that no list had.
// First it does what Advance does. It returns how many triples the graph lost. The caller calls done once the unit is
// submitted.
func (f *Forgetting) Forget(tx *engine.Tx, n int) (removed int, done func(), err error) {
	if err := f.Advance(tx.KV()); err != nil || f.Left() == 0 {
		return 0, func() {}, err
	}
	lists, err := openLists(tx.KV(), f.graph)
	if err != nil {
		return 0, nil, err
	}
	x := forgetStep{Forgetting: f, lists: lists, held: map[index.Tuple]int{}, now: map[index.Tuple]uint64{}, less: map[uint64]*lessened{}, used: map[uint64]int{}}
	some := f.seqs[max(0, len(f.seqs)-n):]
	for _, seq := range slices.Backward(some) {
		if err := x.change(tx, seq); err != nil {
			return 0, nil, fmt.Errorf("taking triples out of the contributions: %w", err)
		}
	}
	loose := f.loose[:min(n-len(some), len(f.loose))]
	for _, t := range loose {
		x.lost = append(x.lost, t)
		x.add(f.Gone[t])
	}
	if removed, err = x.finish(tx); err != nil {
		return 0, nil, fmt.Errorf("taking triples out of the contributions: %w", err)
	}
	return removed, func() { x.apply(len(some), len(loose)) }, nil
}

// forgetStep is what one unit of work of a Forgetting changes.
type forgetStep struct {
	*Forgetting
	lists
	held        map[index.Tuple]int    // how many of its lists had a triple
	now         map[index.Tuple]uint64 // changes of first
	less        map[uint64]*lessened   // by entry
	used        map[uint64]int         // how many lists more use a piece
	lost, fresh []index.Tuple          // of the graph
}

// lessened is how many triples a list has fewer, and how many fewer of its triples no list before it has.
type lessened struct{ removed, fresh int }

func (x *forgetStep) of(seq uint64) *lessened {
	l := x.less[seq]
	if l == nil {
		l = &lessened{}
		x.less[seq] = l
	}
	return l
}

func (x *forgetStep) add(t index.Tuple) {
	if t != (index.Tuple{}) {
		x.fresh = append(x.fresh, t)
	}
}

// change changes the list of an entry. Newer lists are changed already.
func (x *forgetStep) change(tx *engine.Tx, seq uint64) error {
	key, of, own := number(seq), x.of(seq), map[index.Tuple]bool{}
	value := bytes.Clone(x.logs.Get(key))
	var left []index.Tuple
	err := list(x.pieces, key, value, nil, func(run []index.Tuple, _ uint64) error {
		for _, t := range run {
			to, found := x.Gone[t]
			if !found {
				to = t
			} else if x.held[t]++; x.held[t] == x.holders[t] { // this is the oldest list
				of.fresh++
				x.lost = append(x.lost, t)
			}
			if to == (index.Tuple{}) || own[to] {
				of.removed++
				continue
			}
			left = append(left, to)
			if _, target := x.first[to]; target {
				own[to] = true
			}
			if found {
				x.add(to)
				x.own(to, seq)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := x.use(value, -1); err != nil {
		return err
	}
	if len(left) == 0 {
		return x.logs.Delete(key)
	}
	orders.Sort(left, 3)
	if err := x.p.Keep(tx, seq, x.graph, left); err != nil {
		return err
	}
	return x.use(x.logs.Get(key), 1)
}

// own has a list be the first that has a triple, unless an older one has it. A newer one that was the first contributes one
// fewer.
func (x *forgetStep) own(t index.Tuple, seq uint64) {
	was, changed := x.now[t]
	if !changed {
		was = x.first[t]
	}
	if was != 0 && was <= seq {
		return
	}
	if x.now[t] = seq; was != 0 {
		x.of(was).fresh++
	}
	x.of(seq).fresh--
}

// use counts the pieces of a list.
func (x *forgetStep) use(value []byte, by int) error {
	numbers, err := listPieces(value)
	for _, n := range numbers {
		x.used[n] += by
	}
	return err
}

// finish notes how much shorter lists are, removes pieces that no list uses any more, because a list that was shortened may be
// cut elsewhere than before, or stored as a whole, and changes the graph.
func (x *forgetStep) finish(tx *engine.Tx) (removed int, err error) {
	for seq, l := range x.less {
		key := forgottenKey(seq, x.graph)
		removed, fresh, err := forgotten(tx.KV(), key)
		if err == nil {
			err = keepForgotten(tx, key, removed+l.removed, fresh+l.fresh)
		}
		if err != nil {
			return 0, err
		}
	}
	for n, by := range x.used {
		if x.uses[n]+by == 0 {
			if err := x.removePiece(n); err != nil {
				return 0, err
			}
		}
	}
	tx.RestartStaged()
	if len(x.fresh) > 0 {
		if _, err := tx.AddTuples(x.graph, x.fresh); err != nil {
			return 0, err
		}
	}
	return tx.Remove(x.graph, x.lost)
}

// apply removes from what was found what the unit changed.
func (x *forgetStep) apply(lists, loose int) {
	for t, n := range x.held {
		x.holders[t] -= n
	}
	for _, t := range x.lost {
		if x.holders[t] == 0 {
			delete(x.Gone, t) // if a log states it again, that comes after
		}
	}
	x.seqs, x.loose = x.seqs[:len(x.seqs)-lists], x.loose[loose:]
	for t, seq := range x.now {
		x.first[t] = seq
	}
	for n, by := range x.used {
		x.uses[n] += by
	}
}

// forgottenKey returns the key of the list of an entry and a graph. It begins with the number of the entry.
func forgottenKey(seq uint64, g dict.ID) []byte { return append(number(seq), number(uint64(g))...) }

// keepForgotten stores what forgotten returns for a list.
func keepForgotten(tx *engine.Tx, key []byte, removed, fresh int) error {
	b, err := tx.KV().Writable(forgottenName)
	if err != nil {
		return err
	}
	if removed == 0 && fresh == 0 {
		return b.Delete(key)
	}
	return b.Put(key, kv.Seal(key, varint.Append(varint.Append(nil, uint64(removed)), uint64(fresh))))
}

// forgotten returns how many triples Forget took out of the lists whose keys begin with prefix, and how many of these
// their entry contributed first.
func forgotten(r kv.Reader, prefix []byte) (removed, fresh int, err error) {
	for key, sealed := range kv.From(r.Bucket(forgottenName), prefix) {
		if !bytes.HasPrefix(key, prefix) {
			break
		}
		v, err := kv.Unseal(key, sealed)
		n, ok := varint.All(v)
		if err != nil || !ok || len(n) != 2 {
			return 0, 0, errors.Join(errList, err)
		}
		removed, fresh = removed+int(n[0]), fresh+int(n[1])
	}
	return removed, fresh, nil
}
