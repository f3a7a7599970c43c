package engine

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// labels finds the blank nodes of a document that is stored in parts. It remembers some of them by their labels. The
// dictionary has the others under names made of the labels, as it has IRIs. Those without a label get ids by their
// numbers. Without a name, as for a document that is stored at once, all that are not remembered get new ids.
type labels struct {
	name   string // of the document, for the names of its nodes
	most   int    // bytes to remember, about
	bytes  int    // that are remembered
	ids    map[string]dict.ID
	blocks map[uint64]dict.ID // first ids of blockNodes nodes without a label
}

const (
	labelBytes = 100 // bytes that a remembered node takes, without its label
	blockNodes = 1 << 10
	// labelShare is how many times the memory of deferred writes labels may take: looking names up takes far longer.
	labelShare = 8
)

// find sets the ids of the blank nodes among terms.
func (l *labels) find(tx *Tx, terms []rdf.Term, ids []dict.ID) (err error) {
	var names []rdf.Term
	var places []int
	for i, t := range terms {
		if !t.IsBlank() {
			continue
		}
		label := t.Value()
		id, known := l.ids[label]
		number, unlabelled := turtle.Anonymous(label)
		switch {
		case known:
			ids[i] = id
		case l.name == "":
			ids[i], err = tx.dict.NewBlank()
		case l.bytes < l.most:
			ids[i], err = tx.dict.NewBlank()
			l.remember(label, ids[i])
		case unlabelled:
			ids[i], err = l.numbered(tx, number)
		default:
			sum := sha256.Sum256([]byte(l.name + " " + label))
			names, places = append(names, rdf.NewBlank("l"+hex.EncodeToString(sum[:16]))), append(places, i)
		}
		if err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return nil
	}
	found := make([]dict.ID, len(names))
	err = tx.dict.IDs(names, found)
	for i, at := range places {
		ids[at] = found[i]
	}
	return err
}

// remember remembers a node by its label.
func (l *labels) remember(label string, id dict.ID) {
	if l.ids == nil {
		l.ids = map[string]dict.ID{}
	}
	l.ids[label] = id
	l.bytes += labelBytes + len(label)
}

// numbered returns the id of a node without a label.
func (l *labels) numbered(tx *Tx, n uint64) (dict.ID, error) {
	first, ok := l.blocks[n/blockNodes]
	if !ok {
		var err error
		if first, err = tx.dict.NewBlanks(blockNodes); err != nil {
			return 0, err
		}
		if l.blocks == nil {
			l.blocks = map[uint64]dict.ID{}
		}
		l.blocks[n/blockNodes] = first
	}
	return first + dict.ID(n%blockNodes), nil
}
