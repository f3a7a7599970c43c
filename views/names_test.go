package views

import (
	"maps"
	"slices"
	"testing"
)

// TestEqualNamesAreToldApartByRenamingTheNewcomer has IRIs in the order in which they were
// stored, and their names.
func TestEqualNamesAreToldApartByRenamingTheNewcomer(t *testing.T) {
	t.Parallel()
	for _, c := range [][]struct{ iri, label, want string }{
		{{"http://e/ari", "", "ari"}, {"http://e/tiago", "", "tiago"}},
		{{"http://lab-b.org/robots/ari", "", "ari"}, {"http://lab-a.org/robots/ari", "", "ari (lab-a.org)"}, {"http://lab-c.org/robots/ari", "", "ari (lab-c.org)"}},
		{{"http://e/b/x/ari", "", "ari"}, {"http://e/a/x/ari", "", "ari (a)"}, {"http://e/c/x/tiago", "", "tiago"}},
		{{"https://e/ari", "", "ari"}, {"http://e/ari", "", "ari (http:)"}, {"http://e#ari", "", "ari (http://e#ari)"}},
		{{"http://e/a/x/ari", "", "ari"}, {"http://e/b/y/ari", "", "ari (y)"}, {"http://e/a/y/ari", "", "ari (http://e/a/y/ari)"}}, // y and a belong to others
		{{"http://e/x/ari", "", "ari"}, {"http://e/x/y/ari", "", "ari (y)"}, {"http://e/y/z/ari", "", "ari (z)"}, {"http://e/z/e/ari", "", "ari (e)"}},
		{{"http://lab/robots/robot_9", "ARI", "ARI"}, {"http://example.org/robot", "ARI", "ARI (robot)"}, {"http://lab/robots/robot_3", "TIAGo", "TIAGo"}},
		{{"http://e/c", "ari (a)", "ari (a)"}, {"http://e/b/ari", "", "ari"}, {"http://e/a/ari", "", "ari (http://e/a/ari)"}}, // the part is another's label
		{{"http://e/b/ari", "", "ari"}, {"http://f/a/ari", "", "ari (a)"}, {"http://e/c", "ari (a)", "ari (a) (c)"}},
	} {
		order, labels, want := []string{}, map[string]string{}, map[string]string{}
		for _, x := range c {
			order, labels[x.iri], want[x.iri] = append(order, x.iri), x.label, x.want
		}
		ages := func(iris []string) (out []uint64) {
			for _, iri := range iris {
				out = append(out, uint64(1+slices.Index(order, iri)))
			}
			return out
		}
		if got := TellApart(labels, ages); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		delete(labels, order[len(order)-1]) // the newcomer changes no name
		delete(want, order[len(order)-1])
		if got := TellApart(labels, ages); !maps.Equal(got, want) {
			t.Errorf("without the last: got %v, want %v", got, want)
		}
	}
	unknown := func(iris []string) []uint64 { return make([]uint64, len(iris)) }
	for _, ages := range []Ages{nil, unknown} {
		if got := TellApart(map[string]string{"http://e/b/ari": "", "http://e/a/ari": ""}, ages); got["http://e/a/ari"] != "ari" || got["http://e/b/ari"] != "ari (b)" {
			t.Errorf("without ages: %v", got)
		}
	}
}

// Feeling keeps what is no set of EmotionML.
func TestFeeling(t *testing.T) {
	for category, want := range map[string]string{"http://e/ns#big6_sadness": "sadness", "http://e/ns#everyday-categories_bored": "bored", "http://e/not_angry": "not_angry", "http://e/calm": "calm"} {
		if got := Feeling(category); got != want {
			t.Errorf("%s: %q", category, got)
		}
	}
}
