package query

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views/viewstest"
)

// TestAnAnswerIsDrawn checks which charts fit an answer, and what the first one draws.
func TestAnAnswerIsDrawn(t *testing.T) {
	s := openService(t)
	s.Publish(`@prefix ex: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix geo: <http://www.opengis.net/ont/geosparql#> .
		ex:a rdfs:label "Ari" ; ex:n 3 ; ex:m 1.5 ; ex:at "2026-05-31T10:00:00Z"^^xsd:dateTime ; ex:until "2026-05-31T10:10:00Z"^^xsd:dateTime ; ex:where "POINT(4.8 45.7)"^^geo:wktLiteral .
		ex:b rdfs:label "<Tiago>" ; ex:n -1 ; ex:m 2.5 ; ex:at "2026-05-31T11:00:00Z"^^xsd:dateTime ; ex:where "POINT(5 46)"^^geo:wktLiteral .`)
	b := s.NewVisitor()
	for _, c := range []struct{ query, kinds, part string }{
		{"SELECT ?who ?n { ?who <http://e/n> ?n }", "Bar", `<rect class="`},
		{"SELECT ?who ?at ?n { ?who <http://e/n> ?n ; <http://e/at> ?at }", "Line Bar Timeline", `vector-effect="non-scaling-stroke"`},
		{"SELECT ?who ?at ?until { ?who <http://e/at> ?at OPTIONAL { ?who <http://e/until> ?until } }", "Timeline", `<circle class="`},
		{"SELECT ?lat ?long { ?who <http://e/n> ?lat ; <http://e/m> ?long }", "Scatter", "lat by long"},
		{"SELECT ?who ?where { ?who <http://e/where> ?where }", "Scatter", "latitude by longitude"},
		{"SELECT ?n ?m { ?who <http://e/n> ?n ; <http://e/m> ?m }", "Scatter", "m by n"},
		{"SELECT ?who ?longest { ?who <http://e/n> ?longest }", "Bar", `<rect class="`},
		{"SELECT ?who ?longest ?n { ?who <http://e/n> ?longest ; <http://e/m> ?n }", "Bar Scatter", `<rect class="`},
		{"SELECT ?x { VALUES ?x { '<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(45.7 4.8)'^^<http://www.opengis.net/ont/geosparql#wktLiteral> } }", "Scatter", "4.8, 45.7"},
		{"SELECT ?x { VALUES ?x { '<http://www.opengis.net/def/crs/OGC/1.3/CRS84> POINT(4.8 45.7)'^^<http://www.opengis.net/ont/geosparql#wktLiteral> } }", "Scatter", "4.8, 45.7"},
		{"SELECT ?day { VALUES ?day { '2026-05-01'^^<http://www.w3.org/2001/XMLSchema#date> '2026-05-05'^^<http://www.w3.org/2001/XMLSchema#date> } }", "Timeline", "day: 1 May 2026 to 5 May 2026, UTC"},
		{"SELECT ?day { VALUES ?day { '2026-05-01'^^<http://www.w3.org/2001/XMLSchema#date> } }", "Timeline", "day: 1 May 2026, UTC"},
		{"SELECT ?who ?n { ?who <http://e/m> ?m BIND('7'^^<http://www.w3.org/2001/XMLSchema#unsignedByte> AS ?n) }", "Bar", `<td class="num">7</td>`},
		{"SELECT ?who ?n { ?who <http://e/n> 3 BIND(1234567890 AS ?n) }", "Bar", `<td class="num">1234567890</td>`},
	} {
		address := "/query?view=chart&query=" + url.QueryEscape(c.query)
		page := b.Get(address).Body.String()
		tabs := ""
		if _, rest, ok := strings.Cut(page, `aria-label="Kinds of chart"`); ok {
			tabs, _, _ = strings.Cut(rest, "</nav>")
		}
		for _, kind := range []string{"Bar", "Line", "Scatter", "Timeline"} {
			several := strings.Contains(c.kinds, " ")
			if offered := strings.Contains(tabs, ">"+kind+"<"); offered != (several && strings.Contains(c.kinds, kind)) {
				t.Errorf("%s: %s is offered: %v", c.query, kind, offered)
			}
		}
		if !strings.Contains(page, c.part) || !strings.Contains(page, ">Chart</a>") {
			t.Errorf("%s: no %q in %s", c.query, c.part, page)
		}
	}
	for _, query := range []string{"SELECT ?p { ?s ?p ?o }", "SELECT ?x { VALUES ?x { '<http://www.opengis.net/def/crs/EPSG/0/2154> POINT(842000 6519000)'^^<http://www.opengis.net/ont/geosparql#wktLiteral> } }"} {
		if page := b.Get("/query?view=chart&query=" + url.QueryEscape(query)).Body.String(); strings.Contains(page, ">Chart</a>") || !strings.Contains(page, "<td") {
			t.Errorf("%s has a chart: %s", query, page)
		}
	}
	bar := b.Get("/query?view=chart&as=bar&query=" + url.QueryEscape("SELECT ?who ?n { ?who <http://e/n> ?n }")).Body.String()
	viewstest.Want(t, bar, "<bdi>Ari</bdi>", "<bdi>&lt;Tiago&gt;</bdi>", `width="75%"`, `x="0%" width="25%"`)
	b.Post("/session/zone", url.Values{"zone": {"Asia/Kolkata"}})
	line := b.Get("/query?view=chart&query=" + url.QueryEscape("SELECT ?at ?n { ?who <http://e/n> ?n ; <http://e/at> ?at }")).Body.String()
	viewstest.Want(t, line, "31 May 2026, 15:30:00: 3", ">16:00<")
	table := b.Get("/query?query=" + url.QueryEscape("SELECT ?at { ?who <http://e/at> ?at }")).Body.String()
	viewstest.Want(t, table, "2026-05-31T10:00:00Z") // as it was sent
	s.Publish(`@prefix ex: <http://e/> . ex:c <http://www.w3.org/2000/01/rdf-schema#label> "Ari" ; ex:n 5 ; ex:at "2026-05-31T10:30:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`)
	for _, as := range []string{"line", "timeline"} { // two robots of one name are two
		page := b.Get("/query?view=chart&as=" + as + "&query=" + url.QueryEscape("SELECT ?who ?at ?n { ?who <http://e/n> ?n ; <http://e/at> ?at }")).Body.String()
		viewstest.Want(t, viewstest.Unmarked.Replace(page), ">Ari<", ">Ari (c)<")
	}
}

