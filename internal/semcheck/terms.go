package semcheck

import (
	"fmt"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Terms collects warnings about the triples of a document: unknown terms in known
// namespaces, each once, and times with another datatype or form. The zero Terms has
// seen none.
type Terms struct {
	First []Issue // the first MaxWarnings, and at most MaxText bytes of texts and one more
	Total int
	size  int             // bytes of the texts of First
	known map[string]bool // doubtful IRIs that were looked at
	long  string          // the last IRI of more than maxName bytes; a million triples may have it
}

// Limits of the warnings that Terms keeps, and of those of an answer.
const (
	MaxWarnings = 100
	MaxText     = 16 << 10 // bytes of their texts
)

// Fit returns the first issues, at most MaxWarnings, whose texts fit into room bytes. It lowers room by what these take.
func Fit(issues []Issue, room *int) []Issue {
	for n, i := range issues {
		if n == MaxWarnings || i.size() > *room {
			return slices.Clone(issues[:n]) // without the rest, which would stay in memory
		}
		*room -= i.size()
	}
	return issues
}

// size returns how many bytes the texts of an issue have.
func (i Issue) size() int {
	n := len(i.Message)
	for _, s := range [3]*string{i.FocusNode, i.Predicate, i.Value} {
		if s != nil {
			n += len(*s)
		}
	}
	return n
}

// Add looks at a triple. place returns its line and column.
func (t *Terms) Add(q rdf.Quad, place func() (line, column int)) {
	t.term(q.P, place)
	if q.P.Value() == rdf.RDFType && q.O.IsIRI() {
		t.term(q.O, place)
	}
	if !q.O.IsLiteral() {
		return
	}
	code, message := "", ""
	if ruleOf(q.P.Value()) == isDateTime {
		code, message = judgeDateTime(q.O)
	} else if d := q.O.Datatype(); d == rdf.XSDDateTime || d == rdf.XSDDate || d == rdf.XSDTime {
		if valid, _ := rdf.ValidLexical(q.O.Value(), d); !valid {
			code, message = DatetimeInvalidLexical, fmt.Sprintf("This is not a valid %s.", short(d))
		}
	}
	if code != "" {
		t.add(Issue{Code: code, Message: message, FocusNode: text(q.S), Predicate: text(q.P), Value: text(q.O)}, place)
	}
}

// term warns of a term that the vocabulary lacks, once for each. place returns where it is.
func (t *Terms) term(term rdf.Term, place func() (line, column int)) {
	iri := term.Value()
	if iri == t.long {
		return
	}
	if len(iri) > maxName {
		t.long = iri
	}
	if !vocabulary.Doubtful(iri) || t.known[iri] {
		return
	}
	if t.known == nil || len(t.known) == maxTermsKnown {
		t.known = map[string]bool{}
	}
	t.known[iri] = true
	if t.full() { // count the others, without looking for what they mean
		if vocabulary.Absent(iri) {
			t.Total++
		}
		return
	}
	meant, unknown := vocabulary.Unknown(iri)
	if !unknown {
		return
	}
	message := fmt.Sprintf("%q is not in the vocabulary", short(iri))
	if meant != "" {
		message += fmt.Sprintf(": did you mean %q?", short(meant))
	} else {
		message += "."
	}
	t.add(Issue{Code: UnknownTerm, Message: message, Value: text(term)}, place)
}

const (
	maxTermsKnown = 1 << 12 // IRIs that Terms remembers
	maxName       = 1 << 10 // bytes of an IRI; looking at a longer one takes long
)

// full reports whether no more warnings are kept.
func (t *Terms) full() bool { return len(t.First) == MaxWarnings || t.size > MaxText }

// add counts a warning, and keeps it with its place unless t is full.
func (t *Terms) add(i Issue, place func() (line, column int)) {
	if t.Total++; t.full() {
		return
	}
	line, column := place()
	i.Severity, i.Line, i.Column = Warning, &line, &column
	t.First, t.size = append(t.First, i), t.size+i.size()
}

func short(iri string) string {
	if name, ok := vocabulary.Short(vocabulary.Prefixes(), iri); ok {
		iri = name
	}
	return cut(iri)
}

// IsTime reports whether Check tests the values of a property as times.
func IsTime(property string) bool { return ruleOf(property) == isDateTime }
