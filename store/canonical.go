package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/orders"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
)

// The results of WriteCanonical: the name of its algorithm, or why the document has no
// canonical N-Quads.
const (
	CanonRDFC  = "rdfc-1.0"                    // RDF Dataset Canonicalization with SHA-256
	CanonRDF12 = canon.BasicName               // of documents with triple terms or base directions
	CanonSteps = "none: too many steps"        // labelling the blank nodes would take too many steps
	CanonLarge = "none: too large"             // the document is not held in memory, or exceeds a limit below
	CanonWords = "none: words of the encoding" // the document has triple terms, and predicates that encode them
)

// maxCanonical limits the quads that have blank nodes, and all quads of a document with
// terms of RDF 1.2. Each takes about a kilobyte while it is labelled.
const maxCanonical = 50_000

// The lines of a document may have maxLines bytes, plus lineBytes for each quad. Terms that repeat make them far longer
// than the document.
const (
	maxLines  = 16 << 20
	lineBytes = 512
)

// WriteCanonical writes the canonical N-Quads of a document to w, with language tags in
// lower case, and returns the name of the algorithm. Writes to w must not fail. Labelling
// the blank nodes takes at most the given number of steps. If the document has no
// canonical N-Quads within the limits, WriteCanonical writes nothing, and returns the
// reason and false.
func (d *Document) WriteCanonical(w io.Writer, steps int) (algorithm string, ok bool) {
	size := 0
	for i := range d.Quads {
		q := d.Quad(i)
		size += canon.Size(&q)
	}
	if size > maxLines+lineBytes*len(d.Quads) {
		return CanonLarge, false
	}
	for _, t := range d.Terms {
		if t.IsTriple() || t.Direction() != "" {
			return d.writeBasic(w, steps)
		}
	}
	var blanks []rdf.Quad
	for i, q := range d.Quads {
		inBlank := q[3] != NoGraph && d.Terms[q[3]].IsBlank() // its graph
		if inBlank || d.Terms[q[0]].IsBlank() || d.Terms[q[2]].IsBlank() {
			if len(blanks) == maxCanonical {
				return CanonLarge, false
			}
			blanks = append(blanks, d.folded(i))
		}
	}
	var labels map[string]string
	if len(blanks) > 0 {
		var err error
		if labels, err = canon.Labels(blanks, canon.Options{Steps: steps}); err != nil {
			return CanonSteps, false
		}
	}
	d.writeSorted(w, labels)
	return CanonRDFC, true
}

// Commitment returns journal.Committed of the salt and the canonical N-Quads, or "" if these can't be made
// within the limits of WriteCanonical, and the algorithm that WriteCanonical returns.
func (d *Document) Commitment(salt journal.Salt, steps int) (graph, algorithm string) {
	hash := salt.Hash()
	algorithm, ok := d.WriteCanonical(hash, steps)
	if ok {
		graph = journal.Committed(hash)
	}
	return graph, algorithm
}

// Commit gives the entry of a log a new secret, and the salted hashes of the document's bytes and of
// its canonical form. Computing this form takes at most the given number of steps. d is nil for a
// document that is not held in memory, which gets no hash of a canonical form.
func Commit(e *journal.Entry, content []byte, d *Document, steps int) {
	sum := sha256.Sum256(content)
	e.SHA256, e.Secret = hex.EncodeToString(sum[:]), journal.NewSecret()
	e.Commitment = e.Secret.Content().Commit(content)
	e.Canon = CanonLarge
	if d != nil {
		e.Graph, e.Canon = d.Commitment(e.Secret.Content(), steps)
	}
}

// folded returns Quad(i) with the language tag in lower case.
func (d *Document) folded(i int) rdf.Quad {
	q := d.Quad(i)
	q.O = q.O.Fold()
	return q
}

// writeSorted writes the lines of the distinct quads in order. It sorts the terms, and
// then the quads by the ranks of their terms. That is also the order of the lines, because
// no term's text followed by a space is a prefix of another's.
func (d *Document) writeSorted(w io.Writer, labels map[string]string) {
	texts := make([]byte, 0, d.size+16*len(d.Terms))
	ends := make([]int, len(d.Terms)+1)
	for i, t := range d.Terms {
		texts = append(canon.AppendTerm(texts, t, labels), ' ')
		ends[i+1] = len(texts)
	}
	text := func(i uint32) []byte { return texts[ends[i]:ends[i+1]] }
	order, place := make([]uint32, len(d.Terms)), make([]uint32, len(d.Terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return bytes.Compare(text(a), text(b)) })
	for i, term := range order {
		place[term] = uint32(i)
	}
	quads := make([]packed, len(d.Quads))
	for i, q := range d.Quads {
		q = [4]uint32{place[q[0]], place[q[1]], place[q[2]], q[3]}
		if q[3] != NoGraph {
			q[3] = place[q[3]]
		}
		quads[i] = pack(q)
	}
	orders.Sort(quads, 2)
	out := bufio.NewWriterSize(w, 512) // most documents are small
	for _, p := range slices.Compact(quads) {
		for _, at := range p.unpack() {
			if at != NoGraph {
				_, _ = out.Write(text(order[at]))
			}
		}
		_, _ = out.WriteString(".\n")
	}
	_ = out.Flush()
}

// writeBasic writes the canonical form of a document with terms of RDF 1.2, which canon.Basic
// replaces by terms of RDF 1.1, and returns the name of the algorithm. If ok is false, it returns the
// reason.
func (d *Document) writeBasic(w io.Writer, steps int) (algorithmOrReason string, ok bool) {
	if len(d.Quads) > maxCanonical {
		return CanonLarge, false
	}
	quads := make([]rdf.Quad, len(d.Quads))
	for i := range quads {
		quads[i] = d.folded(i)
	}
	quads, ok = canon.Basic(quads)
	if !ok {
		return CanonWords, false
	}
	text, err := canon.NQuads(quads, canon.Options{Steps: steps})
	if errors.Is(err, canon.ErrSteps) {
		return CanonSteps, false
	}
	_, _ = w.Write(text)
	return CanonRDF12, true
}