// TestAChartShowsWhatIsMeasured has numbers by which an answer is grouped, before the count.
func TestAChartShowsWhatIsMeasured(t *testing.T) {
	s := openService(t)
	s.Publish(`@prefix ex: <http://e/> . ex:x1 ex:by ex:ari ; ex:hour 9 . ex:x2 ex:by ex:ari ; ex:hour 9 . ex:x3 ex:by ex:tiago ; ex:hour 10 .`)
	for query, parts := range map[string][]string{
		"SELECT ?who ?hour (COUNT(?x) AS ?n) { ?x <http://e/by> ?who ; <http://e/hour> ?hour } GROUP BY ?who ?hour":           {`>who, hour</th>`, `class="num">n</th>`, "ari, 9<", `<td class="num">2</td>`},
		"SELECT ?hour (COUNT(?x) AS ?n) { ?x <http://e/hour> ?hour } GROUP BY ?hour":                                          {`>hour</th>`, `class="num">n</th>`, `<bdi>9</bdi>`},
		"SELECT ?h (COUNT(?x) AS ?n) { ?x <http://e/hour> ?hour } GROUP BY (?hour + 1 AS ?h)":                                 {`>h</th>`, `<bdi>10</bdi>`},
		"SELECT ?who ?hour { ?x <http://e/by> ?who ; <http://e/hour> ?hour } GROUP BY ?who ?hour":                             {`class="num">hour</th>`},
		"SELECT ?who (MAX(?hour) AS ?last) (COUNT(?x) AS ?n) { ?x <http://e/by> ?who ; <http://e/hour> ?hour } GROUP BY ?who": {`class="num">last</th>`},
	} {
		page := s.NewVisitor().Get("/query?view=chart&as=bar&query=" + url.QueryEscape(query)).Body.String()
		_, chart, _ := strings.Cut(page, `<table class="bars"`)
		for _, part := range parts {
			if !strings.Contains(chart, part) {
				t.Errorf("%s: no %s in %s", query, part, chart)
			}
		}
	}
}

