package vocabulary

import (
	"strings"
	"unicode"

	"github.com/segraph/segraph/store/turtle"
)

// Short abbreviates an IRI to a prefixed name for display. It uses the first prefix that
// leaves a plain word, and returns false if there is none.
func Short(prefixes []turtle.Prefix, iri string) (string, bool) {
	for _, p := range prefixes {
		local, ok := strings.CutPrefix(iri, p.Namespace)
		if ok && local != "" && strings.IndexFunc(local, notInName) < 0 {
			return p.Label + ":" + local, true
		}
	}
	return "", false
}

func notInName(c rune) bool {
	return c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
}
