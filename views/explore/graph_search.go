package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

const (
	maxFound = 30
	// findTime limits the scan of labels and IRIs for a substring if there is no index;
	// findLong applies if the reader asked for a longer search.
	findTime = 150 * time.Millisecond
	findLong = 20 * time.Second
)

// search finds nodes by IRI, by the prefix of their local name in a known namespace, by the
// prefix of a label, and by a part of a label or IRI, ignoring case and accents. The search
// for a part takes a limited time; cut reports whether there may be more than were looked up.
// If there are more than maxFound nodes, it returns one more than that.
func (u *handlers) search(ctx context.Context, text string, limit time.Duration) (found []string, cut bool, err error) {
	add := func(iri string) {
		if rdf.IsIRI(iri) && len(found) <= maxFound && !slices.Contains(found, iri) {
			found = append(found, iri)
		}
	}
	if err := u.searchLabels(ctx, text, add); err != nil {
		return nil, false, err
	}
	var things []string
	for _, b := range beginnings(text, u.Prefixes(nil)) {
		terms, err := u.Service.TermsWithPrefix(rdf.KindIRI, b, maxFound)
		if err != nil {
			return nil, false, err
		}
		for _, t := range terms {
			things = append(things, "<"+t.Value()+">")
		}
	}
	if len(things) > 0 { // the dictionary also has deleted terms and terms that are only predicates
		rows, err := u.Ask(ctx, fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?s { %s } FILTER(EXISTS { ?s ?p ?o } || EXISTS { ?x ?q ?s }) }", strings.Join(things, " ")))
		if err != nil {
			return nil, false, err
		}
		for _, row := range rows {
			add(row[0].Value())
		}
	}
	if len(found) > maxFound {
		return found, false, nil
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, kind := range []rdf.Kind{rdf.KindLiteral, rdf.KindIRI} {
		rows, more, err := u.containing(limited, kind, text, limit)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			return found, true, nil
		} else if err != nil {
			return nil, false, err
		}
		for _, row := range rows {
			add(row[0].Value())
		}
		cut = cut || more && len(found) <= maxFound
	}
	return found, cut, nil
}

// beginnings returns how the IRIs begin that a text may stand for: an IRI, a prefixed name, or a
// local name in any known namespace.
func beginnings(text string, names []turtle.Prefix) []string {
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
	return begins
}

// Limits of the terms that contain a text and are looked up one by one, for the two times
// that a search may take.
const (
	maxAmong     = 1000
	maxAmongLong = 20_000
)

// containing returns nodes whose label contains a text, or those with a class whose IRI does.
// more reports whether there are terms that were not looked up.
func (u *handlers) containing(ctx context.Context, kind rdf.Kind, text string, limit time.Duration) (rows [][]rdf.Term, more bool, err error) {
	most := maxAmong
	if limit > findTime {
		most = maxAmongLong
	}
	list, more, err := u.Service.Containing(ctx, kind, text, most)
	var values strings.Builder
	for _, t := range list {
		if t.IsLiteral() || rdf.IsIRI(t.Value()) {
			values.WriteString(t.String() + " ")
		}
	}
	if err != nil || values.Len() == 0 {
		return nil, more, err
	}
	query := fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?l { %s } VALUES ?p { %s } ?s ?p ?l } LIMIT %d", &values, labelPredicates(), maxFound+1)
	if kind == rdf.KindIRI {
		query = fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?s { %s } ?s a ?c } LIMIT %d", &values, maxFound+1)
	}
	rows, err = u.Ask(ctx, query)
	return rows, more, err
}

// searchLabels finds nodes by the prefix of a label: as typed, with a capital first letter,
// and in capitals.
func (u *handlers) searchLabels(ctx context.Context, text string, add func(string)) error {
	first, size := utf8.DecodeRuneInString(text)
	var labels []string
	for _, b := range slices.Compact([]string{text, string(unicode.ToUpper(first)) + text[size:], strings.ToUpper(text)}) {
		terms, err := u.Service.TermsWithPrefix(rdf.KindLiteral, b, maxFound)
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
	rows, err := u.Ask(ctx, fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?l { %s } VALUES ?p { %s } ?s ?p ?l } LIMIT %d", strings.Join(labels, " "), labelPredicates(), maxFound))
	if err != nil {
		return err
	}
	for _, row := range rows {
		add(row[0].Value())
	}
	return nil
}

// rankFound sorts the nodes that a search found: exact names first, then robots and
// people, places and events, and others, the newest first.
func rankFound(text string, nodes []*graphNode) {
	text = strings.Trim(text, "<> ")
	rank := func(n *graphNode) (out int) {
		local := views.Short(n.iri)
		for _, name := range []string{n.label, local, n.iri} {
			if views.Folded(name) == views.Folded(text) {
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
	slices.SortStableFunc(nodes, func(a, b *graphNode) int { return cmp.Or(rank(a)-rank(b), b.at.Compare(a.at)) })
}

func labelPredicates() string { return "<" + strings.Join(views.Labelling, "> <") + ">" }

// beginnings returns nodes to start from: robots, humans, and the latest activities.
func (u *handlers) beginnings(ctx context.Context) ([]string, error) {
	var out []string
	for _, query := range []string{
		fmt.Sprintf("SELECT DISTINCT ?s { VALUES ?c { <%s> <%s> } ?s a ?c } LIMIT 12", vocabulary.OroRobot, vocabulary.OroHuman),
		fmt.Sprintf("%s SELECT ?s { ?s <%s> ?t %s } ORDER BY DESC(?t) LIMIT 6", xsd, vocabulary.ProvStartedAtTime, u.untilSoon("?t")),
	} {
		rows, err := u.Ask(ctx, query)
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
	rows, err := u.Ask(ctx, "SELECT DISTINCT ?s { ?s ?p ?o FILTER(isIRI(?s)) } LIMIT "+strconv.Itoa(maxFound/3))
	for _, row := range rows {
		out = append(out, row[0].Value())
	}
	return out, err
}
