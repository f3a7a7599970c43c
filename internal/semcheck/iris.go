package semcheck

import "github.com/segraph/segraph/store/turtle"

// OfIRIs returns an issue for each warning of a reader: IRIs and language tags that other
// programs may refuse.
func OfIRIs(warnings []turtle.Warning, severity string) []Issue {
	out := make([]Issue, len(warnings))
	for i := range warnings {
		w := &warnings[i]
		out[i] = Issue{Severity: severity, Code: IRISyntax, Message: w.Msg + ".", Value: &w.Text, Line: &w.Line, Column: &w.Column}
	}
	return out
}