func TestLabelsStandBeforeTheirIRIs(t *testing.T) {
	s := openService(t)
	s.Publish(`@prefix ex: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . ex:a rdfs:label "Ari <3" ; ex:knows ex:b .`)
	viewstest.Want(t, s.NewVisitor().Get("/query?query="+url.QueryEscape("SELECT ?s ?o { ?s <http://e/knows> ?o }")).Body.String(), `<bdi>Ari &lt;3</bdi></a>`, `<bdi class="note">`)
}

func TestDidYouMeanMendsTheQuery(t *testing.T) {
	s := openService(t)
	s.Publish(`@prefix ex: <http://e/> . ex:a ex:knows ex:b .`)
	page := s.NewVisitor().Get("/query?query=" + url.QueryEscape("PREFIX ex: <http://e/>\nSELECT * { ?s ex:knowz ?o }")).Body.String()
	viewstest.Want(t, page, "data-declare", "SELECT * { ?s ex:knows ?o }</textarea>", "Use&nbsp;<code>ex:knows</code>")
}

// TestTermsOfOneNameAreApart has two robots that no name tells apart.
func TestTermsOfOneNameAreApart(t *testing.T) {
	t.Parallel()
	var rows [][]rdf.Term
	for _, iri := range []string{"http://e/a", "http://e/b"} {
		rows = append(rows, []rdf.Term{rdf.NewIRI(iri), rdf.NewLiteral("2026-05-31T10:00:00Z", rdf.XSDDateTime), rdf.NewLiteral("1", rdf.XSDInteger)})
	}
	for _, as := range []string{"line", "timeline"} {
		m := chartModel(queryAsked{as: as, zone: time.UTC}, []string{"who", "at", "n"}, rows, func(rdf.Term) string { return "Ari" })
		if len(m.Series)+len(m.Lanes) != 2 {
			t.Errorf("%s: %+v %+v", as, m.Series, m.Lanes)
		}
	}
}

// drawn draws rows of columns, whose cells are names, times of the form 10:00, numbers, or empty.
func drawn(q queryAsked, columns string, rows [][]string) *QueryChart {
	var terms [][]rdf.Term
	for _, row := range rows {
		var out []rdf.Term
		for _, cell := range row {
			var t rdf.Term
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				t = rdf.NewLiteral(cell, rdf.XSDDecimal)
			} else if strings.Contains(cell, ":") {
				t = rdf.NewLiteral("2026-05-31T"+cell+":00Z", rdf.XSDDateTime)
			} else if cell != "" {
				t = rdf.NewIRI(cell)
			}
			out = append(out, t)
		}
		terms = append(terms, out)
	}
	q.zone = time.UTC
	return chartModel(q, strings.Fields(columns), terms, func(t rdf.Term) string { return t.Value() })
}

// minute returns the i-th minute after ten.
func minute(i int) string { return fmt.Sprintf("%d:%02d", 10+i/60, i%60) }

// look describes series: each name, "~" if no line joins its points, and their number.
func look(m *QueryChart) string {
	var out []string
	for _, s := range m.Series {
		loose := map[bool]string{true: "~"}[s.Loose]
		out = append(out, fmt.Sprintf("%s%s:%d", loose, s.Name, len(s.Points)))
	}
	return strings.Join(out, " ")
}

