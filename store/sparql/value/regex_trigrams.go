package value

import "github.com/segraph/segraph/store/trigram"

// Trigrams returns a condition on the trigrams of a text that every match meets, or nil
// if there is none.
func (r *Regex) Trigrams() *trigram.Query { return r.needed.trigrams() }

// trigrams returns the query for texts that may contain what is needed, or nil for all texts.
func (n *needed) trigrams() *trigram.Query {
	if n == nil {
		return nil
	}
	if n.parts == nil {
		return trigram.Contains(n.text)
	}
	var queries []*trigram.Query
	for _, part := range n.parts {
		queries = append(queries, part.trigrams())
	}
	if n.any {
		return trigram.Or(queries...)
	}
	return trigram.And(queries...)
}
