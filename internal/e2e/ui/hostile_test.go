package ui

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// hostile gives 200 values that would run a script, or change the page around them, where one is careless. A
// script of theirs would set window.hostile.
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

// hostileGraph gives a log whose every term is hostile, as Turtle: labels, texts, names, languages of them,
// IRIs that would run a script, and one literal of 1 MB.
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
	check := func(what string) {
		t.Helper()
		if value[bool](b, `"hostile" in window`) {
			t.Errorf("%s: a script ran", what)
		}
		// The editor sets styles of its own, by script.
		if n := value[int](b, `document.querySelectorAll("[onerror],[onload],[ontoggle],[onfocus],[onmouseover],[style]:not(.cm-editor *),iframe,base,main style,main script,[href^='javascript:' i],[href^='data:' i]:not(link),[href^='//'],[src^='//'],[action^='//']").length`); n > 0 {
			t.Errorf("%s: %d elements of theirs are in the page", what, n)
		}
	}
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
	b.follow("button[value=tidy]")
	b.see("#result", "error")
	check("the field")
	b.goTo("/" + url.PathEscape(hostile()[0]))
	b.see("main", "There is no such page")
	check("an unknown address")
}
