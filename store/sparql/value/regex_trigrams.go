package value

import (
	"regexp/syntax"

	"github.com/segraph/segraph/store/trigram"
)

// Trigrams returns a condition on the trigrams of a text that every match meets, or nil
// if there is none.
func (r *Regex) Trigrams() *trigram.Query {
	tree, err := syntax.Parse(r.program.String(), syntax.Perl)
	if err != nil { // impossible: the program was compiled
		return nil
	}
	return trigram.Regexp(tree)
}
