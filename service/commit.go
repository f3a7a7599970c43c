package service

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

// Values of journal.Entry.Canon.
const (
	canonRDFC  = "rdfc-1.0"                    // RDF Dataset Canonicalization with SHA-256
	canonRDF12 = canon.BasicName               // of documents with triple terms or base directions
	canonSteps = "none: too many steps"        // the canonical form would take more than canonLimit steps
	canonLarge = "none: too large"             // the document has more than maxParsedTriples or maxParsedBytes
	canonWords = "none: words of the encoding" // the document has triple terms, and predicates that encode them
	canonLimit = 20_000                        // limit of steps, about 10 ms
)

// commit adds to the entry of a log its commitments to the document's bytes and to what
// the document says. d is nil for a document that is not held in memory.
func commit(e *journal.Entry, content []byte, d *store.Document) {
	sum := sha256.Sum256(content)
	e.SHA256 = hex.EncodeToString(sum[:])
	e.Secret = journal.NewSecret()
	salt := e.Secret.Content()
	e.Commitment = salt.Commit(content)
	var text []byte
	if text, e.Canon = canonical(d); text != nil {
		e.Graph = salt.Commit(text)
	}
}

// canonical returns the canonical N-Quads of a document, with language tags in lower case,
// and the algorithm; or nil and why there are none.
func canonical(d *store.Document) ([]byte, string) {
	if d == nil {
		return nil, canonLarge
	}
	terms, name := make([]rdf.Term, len(d.Terms)), canonRDFC
	for i, t := range d.Terms {
		if t.IsTriple() || t.Direction() != "" {
			name = canonRDF12
		}
		terms[i] = t.Fold()
	}
	quads := make([]rdf.Quad, len(d.Quads))
	for i, q := range d.Quads {
		quads[i] = rdf.Quad{S: terms[q[0]], P: terms[q[1]], O: terms[q[2]]}
	}
	if name == canonRDF12 {
		var ok bool
		if quads, ok = canon.Basic(quads); !ok {
			return nil, canonWords
		}
	}
	text, err := canon.NQuads(quads, canon.Options{Steps: canonLimit})
	if errors.Is(err, canon.ErrSteps) {
		return nil, canonSteps
	}
	return text, name
}
