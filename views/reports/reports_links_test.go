package reports

import (
	"context"
	"html"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/syntax"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// pageLink is a link of a page: its target and its texts.
type pageLink struct{ href, text, label string }

var (
	anchor = regexp.MustCompile(`(?s)<a ([^>]*)>(.*?)</a>`)
	hidden = regexp.MustCompile(`(?s)<title>.*?</title>|<span>.*?</span>`) // a span next to a number says what it counts
	titled = regexp.MustCompile(`(?s)^\s*<title>(.*?)</title>`)            // of a part of a drawing
	tag    = regexp.MustCompile(`<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

func linksOf(page string) []pageLink {
	var out []pageLink
	attribute := func(attributes, name string) string {
		m := regexp.MustCompile(`(?:^| )` + name + `="([^"]*)"`).FindStringSubmatch(attributes)
		if m == nil {
			return ""
		}
		return html.UnescapeString(m[1])
	}
	for _, m := range anchor.FindAllStringSubmatch(page, -1) {
		plain := func(text string) string {
			return strings.TrimSpace(spaces.ReplaceAllString(html.UnescapeString(tag.ReplaceAllString(text, "")), " "))
		}
		label := attribute(m[1], "aria-label")
		if title := titled.FindStringSubmatch(m[2]); title != nil {
			label = plain(title[1])
		}
		out = append(out, pageLink{attribute(m[1], "href"), plain(hidden.ReplaceAllString(m[2], "")), label})
	}
	return out
}

// follows runs the query of a link and returns its rows; those of a graph are triples.
func (s *fixture) follows(l pageLink) [][]rdf.Term {
	s.T.Helper()
	if strings.HasPrefix(l.href, "/reports/rows?") {
		if to := s.NewVisitor().Get(l.href).Header().Get("Location"); to != "" {
			l.href = to
		}
	}
	at, err := url.Parse(l.href)
	if err != nil {
		s.T.Fatal(err)
	}
	q, err := sparql.Prepare(context.Background(), at.Query().Get("query"), sparql.Options{})
	if err != nil {
		s.T.Fatalf("%+v: %v", l, err)
	}
	var rows views.FewRows
	err = s.Service.Query(s.T.Context(), q, &rows, func(t rdf.Triple) error { return rows.Row([]rdf.Term{t.S, t.P, t.O}) })
	if err != nil {
		s.T.Fatalf("%+v: %v", l, err)
	}
	if (q.Form() == syntax.Describe || q.Form() == syntax.Construct) && len(rows) == 0 {
		s.T.Errorf("%q: the graph says nothing of it", l.text)
	}
	return rows
}

var (
	countLabel   = regexp.MustCompile(`: ([\d,]+) activit(?:y|ies)$`)
	partLabel    = regexp.MustCompile(`: ([\d,]+) of [\d,]+$`)
	stateLabel   = regexp.MustCompile(`^(.*), \d+ \w+ 20\d\d, `)
	percentLabel = regexp.MustCompile(`([\d.]+)\x{a0}%`)
	messages     = regexp.MustCompile(`^([\d,]+) sentences?(?:, logged as ([\d,]+) messages?)?$`)
	whole        = regexp.MustCompile(`^[\d,]+$`)
)

// holds reports whether the rows of a link's query contain what its text promises: a
// number that is in the only row, a share that is in one of the rows, or a word that is.
// kind is "" for links without such a promise.
func holds(l pageLink, rows [][]rdf.Term) (kind string, ok bool) {
	has := func(is func(string) bool) bool {
		return slices.ContainsFunc(rows, func(row []rdf.Term) bool {
			return slices.ContainsFunc(row, func(t rdf.Term) bool { return is(t.Value()) })
		})
	}
	exactly := func(number string) bool {
		number = strings.ReplaceAll(number, ",", "")
		counted := map[rdf.Term]bool{} // the last column identifies the rows that a number counts
		for _, row := range rows {
			counted[row[len(row)-1]] = true
		}
		return strconv.Itoa(len(counted)) == number || strings.HasPrefix(l.href, "/reports/rows?q=triple-rows") && strconv.Itoa(len(rows)) == number
	}
	if m := messages.FindStringSubmatch(l.text); m != nil {
		said := map[string]bool{}
		for _, row := range rows {
			said[row[4].String()] = true
		}
		logged := m[1]
		if m[2] != "" {
			logged = m[2]
		}
		return "messages", views.Count(len(said)) == logged
	}
	for kind, pattern := range map[string]*regexp.Regexp{"bar": countLabel, "part": partLabel} {
		if m := pattern.FindStringSubmatch(l.label); m != nil {
			return kind, exactly(m[1])
		}
	}
	if whole.MatchString(l.text) && l.label == "" {
		return "number", exactly(l.text)
	}
	if m := percentLabel.FindStringSubmatch(l.text + l.label); m != nil {
		want, _ := strconv.ParseFloat(m[1], 64)
		if sum := 0.0; strings.HasPrefix(l.href, "/reports/rows?q=emotion-distribution-rows") && len(rows) > 0 { // it may be their mean
			for _, row := range rows {
				f, _ := strconv.ParseFloat(row[3].Value(), 64)
				sum += 100 * f / float64(len(rows))
			}
			if math.Abs(sum-want) < 0.051 {
				return "share", true
			}
		}
		return "share", has(func(v string) bool {
			f, err := strconv.ParseFloat(v, 64)
			return err == nil && (math.Abs(100*f-want) < 0.051 || math.Abs(f-want) < 1e-9)
		})
	}
	if m := stateLabel.FindStringSubmatch(l.label); m != nil {
		return "state", has(func(v string) bool {
			return quoted.Value(v) == m[1] || strings.HasSuffix(views.Words(v), "/"+strings.Trim(m[1], "“”"))
		})
	}
	if want, err := strconv.ParseFloat(l.text, 64); err == nil {
		return "score", has(func(v string) bool { f, err := strconv.ParseFloat(v, 64); return err == nil && f == want })
	}
	return "", len(rows) > 0
}

