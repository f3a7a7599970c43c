package engine

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/rdf"
)

// labels finds the blank nodes of a document that is stored in parts. It remembers some of them by their labels. The
// dictionary has the others under names made of the labels, as it has IRIs. The zero value is for a document that is
// stored at once, and remembers nothing.
type labels struct {
	name  string // of the document, for the names of its nodes
	most  int    // bytes to remember, about
	bytes int    // that are remembered
	ids   map[string]dict.ID
}

const (
	labelBytes = 100 // memory of a remembered node, besides its label
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
		var known bool
		ids[i], known = l.ids[t.Value()]
		switch {
		case known:
		case l.bytes > l.most:
			sum := sha256.Sum256([]byte(l.name + " " + t.Value()))
			names, places = append(names, rdf.NewBlank("l"+hex.EncodeToString(sum[:16]))), append(places, i)
		default:
			if ids[i], err = tx.dict.NewBlank(); err != nil {
				return err
			}
			if l.name != "" {
				l.remember(t.Value(), ids[i])
			}
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
