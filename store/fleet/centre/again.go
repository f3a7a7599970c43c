package centre

import (
	"slices"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/journal"
)

// againName is the bucket of logs that arrived again under another name of their box: the name and the log_id -> nothing.
const againName = "again"

func againKey(name, id string) []byte { return []byte(name + "\n" + id) }

// maxParts is how many entries with the id of a log are looked at.
const maxParts = 1 << 12

// owns reports whether a log arrived from the box with a name, and from nowhere else. A log that it sent again counts too, if
// the operator does not name the other box any more: this one is that box, restored.
func (c *Centre) owns(r kv.Reader, name, id string) (bool, error) {
	all, err := journal.Find(r, id, maxParts)
	again := r.Bucket(againName).Get(againKey(name, id)) != nil
	foreign := func(n journal.Numbered) bool {
		formerName := n.Box != "" && again && c.keys[n.Box] == ""
		return n.Box != name && !formerName
	}
	return len(all) > 0 && !slices.ContainsFunc(all, foreign), err
}

// has reports whether a log has arrived already under another name of its box, with the same
// content, or whether its id is taken by another log. d is its document as this centre stores it: without those who were
// erased here.
func has(r kv.Reader, name string, k *pack.Known, d *store.Document) (known, taken bool, err error) {
	all, err := journal.Find(r, k.Entry.LogID, maxParts)
	for _, o := range all {
		switch {
		case o.Box == name: // another part of it
		case o.Box != "" && o.BoxTime.Equal(k.Entry.Time) && o.BoxIndex == k.Index && (same(&o.Entry, k.Content, k.Document) || d != k.Document && same(&o.Entry, nil, d)):
			return true, false, nil
		default:
			taken = true
		}
	}
	return false, taken, err
}

// same reports whether a stored log commits to a document, which is nil for a log without content. content is what the box sent
// of it: for a document that was too complex to canonicalize, the entry commits to that alone.
func same(o *journal.Entry, content []byte, d *store.Document) bool {
	salt, ok := o.Salted.Salt(journal.Content)
	if o.Commitment != "" && !ok { // it was withdrawn, or loses what it said, and must not come back
		return true
	}
	if o.Graph == "" {
		return salt.Commit(content) == o.Commitment
	}
	if d == nil {
		return o.Triples == 0
	}
	graph, _ := d.Commitment(salt, pack.CanonSteps)
	return graph == o.Graph
}