// TestEveryLinkOfTheReportsYieldsWhatItSays follows all links of the whole page, with and
// without a range, after all kinds of decisions of the resolver.
func TestEveryLinkOfTheReportsYieldsWhatItSays(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PublishDemo()
	s.decideAll()
	b := s.NewVisitor()
	for _, span := range []url.Values{{}, {"from": {"2026-02-24T12:11:00"}, "to": {"2026-02-24T12:20:56.5"}}}[:suite.Size(2, 1)] {
		kinds := map[string]int{}
		for _, name := range Names() {
			page := b.Get("/reports?section=" + name + "&" + span.Encode()).Body.String()
			_, below, _ := strings.Cut(page, `aria-label="Ranges"`)
			_, below, _ = strings.Cut(below, "</nav>")
			for _, l := range linksOf(below) {
				at, _ := url.Parse(l.href)
				if at.Path == "/reports" && at.Query().Get("section") != "" && (at.Query().Get("from") != span.Get("from") || at.Query().Get("to") != span.Get("to")) {
					t.Errorf("%s: %+v loses the range", name, l)
				}
			}
			_, page, found := strings.Cut(page, `<div class="stack reports">`)
			if !found || strings.Contains(page, "notice bad") {
				t.Fatalf("%s is not there", name)
			}
			page, _, _ = strings.Cut(page, "</main>")
			links := linksOf(page)
			for _, l := range links {
				if strings.HasPrefix(l.href, "/reports/table?") {
					at, _ := url.Parse(l.href)
					if w := b.Get(l.href); w.Code != http.StatusOK || at.Query().Get("from") != span.Get("from") || at.Query().Get("to") != span.Get("to") {
						t.Errorf("%s: %s: %d", name, l.href, w.Code)
					}
					kinds["file"]++
					continue
				}
				if strings.HasPrefix(l.href, "/replay?at=") {
					if kinds["time"]++; kinds["time"]%10 == 1 { // each redirects to a session
						if w := b.Get(l.href); w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/replay?") {
							t.Errorf("%s: %+v: %d %v", name, l, w.Code, w.Header())
						}
					}
					continue
				}
				if strings.HasPrefix(l.href, "/replay?") {
					w := b.Get(l.href)
					if w.Code != http.StatusOK || whole.MatchString(l.text) && !strings.Contains(w.Body.String(), " of "+l.text+"<") {
						t.Errorf("%s: %+v: %d", name, l, w.Code)
					}
					kinds["session"]++
					continue
				}
				if at, _ := url.Parse(l.href); at.Path == "/reports" && at.Query().Has("gap") || strings.HasSuffix(l.href, "#sessions") {
					continue // another gap
				}
				if strings.HasPrefix(l.href, "/why?iri=") {
					if w := b.Get(l.href); w.Code != http.StatusOK {
						t.Errorf("%s: %s: %d", name, l.href, w.Code)
					}
					continue
				}
				if strings.HasPrefix(l.href, "/classes?class=") {
					viewstest.WantPage(t, b.Get(l.href), http.StatusOK, "as activity")
					continue
				}
				if !strings.HasPrefix(l.href, "/query?query=") && !strings.HasPrefix(l.href, "/reports/rows?q=") {
					t.Errorf("%s: %+v leads elsewhere", name, l)
					continue
				}
				rows := s.follows(l)
				kind, ok := holds(l, rows)
				if kind == "" && (l.text == "Query" || strings.Contains(l.href, "DESCRIBE") || strings.Contains(l.href, "?q=used")) {
					ok = true // a table may be empty; for descriptions see follows
				}
				if !ok {
					at, _ := url.Parse(l.href)
					t.Errorf("%s: %q %q (%s) is not what its query yields: %v\n%s", name, l.text, l.label, kind, rows, at.Query().Get("query"))
				}
				kinds[kind]++
			}
		}
		for kind, least := range map[string]int{"number": 30, "bar": 2, "part": 4, "share": 20, "state": 6, "messages": 2, "file": 15, "session": 2} {
			if kinds[kind] < least {
				t.Errorf("%d links of the kind %s were followed: %v", kinds[kind], kind, kinds)
			}
		}
	}
}

func TestARangeWithoutAnythingSaysThatItIsTheRange(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.PublishDemo()
	page := s.NewVisitor().Get("/reports?from=2030-01-01&section=activity").Body.String()
	viewstest.Want(t, page, "No activity was logged in this range.", "From 1 Jan 2030, 00:00:00 UTC")
	viewstest.Want(t, s.NewVisitor().Get("/reports?from=2030-01-01&section=people").Body.String(), "No message or observation", "Maria") // people are those of the whole graph
}
