package provenance

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

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

// Forgetting replaces triples of a graph, in the graph and in the lists of logs.
type Forgetting struct {
	Gone map[index.Tuple]index.Tuple // what each triple becomes; the zero tuple means nothing
	Logs map[uint64]int              // entries whose lists have such triples, and how many each

	p     *Provenance
	graph dict.ID
	also  func(index.Tuple) bool
	head  journal.Head           // lists of later entries were not read yet
	seqs  []uint64               // entries whose lists change, ascending
	first map[index.Tuple]uint64 // the oldest list that has what a triple becomes; 0 means none
	uses  map[uint64]int         // how many lists use a piece
}

// Forgetting reads, in a read snapshot, which lists of a graph have triples of gone, or others that also accepts. These
// become nothing: the graph itself may not have them any more. Forget must follow within the same call of Alone.
func (p *Provenance) Forgetting(ctx context.Context, r kv.Reader, g dict.ID, gone map[index.Tuple]index.Tuple, also func(index.Tuple) bool) (*Forgetting, error) {
	f := &Forgetting{Gone: gone, Logs: map[uint64]int{}, p: p, graph: g, also: also, head: journal.HeadOf(r), first: map[index.Tuple]uint64{}, uses: map[uint64]int{}}
	for _, to := range gone {
		if to != (index.Tuple{}) {
			f.first[to] = 0
		}
	}
	return f, f.read(ctx, r, 0)
}

// read reads the lists of the entries after one.
func (f *Forgetting) read(ctx context.Context, r kv.Reader, after uint64) error {
	type found struct {
		gone   int
		become []index.Tuple
	}
	pieces, seen := bucket(r, f.graph, piecesName), map[uint64]found{}
	for key, value := range kv.From(bucket(r, f.graph, logsName), number(after+1)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		seq := binary.BigEndian.Uint64(key)
		add := func(x found) {
			for _, t := range x.become {
				if f.first[t] == 0 {
					f.first[t] = seq
				}
			}
			if x.gone > 0 {
				f.Logs[seq] += x.gone
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
					x.gone++
				} else if f.also(t) {
					f.Gone[t] = index.Tuple{}
					x.gone++
				} else if _, is := f.first[t]; is {
					x.become = append(x.become, t)
				}
			}
			add(x)
			if piece != 0 {
				seen[piece] = x // it counts for each list that has the piece
			}
			return nil
		})
		if err != nil {
			return err
		}
		if f.Logs[seq] > 0 {
			f.seqs = append(f.seqs, seq)
		}
	}
	return nil
}

// Alone runs do, while nothing else withdraws logs or forgets triples.
func (p *Provenance) Alone(ctx context.Context, do func() error) error {
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	select {
	case p.withdrawing <- struct{}{}:
		defer func() { <-p.withdrawing }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Forget changes the lists and the graph in a unit of work, which may run again. First it reads lists that are newer than
// those read before. It returns how many triples the graph lost. The error is ErrAgain if lists changed that were read.
func (f *Forgetting) Forget(tx *engine.Tx) (removed int, err error) {
	if err := f.advance(tx.KV()); err != nil || len(f.Gone) == 0 {
		return 0, err
	}
	lists, err := openLists(tx.KV(), f.graph)
	if err != nil {
		return 0, err
	}
	x := forgetUnit{Forgetting: f, lists: lists, had: map[index.Tuple]bool{}, now: map[index.Tuple]uint64{}, less: map[uint64]*lessened{}, used: map[uint64]int{}}
	for _, seq := range f.seqs {
		if err := x.change(tx, seq); err != nil {
			return 0, fmt.Errorf("taking triples out of the contributions: %w", err)
		}
	}
	for t, to := range f.Gone {
		if !x.had[t] {
			x.lost = append(x.lost, t)
			x.add(to)
		}
	}
	if removed, err = x.finish(tx); err != nil {
		return 0, fmt.Errorf("taking triples out of the contributions: %w", err)
	}
	return removed, nil
}

// advance reads the lists of entries since f.head.
func (f *Forgetting) advance(r kv.Reader) error {
	err := unchanged(r, f.head)
	if head := journal.HeadOf(r); err == nil && head != f.head {
		err = f.read(context.Background(), r, f.head.Seq)
		f.head = head
	}
	return err
}

// forgetUnit is what the unit of work of a Forgetting changes.
type forgetUnit struct {
	*Forgetting
	lists
	had         map[index.Tuple]bool   // triples of Gone that its lists had
	now         map[index.Tuple]uint64 // changes of first
	less        map[uint64]*lessened   // by entry
	used        map[uint64]int         // how many lists more use a piece
	lost, fresh []index.Tuple          // of the graph
}

// lessened is how many triples a list has fewer, and how many fewer of its triples no list before it has.
type lessened struct{ removed, fresh int }

// of returns how much shorter the list of an entry gets.
func (x *forgetUnit) of(seq uint64) *lessened {
	l := x.less[seq]
	if l == nil {
		l = &lessened{}
		x.less[seq] = l
	}
	return l
}

func (x *forgetUnit) add(t index.Tuple) {
	if t != (index.Tuple{}) {
		x.fresh = append(x.fresh, t)
	}
}

// change changes the list of an entry. Older lists are changed already.
func (x *forgetUnit) change(tx *engine.Tx, seq uint64) error {
	key, of, own := number(seq), x.of(seq), map[index.Tuple]bool{}
	value := bytes.Clone(x.logs.Get(key))
	var left []index.Tuple
	err := list(x.pieces, key, value, nil, func(run []index.Tuple, _ uint64) error {
		for _, t := range run {
			to, found := x.Gone[t]
			if !found {
				to = t
			} else if !x.had[t] { // this is the oldest list
				x.had[t] = true
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

// own makes the list of the entry seq the first one that has a triple, unless an older list has it. If a newer list was
// the first, its log added one triple fewer.
func (x *forgetUnit) own(t index.Tuple, seq uint64) {
	was, changed := x.now[t]
	if !changed {
		was = x.first[t]
	}
	if was != 0 && was <= seq {
		return
	}
	x.now[t] = seq
	if was != 0 {
		x.of(was).fresh++
	}
	x.of(seq).fresh--
}

// use counts the pieces of a list.
func (x *forgetUnit) use(value []byte, by int) error {
	numbers, err := listPieces(value)
	for _, n := range numbers {
		x.used[n] += by
	}
	return err
}

// finish notes how much shorter lists are, changes the graph, and removes pieces that no list uses any more. There are
// such pieces because a list that was shortened may be cut elsewhere than before, or stored as a whole.
func (x *forgetUnit) finish(tx *engine.Tx) (removed int, err error) {
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
	tx.RestartStaged() // a document that is being stored may count on a triple that goes
	if len(x.fresh) > 0 {
		if _, err := tx.AddTuples(x.graph, x.fresh); err != nil {
			return 0, err
		}
	}
	return tx.Remove(x.graph, x.lost)
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
