package views

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// LogSubjects is how many nodes of a log its graph and its query have.
const LogSubjects = 12

// LogRead is how many triples of a log are searched for times, robots and subjects.
const LogRead = 2000

// logLinks are the addresses that the triples of a log lead to; "" if there are none.
type logLinks struct {
	Session, Graph, Query string
	Names                 []LogName // robots and people
	Begin, End            time.Time // of its events; zero if none has a time
	Timed                 []string  // activities with a start
}

// LogParties returns the distinct names of the robots and people that LinkLog finds in a log.
func (u *UI) LogParties(ctx context.Context) Names { return TellApart(u.Parties(ctx), u.Ages) }

// LinkLog returns what the triples of a log lead to. names are those of LogParties.
func LinkLog(names Names, quads []rdf.Quad) logLinks {
	var out logLinks
	begin, subjects := firstOf(quads)
	for _, q := range quads {
		p := q.P.Value()
		at, isTime := TimeOf(q.O)
		ofEvent := p == vocabulary.ProvStartedAtTime || p == vocabulary.ProvEndedAtTime || p == vocabulary.ProvGeneratedAtTime
		if isTime && ofEvent && (out.End.IsZero() || at.After(out.End)) {
			out.End = at
		}
		if p == vocabulary.ProvStartedAtTime && rdf.IsIRI(q.S.Value()) && q.S.IsIRI() && !slices.Contains(out.Timed, q.S.Value()) {
			out.Timed = append(out.Timed, q.S.Value())
		}
	}
	out.Begin = begin
	if !begin.IsZero() {
		out.Session = ReplayAt(begin)
	}
	named := map[string]bool{}
	for _, q := range quads {
		for _, t := range []rdf.Term{q.S, q.O} {
			iri := t.Value()
			if _, ok := names[iri]; ok && t.IsIRI() && !named[iri] {
				named[iri] = true
				out.Names = append(out.Names, LogName{Name: names[iri], IRI: iri, Href: PlainIRIs.Replace(AboutIRI(iri))})
			}
		}
	}
	if len(subjects) == 0 {
		return out
	}
	shown := url.Values{}
	query := "CONSTRUCT { ?s ?p ?o }\nWHERE {\n  VALUES ?s {\n"
	for _, iri := range subjects[:min(len(subjects), LogSubjects)] {
		shown.Add("v", "+ "+iri)
		query += "    <" + iri + ">\n"
	}
	out.Graph = "/kg-graph?" + PlainIRIs.Replace(shown.Encode())
	out.Query = "/query?" + url.Values{"query": {query + "  }\n  ?s ?p ?o\n}\n"}}.Encode()
	return out
}

// firstOf returns the first time at which the triples of a log say that something began or was made,
// and its subjects, those with such a time first.
func firstOf(quads []rdf.Quad) (begin time.Time, subjects []string) {
	var rest []string
	timed, seen := map[string]bool{}, map[string]bool{}
	for _, q := range quads {
		p, s := q.P.Value(), q.S.Value()
		at, isTime := TimeOf(q.O)
		begins := isTime && (p == vocabulary.ProvStartedAtTime || p == vocabulary.ProvGeneratedAtTime)
		if begins && (begin.IsZero() || at.Before(begin)) {
			begin = at
		}
		switch {
		case !q.S.IsIRI(): // a blank node has no page
		case begins && !timed[s]:
			timed[s], subjects = true, append(subjects, s)
		case !begins && !seen[s]:
			seen[s], rest = true, append(rest, s)
		}
	}
	for _, s := range rest {
		if !timed[s] {
			subjects = append(subjects, s)
		}
	}
	return begin, subjects
}
