package canon

import (
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// labeller computes the canonical labels of a dataset's blank nodes (RDFC-1.0, section
// 4.2: the canonicalization state).
type labeller struct {
	hash      hash.Hash
	steps     int                    // that may still be taken
	quads     map[string][]*rdf.Quad // distinct quads with a blank node, by its label
	first     map[string]string      // first-degree hash of a blank node
	canonical *issuer
	line      []byte // reused
}

// newLabeller collects the distinct quads of each blank node. It leaves first empty, for label.
func newLabeller(quads []rdf.Quad, o Options) *labeller {
	l := &labeller{hash: o.Hash.New(), steps: o.Steps, canonical: newIssuer("c14n"),
		quads: make(map[string][]*rdf.Quad), first: make(map[string]string)}
	seen := make(map[rdf.Quad]struct{})
	for i := range quads {
		q := &quads[i]
		if !q.S.IsBlank() && !q.O.IsBlank() && !q.G.IsBlank() {
			continue
		}
		if _, ok := seen[*q]; ok {
			continue
		}
		seen[*q] = struct{}{}
		for node := range blanks(q) {
			if have := l.quads[node]; len(have) == 0 || have[len(have)-1] != q { // a quad may name the node twice
				l.quads[node] = append(have, q)
			}
		}
	}
	return l
}

// blanks yields the label and the position ('s', 'o' or 'g') of each blank node of a quad.
func blanks(q *rdf.Quad) func(yield func(label string, position byte) bool) {
	return func(yield func(string, byte) bool) {
		for i, t := range [...]rdf.Term{q.S, q.O, q.G} {
			if t.IsBlank() && !yield(t.Value(), "sog"[i]) {
				return
			}
		}
	}
}

// label issues the canonical labels (section 4.4.3).
func (l *labeller) label() error {
	byHash := make(map[string][]string)
	for node := range l.quads {
		h := l.firstDegree(node)
		l.first[node] = h
		byHash[h] = append(byHash[h], node)
	}
	hashes := slices.Sorted(maps.Keys(byHash))
	for _, h := range hashes {
		if nodes := byHash[h]; len(nodes) == 1 {
			l.canonical.issue(nodes[0])
		}
	}
	for _, h := range hashes {
		if nodes := byHash[h]; len(nodes) > 1 {
			slices.Sort(nodes) // so that the same input has the same steps
			if err := l.labelAlike(nodes); err != nil {
				return err
			}
		}
	}
	return nil
}

// labelAlike issues canonical labels to nodes with the same first-degree hash, and to the
// nodes that tell them apart.
func (l *labeller) labelAlike(nodes []string) error {
	type result struct {
		hash   string
		issuer *issuer
	}
	var results []result
	for _, node := range nodes {
		if l.canonical.has(node) {
			continue
		}
		temporary := newIssuer("b")
		temporary.issue(node)
		h, issued, err := l.nDegree(node, temporary)
		if err != nil {
			return err
		}
		results = append(results, result{h, issued})
	}
	slices.SortStableFunc(results, func(a, b result) int { return strings.Compare(a.hash, b.hash) })
	for _, r := range results {
		for _, node := range r.issuer.order {
			l.canonical.issue(node)
		}
	}
	return nil
}

func (l *labeller) step(n int) error {
	if l.steps -= n; l.steps < 0 {
		return ErrSteps
	}
	return nil
}

// sum returns the hash of data in lower-case hexadecimal digits.
func (l *labeller) sum(data ...[]byte) string {
	l.hash.Reset()
	for _, b := range data {
		l.hash.Write(b)
	}
	return hex.EncodeToString(l.hash.Sum(nil))
}

// firstDegree returns the hash of a node's quads, with the node written as "_:a" and
// any other blank node as "_:z" (section 4.6).
func (l *labeller) firstDegree(node string) string {
	label := func(other string) string {
		if other == node {
			return "a"
		}
		return "z"
	}
	quads := l.quads[node]
	lines := make([]string, len(quads))
	for i, q := range quads {
		l.line = appendQuad(l.line[:0], *q, label)
		lines[i] = string(l.line)
	}
	slices.Sort(lines)
	return l.sum([]byte(strings.Join(lines, "")))
}

// related returns the hash of a blank node in a quad of another one (section 4.7).
func (l *labeller) related(node string, q *rdf.Quad, issued *issuer, position byte) string {
	b := append(l.line[:0], position)
	if position != 'g' {
		b = append(append(append(b, '<'), q.P.Value()...), '>')
	}
	switch {
	case l.canonical.has(node):
		b = append(append(b, "_:"...), l.canonical.labels[node]...)
	case issued.has(node):
		b = append(append(b, "_:"...), issued.labels[node]...)
	default:
		b = append(b, l.first[node]...)
	}
	l.line = b
	return l.sum(b)
}

// nDegree returns the hash of a node by its quads and the quads of the blank nodes
// connected to it. It also returns the issuer with the labels issued on the way
// (section 4.8).
func (l *labeller) nDegree(node string, issued *issuer) (hash string, all *issuer, err error) {
	byHash := make(map[string][]string)
	for _, q := range l.quads[node] {
		if err := l.step(1 + q.P.Size()/stepBytes); err != nil {
			return "", nil, err
		}
		for other, position := range blanks(q) {
			if other != node {
				h := l.related(other, q, issued, position)
				byHash[h] = append(byHash[h], other)
			}
		}
	}
	var data strings.Builder
	for _, h := range slices.Sorted(maps.Keys(byHash)) {
		chosen := path{}
		for order := range permutations(byHash[h]) {
			if err := l.walk(order, issued, &chosen); err != nil {
				return "", nil, err
			}
		}
		data.WriteString(h)
		data.WriteString(chosen.text)
		issued = chosen.issued
	}
	return l.sum([]byte(data.String())), issued, nil
}

// path is the text that describes one order of related nodes, and the labels issued for it.
type path struct {
	text   string
	issued *issuer
}

// walk describes related nodes in the given order, and stores the description in chosen if it is the least so far
// (section 4.8.3, step 5.4). It gives up as soon as the text is worse than the chosen one.
func (l *labeller) walk(order []string, issued *issuer, chosen *path) error {
	if err := l.step(len(order) + len(issued.order)); err != nil {
		return err
	}
	issued = issued.clone()
	var text []byte
	worse := func() bool {
		return chosen.issued != nil && len(text) >= len(chosen.text) && string(text) > chosen.text
	}
	var unlabelled []string
	for _, node := range order {
		labels := l.canonical
		if !labels.has(node) {
			labels = issued
		}
		if !labels.has(node) {
			unlabelled = append(unlabelled, node)
			labels.issue(node)
		}
		text = append(append(text, "_:"...), labels.labels[node]...)
		if worse() {
			return nil
		}
	}
	for _, node := range unlabelled {
		h, next, err := l.nDegree(node, issued)
		if err != nil {
			return err
		}
		text = append(append(text, "_:"...), issued.labels[node]...)
		text = append(append(append(text, '<'), h...), '>')
		issued = next
		if worse() {
			return nil
		}
	}
	if chosen.issued == nil || string(text) < chosen.text {
		*chosen = path{string(text), issued}
	}
	return nil
}
