package explore

import (
	"slices"
	"strings"
	"testing"
)

func TestMovesAreReadFromTheAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]graphMove{
		"": nil, "1a_-120_340_2": {{"1a", -120, 340, 2}}, "1a_1_2_0~2b_3_4_1": {{"1a", 1, 2, 0}, {"2b", 3, 4, 1}},
		"1a_1_2": nil, "1a_x_2_3": nil, "1a_1_2_-1": nil, "1a_50001_2_3": nil, "123456789_1_2_3": nil, "~~1a_1_2_3~_": {{"1a", 1, 2, 3}},
	} {
		got := readMoves(text)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
		if again := readMoves(writeMoves(got)); !slices.Equal(again, got) {
			t.Errorf("%q: %v, then %v", text, got, again)
		}
	}
	if got := readMoves(strings.Repeat("1a_1_2_3~", 500)); len(got) != maxMoves {
		t.Errorf("%d moves", len(got))
	}
}

func TestMovingANodeAgainReplacesItsLastMove(t *testing.T) {
	t.Parallel()
	st := graphState{ops: make([]graphOp, 2)}.withMove("a", 1.4, 2.6).withMove("b", 5, 6).withMove("a", 7, 8)
	if want := []graphMove{{"b", 5, 6, 2}, {"a", 7, 8, 2}}; !slices.Equal(st.moves, want) {
		t.Errorf("%v", st.moves)
	}
	st.ops = make([]graphOp, 3) // nodes were added, and start from its place before
	if st = st.withMove("a", 9, 9); len(st.moves) != 3 {
		t.Errorf("%v", st.moves)
	}
	for i := range 2 * maxMoves {
		st = st.withMove("n"+string(rune('a'+i%26)), float64(i), 0)
		st.ops = append(st.ops, graphOp{})
	}
	if last := st.moves[len(st.moves)-1]; len(st.moves) != maxMoves || last.x != 2*maxMoves-1 {
		t.Errorf("%d moves, the last is %v", len(st.moves), last)
	}
}

func TestTheSelectedLineIsReadFromTheAddress(t *testing.T) {
	t.Parallel()
	a, b := "http://e/a", "http://e/b"
	keys := [2]string{nodeKey(a), nodeKey(b)}
	for text, want := range map[string][2]string{
		a + " " + b: keys, keys[0] + "-" + keys[1]: keys, "": {}, "x": {}, "-": {}, "a-": {}, "123456789-1": {},
	} {
		if got := readEdge(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	p := &picture{nodes: []*graphNode{{iri: a}, {iri: b}}}
	for _, c := range []struct{ edge, want [2]string }{{keys, [2]string{a, b}}, {[2]string{keys[1], keys[1]}, [2]string{b, b}}, {[2]string{"x", keys[0]}, [2]string{"", a}}} {
		if from, to := p.resolveEdge(graphState{edge: c.edge}); [2]string{from, to} != c.want {
			t.Errorf("%v: %s, %s", c.edge, from, to)
		}
	}
}
