package sparql

import "github.com/segraph/segraph/store/sparql/syntax"

// Prefixes returns the namespaces that the query declares, each label once, for whoever
// writes its answer in a form that can use them.
func (q *Query) Prefixes() []syntax.Prefix { return q.syntax.Prologue.Prefixes }
