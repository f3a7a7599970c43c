package pack

import (
	"testing"

	"github.com/segraph/segraph/store/log/journal"
)

// Of the names of a person, some may be no IRIs, as subjects of observations may be. None may stand for everybody.
func TestAnErasureMayHaveNamesThatAreNoIRIs(t *testing.T) {
	t.Parallel()
	salt := journal.NewSecret().Content()
	for _, x := range []struct {
		names []string
		want  bool
	}{
		{[]string{"http://ex/maria", "maria", "María x"}, true},
		{[]string{"maria", "http://ex/maria"}, false},
		{[]string{"http://ex/maria", "http:"}, false},
		{[]string{"http://ex/maria", ""}, false},
		{[]string{"http://ex/maria", "a\tb"}, false},
	} {
		e, err := readErasure(Erasure{IRIs: x.names}.Text(), salt[:], journal.PersonOf(salt, x.names))
		if (err == nil) != x.want || err == nil && len(e.IRIs) != len(x.names) {
			t.Errorf("%q: %v", x.names, err)
		}
	}
}
