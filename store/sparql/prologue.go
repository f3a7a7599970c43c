package sparql

import "github.com/segraph/segraph/store/sparql/syntax"

// Prefixes returns the namespaces that the query declares, with distinct labels, for
// writers of its answer.
func (q *Query) Prefixes() []syntax.Prefix { return q.syntax.Prologue.Prefixes }
