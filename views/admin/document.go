package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// findings returns the issues of a document with their lines. known are prefixes to
// suggest for a missing declaration.
func findings(text []byte, judged service.Validation, known []turtle.Prefix) []Finding {
	var out []Finding
	for _, issue := range judged.Issues[:min(maxFindings, len(judged.Issues))] {
		f := Finding{Error: issue.Severity == semcheck.Error, Code: issue.Code, Message: issue.Message}
		if issue.Line != nil && issue.Column != nil {
			f.Line, f.Column = *issue.Line, *issue.Column
			f.Message = views.Capital(strings.TrimPrefix(f.Message, fmt.Sprintf("Line %d, column %d: ", f.Line, f.Column)))
			f.Before, f.At, f.After = views.Around(text, f.Line, f.Column)
		}
		for from, to := range map[*string]*string{issue.FocusNode: &f.Focus, issue.Predicate: &f.Predicate, issue.Value: &f.Value} {
			if from != nil { // the issue has it
				*to = *from
			}
		}
		if judged.Undeclared != "" {
			f.Declare = declarations(judged.Undeclared, known)
		}
		out = append(out, f)
	}
	return out
}

// declarations returns candidate namespaces for a prefix: those that known has for it or,
// if it ends in a number, for the name without the number.
func declarations(prefix string, known []turtle.Prefix) []views.Declaration {
	label := strings.TrimSuffix(prefix, ":")
	var out []views.Declaration
	for _, p := range known {
		if p.Label == label || p.Label == strings.TrimRight(label, "0123456789") {
			out = append(out, views.Declaration{Prefix: prefix, Namespace: p.Namespace})
		}
	}
	return out
}

// declare inserts the declaration of a prefix at the top of a document. It takes the first namespace of declarations;
// without one, it returns the document unchanged.
func declare(text []byte, prefix string, known []turtle.Prefix) []byte {
	meant := declarations(prefix, known)
	if len(meant) == 0 {
		return text
	}
	return append(fmt.Appendf(nil, "@prefix %s <%s> .\n", prefix, meant[0].Namespace), text...)
}

// parse parses a document as the API does.
func parse(text []byte) ([]rdf.Triple, []turtle.Prefix, error) {
	reader := turtle.NewReader(bytes.NewReader(text), turtle.Turtle, turtle.Options{MaxDepth: service.MaxNesting})
	var out []rdf.Triple
	for {
		q, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out, reader.Prefixes(), nil
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, rdf.Triple{S: q.S, P: q.P, O: q.O})
	}
}

// tidy rewrites a document with each subject once, using the prefixes that it declares.
// The error is a *turtle.SyntaxError.
func tidy(text []byte) ([]byte, error) {
	triples, prefixes, err := parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := turtle.WriteGraph(&out, turtle.NewMemorySource(triples), prefixes); err != nil {
		return nil, fmt.Errorf("tidy a document: %w", err)
	}
	return out.Bytes(), nil
}

// maxLookedUp is the largest document, in triples, whose triples are looked up before it
// is stored.
const maxLookedUp = 2000

// known counts the triples of a document that are already in the graph. It returns nil if
// the document is larger than maxShown or maxLookedUp. A triple with a blank node is always
// new, since blank nodes are local to a document.
func (u *handlers) known(ctx context.Context, text []byte) (*int, error) {
	if len(text) > maxShown {
		return nil, nil
	}
	triples, _, err := parse(text)
	if err != nil || len(triples) > maxLookedUp {
		return nil, err
	}
	seen := map[rdf.Triple]bool{}
	var rows bytes.Buffer
	lines := turtle.NewWriter(&rows, turtle.NTriples, nil)
	for _, t := range triples {
		if t.S.IsBlank() || t.O.HasBlank() || seen[t.Fold()] {
			continue
		}
		seen[t.Fold()] = true
		if err := lines.Write(rdf.Quad{S: t.S, P: t.P, O: t.O}); err != nil {
			return nil, fmt.Errorf("look up a document: %w", err)
		}
	}
	if err := lines.Close(); err != nil {
		return nil, fmt.Errorf("look up a document: %w", err)
	}
	var query strings.Builder // a term of N-Triples is valid SPARQL
	query.WriteString("SELECT (COUNT(*) AS ?n) { VALUES (?s ?p ?o) {\n")
	for line := range strings.Lines(rows.String()) {
		query.WriteString("(" + strings.TrimSuffix(line, " .\n") + ")\n")
	}
	query.WriteString("} ?s ?p ?o }")
	n, err := u.Count(ctx, query.String())
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// minimalLog returns an example log of one robot that heard one message. Their names are
// its own, so that no other robot shares them.
func minimalLog(now time.Time) string {
	id := now.UTC().Format("20060102T150405")
	return fmt.Sprintf(`@prefix ex: <https://example.org/robots/sample/> .
@prefix oro: <%s> .
@prefix prov: <%s> .
@prefix schema: <%s> .
@prefix segb: <%s> .
@prefix xsd: <%s> .

ex:robot a oro:Robot, prov:Agent ;
    schema:name "Sample robot" .

ex:visitor a oro:Human, prov:Person .

ex:listening-%[6]s
    a oro:ListeningEvent, segb:LoggedActivity, prov:Activity ;
    prov:startedAtTime "%[7]s"^^xsd:dateTime ;
    segb:wasPerformedBy ex:robot .

ex:message-%[6]s
    a oro:InitialMessage, schema:Message, prov:Entity ;
    schema:text "Good morning"@en ;
    schema:sender ex:visitor ;
    prov:wasGeneratedBy ex:listening-%[6]s .
`, vocabulary.Oro, vocabulary.Prov, vocabulary.Schema, vocabulary.Segb, rdf.XSD, id, now.UTC().Format(time.RFC3339))
}
