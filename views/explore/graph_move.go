package explore

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// graphMove puts a node at a place. Other nodes stay where they are. Nodes that later
// steps add start from there.
type graphMove struct {
	node  string // its key
	x, y  int
	after int // number of steps when it was moved
}

// nodeKey returns a short name of a node for addresses: 40 bits of a hash, in at most 8 letters.
func nodeKey(iri string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(iri)) // never fails
	return strconv.FormatUint(h.Sum64()>>24, 36)
}

// readMoves parses moves such as "1f2e3d_-120_340_2~4b5a_10_20_2". It skips others.
func readMoves(text string) (out []graphMove) {
	for part := range strings.SplitSeq(text, "~") {
		words := strings.Split(part, "_")
		if len(words) != 4 || len(words[0]) > 8 || len(out) == maxMoves {
			continue
		}
		var n [3]int
		bad := false
		for i, w := range words[1:] {
			v, err := strconv.Atoi(w)
			n[i], bad = v, bad || err != nil || v < -farthest || v > farthest
		}
		if !bad && n[2] >= 0 {
			out = append(out, graphMove{words[0], n[0], n[1], n[2]})
		}
	}
	return out
}

func writeMoves(list []graphMove) string {
	var parts []string
	for _, m := range list {
		parts = append(parts, fmt.Sprintf("%s_%d_%d_%d", m.node, m.x, m.y, m.after))
	}
	return strings.Join(parts, "~")
}

// withMove returns the state with a node at another position.
func (st graphState) withMove(key string, x, y float64) graphState {
	m := graphMove{key, int(math.Round(x)), int(math.Round(y)), len(st.ops)}
	st.moves = slices.DeleteFunc(slices.Clone(st.moves), func(o graphMove) bool { return o.node == key && o.after >= m.after })
	st.moves = append(st.moves, m)
	st.moves = st.moves[max(0, len(st.moves)-maxMoves):]
	return st
}

// readEdge parses the keys of a line's ends, or their IRIs, which older links contain.
func readEdge(text string) [2]string {
	if from, to, ok := strings.Cut(text, " "); ok && rdf.IsIRI(from) && rdf.IsIRI(to) {
		return [2]string{nodeKey(from), nodeKey(to)}
	}
	from, to, _ := strings.Cut(text, "-")
	if from == "" || to == "" || len(from) > 8 || len(to) > 8 {
		return [2]string{}
	}
	return [2]string{from, to}
}

// resolveEdge returns the IRIs of the ends of the selected line, or "" if they are not in
// the picture.
func (p *picture) resolveEdge(st graphState) (from, to string) {
	for _, n := range p.nodes {
		key := nodeKey(n.iri)
		if key == st.edge[0] {
			from = n.iri
		}
		if key == st.edge[1] {
			to = n.iri
		}
	}
	return from, to
}
