package webui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

const (
	maxFound = 30
	// findTime limits the scan of labels and IRIs for a substring if there is no index;
	// findLong applies if the reader asked for a longer search.
	findTime = 150 * time.Millisecond
	findLong = 20 * time.Second
)

// search finds nodes by IRI, by the prefix of their local name in a known namespace, or
// by the prefix of a label. If these give few results, it also searches for a part of a
// label or IRI, for a limited time. cut reports whether time ran out.
func (u *UI) search(ctx context.Context, text string, limit time.Duration) (found []string, cut bool, err error) {
	add := func(iri string) {
		if rdf.IsIRI(iri) && len(found) < maxFound && !slices.Contains(found, iri) {
			found = append(found, iri)
		}
	}
	names := u.names(nil)
	begins := []string{strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")}
	if label, local, ok := strings.Cut(text, ":"); ok {
		for _, p := range names {
			if p.Label == label {
				begins = append(begins, p.Namespace+local)
			}
		}
	} else {
		begins = nil
		for _, p := range names {
			begins = append(begins, p.Namespace+text)
		}
	}
	if err := u.searchLabels(ctx, text, add); err != nil {
		return nil, false, err
	}
	var things []string
	for _, b := range begins {
		terms, err := u.service.TermsWithPrefix(rdf.KindIRI, b, maxFound)
		if err != nil {
			return nil, false, err
		}
		for _, t := range terms {
			things = append(things, "<"+t.Value()+">")
		}
	}
	if len(things) > 0 { // the dictionary also has deleted terms and terms that are only predicates
		rows, err := u.ask(ctx, fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?s { %s } FILTER(EXISTS { ?s ?p ?o } || EXISTS { ?x ?q ?s }) }", strings.Join(things, " ")))
		if err != nil {
			return nil, false, err
		}
		for _, row := range rows {
			add(row[0].Value())
		}
	}
	if len(found) >= 5 {
		return found, false, nil
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	part := inQuery(strings.ToLower(text))
	among, err := u.among(limited, text)
	if err != nil {
		return nil, false, err
	}
	for _, query := range []string{
		fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?p { %s } ?s ?p ?l FILTER(CONTAINS(LCASE(STR(?l)), %s)) } LIMIT %d", labelPredicates(), part, maxFound),
		fmt.Sprintf("SELECT DISTINCT ?s { %s ?s a ?c FILTER(isIRI(?s) && CONTAINS(LCASE(STR(?s)), %s)) } LIMIT %d", among, part, maxFound),
	} {
		rows, err := u.ask(limited, query)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			return found, true, nil
		} else if err != nil {
			return nil, false, err
		}
		for _, row := range rows {
			add(row[0].Value())
		}
	}
	return found, false, nil
}

// maxAmong is the largest number of IRIs from the index that are searched one by one.
const maxAmong = 1000

// among returns a VALUES clause with the IRIs that contain a text. It returns "" if there is
// no index, or if more than maxAmong terms contain the text.
func (u *UI) among(ctx context.Context, text string) (string, error) {
	list, ok, err := u.service.Containing(ctx, text, maxAmong)
	if err != nil || !ok {
		if ctx.Err() != nil {
			err = nil // out of time: the queries that follow report that
		}
		return "", err
	}
	var b strings.Builder
	for _, t := range list {
		if rdf.IsIRI(t.Value()) {
			b.WriteString(t.String() + " ")
		}
	}
	return "VALUES ?s { " + b.String() + "}", nil
}

// searchLabels finds nodes by the prefix of a label, as typed and with a capital first
// letter.
func (u *UI) searchLabels(ctx context.Context, text string, add func(string)) error {
	first, size := utf8.DecodeRuneInString(text)
	var labels []string
	for _, b := range slices.Compact([]string{text, string(unicode.ToUpper(first)) + text[size:], strings.ToUpper(text)}) {
		terms, err := u.service.TermsWithPrefix(rdf.KindLiteral, b, maxFound)
		if err != nil {
			return err
		}
		for _, t := range terms {
			labels = append(labels, t.String())
		}
	}
	if len(labels) == 0 {
		return nil
	}
	rows, err := u.ask(ctx, fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?l { %s } VALUES ?p { %s } ?s ?p ?l } LIMIT %d", strings.Join(labels, " "), labelPredicates(), maxFound))
	if err != nil {
		return err
	}
	for _, row := range rows {
		add(row[0].Value())
	}
	return nil
}

// rankFound sorts the nodes that a search found: exact names first, then robots and
// people, places and events.
func rankFound(text string, nodes []*graphNode) {
	text = strings.Trim(text, "<> ")
	rank := func(n *graphNode) (out int) {
		local := views.Short(n.iri)
		for _, name := range []string{n.label, local, n.iri} {
			if strings.EqualFold(name, text) {
				out = -10
			}
		}
		switch {
		case n.isParty():
			return out
		case strings.Contains(strings.ToLower(n.kind+" "+local), "location"), strings.Contains(strings.ToLower(views.Short(n.kind)), "place"):
			return out + 1
		case n.family == "event":
			return out + 2
		}
		return out + 3
	}
	slices.SortStableFunc(nodes, func(a, b *graphNode) int { return rank(a) - rank(b) })
}

func labelPredicates() string { return "<" + strings.Join(labelling, "> <") + ">" }

// inQuery formats a string for SPARQL.
func inQuery(s string) string { return rdf.NewString(s).String() }

// beginnings returns nodes to start from: robots, humans, and the latest activities.
func (u *UI) beginnings(ctx context.Context) ([]string, error) {
	var out []string
	for _, query := range []string{
		fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?c { <%s> <%s> } ?s a ?c } LIMIT 12", vocabulary.OroRobot, vocabulary.OroHuman),
		fmt.Sprintf("SELECT ?s { ?s <%s> ?t } ORDER BY DESC(?t) LIMIT 6", vocabulary.ProvStartedAtTime),
	} {
		rows, err := u.ask(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row[0].IsIRI() && !slices.Contains(out, row[0].Value()) {
				out = append(out, row[0].Value())
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	rows, err := u.ask(ctx, "SELECT DISTINCT ?s { ?s ?p ?o FILTER(isIRI(?s)) } LIMIT "+strconv.Itoa(maxFound/3))
	for _, row := range rows {
		out = append(out, row[0].Value())
	}
	return out, err
}
