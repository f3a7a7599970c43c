package service

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// canonSteps limits the steps that labelling the blank nodes of a document takes, to
// about 10 ms.
const canonSteps = 20_000

// commit adds to the entry of a log the salted hashes of the document's bytes and of its
// canonical form. d is nil for a document that is not held in memory. Such a document has
// no canonical form, nor has one that takes more than canonSteps.
func commit(e *journal.Entry, content []byte, d *store.Document) {
	sum := sha256.Sum256(content)
	e.SHA256 = hex.EncodeToString(sum[:])
	e.Secret = journal.NewSecret()
	salt := e.Secret.Content()
	e.Commitment = salt.Commit(content)
	if e.Canon = store.CanonLarge; d == nil {
		return
	}
	graph, ok := salt.Hash(), false
	if e.Canon, ok = d.WriteCanonical(graph, canonSteps); ok {
		e.Graph = journal.Committed(graph)
	}
}