// TestALineJoinsNoTwoNames has more robots than colours, some of which have no name, alone and in rooms.
func TestALineJoinsNoTwoNames(t *testing.T) {
	t.Parallel()
	var robots, rooms, moving [][]string
	for i := range 64 {
		who := (i + 4) % 16 % 12 // the four with the most rows come last
		name := fmt.Sprintf("r%02d", 11-who)
		robots = append(robots, []string{name, minute(i), "1"})
		rooms = append(rooms, []string{name, fmt.Sprint("room", who%2), minute(i), "1"})
		moving = append(moving, []string{fmt.Sprint("r", i%3), fmt.Sprint("room", i/20), minute(i), "1"})
	}
	const largest = "r07:4 r06:4 r05:4 r11:8 r10:8 r09:8 r08:8 ~5 others:20"
	q := queryAsked{as: "line"}
	if m := drawn(q, "robot at n", robots); look(m) != largest {
		t.Errorf("robots: %s", look(m))
	}
	for i := range 20 {
		robots = slices.Insert(robots, 0, []string{"", minute(i), "1"})
	}
	m := drawn(q, "robot at n", robots)
	if look(m) != largest+" ~no name:20" || m.colours()[m.Series[7].Colour] != "others" || m.colours()[m.Series[8].Colour] != "nameless" {
		t.Errorf("robots and rows without one: %s, %v", look(m), m.colours())
	}
	m = drawn(q, "robot room at n", rooms)
	if look(m) != largest {
		t.Errorf("robots in rooms: %s", look(m))
	}
	if m := drawn(q, "robot room at n", moving); look(m) != "r0:22 r1:21 r2:21" {
		t.Errorf("robots that move: %s", look(m))
	}
	q.as = "timeline"
	var lanes []string
	for _, l := range drawn(q, "robot at", [][]string{{"", "10:00"}, {"r1", "10:01"}, {"", "10:02"}}).Lanes {
		lanes = append(lanes, fmt.Sprint(l.Name, ":", len(l.Marks)))
	}
	if strings.Join(lanes, " ") != "r1:1 no name:2" {
		t.Errorf("lanes: %s", lanes)
	}
}

// TestAChartTellsWhatItLeavesOut has names of rows, and several columns of numbers.
func TestAChartTellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	var apart, pairs, robots, together [][]string
	for i := range 60 {
		apart = append(apart, []string{fmt.Sprint("x", i), minute(i), "1"})
		pairs = append(pairs, []string{fmt.Sprint("x", i/2), minute(i), "1", "2"})
		robots = append(robots, []string{fmt.Sprint("r", i%2), minute(i), "1", "2"})
		together = append(together, []string{fmt.Sprint("x", i), minute(i / 2), "1"})
	}
	robots = append(robots, []string{"r1", "", "1", "2"}, []string{"r1", "11:00", "", "2"})
	for _, c := range []struct {
		columns        string
		rows           [][]string
		look, omission string
	}{
		{"observation at value", apart, "value:60", ""},
		{"observation at value", together, "~value:60", ""}, // two curves
		{"message at latency tokens", pairs, "~latency:60 ~tokens:60", ""},
		{"robot at latency tokens", robots, "r0:30 r1:30", "Not drawn: column tokens; 2 rows without a value"},
	} {
		if m := drawn(queryAsked{as: "line"}, c.columns, c.rows); look(m) != c.look || m.omissions() != c.omission {
			t.Errorf("%s: %s, %q", c.columns, look(m), m.omissions())
		}
	}
	if m := drawn(queryAsked{as: "line"}, "at n m", [][]string{{"10:00", "1", "2"}}); m.Y != "n, m" {
		t.Errorf("two columns are drawn as %s", m.Y)
	}
	if m := drawn(queryAsked{as: "bar"}, "who n m", [][]string{{"r1", "1", "2"}, {"", "3", "4"}}); m.Bars[1].Name != noName || m.omissions() != "Not drawn: column m" {
		t.Errorf("bars: %+v, %q", m.Bars, m.omissions())
	}
}
