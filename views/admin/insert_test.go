package admin

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
	"github.com/segraph/segraph/vocabulary"
)

func TestACheckSubmittedTwiceStoresOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	const text = "<http://e/a> <http://e/b> [] ."
	ticket := b.Check(text)
	first := b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket, "user": "robot"}, nil)
	viewstest.WantPage(t, first, 200, "The log is stored")
	second := b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, nil)
	viewstest.WantPage(t, second, 200, "This log is stored already")
	if a, b := viewstest.LogID.FindStringSubmatch(first.Body.String()), viewstest.LogID.FindStringSubmatch(second.Body.String()); a == nil || b == nil || a[1] != b[1] {
		t.Errorf("%v and %v", a, b)
	}
	if got := b.Graph(); strings.Count(got, "\n") != 1 {
		t.Errorf("stored is %s", got)
	}
}

func TestOnlyWhatWasCheckedIsStored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	const text = "<http://e/a> <http://e/b> <http://e/c> ."
	ticket := b.Check(text)
	for name, send := range map[string]func() *httptest.ResponseRecorder{
		"another text": func() *httptest.ResponseRecorder {
			return b.Send(map[string]string{"ttl": text + " ", "action": "insert", "ticket": ticket}, nil)
		},
		"no ticket": func() *httptest.ResponseRecorder {
			return b.Send(map[string]string{"ttl": text, "action": "insert"}, nil)
		},
		"a made-up one": func() *httptest.ResponseRecorder {
			return b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": "x"}, nil)
		},
		"another's": func() *httptest.ResponseRecorder {
			return s.other().Send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, nil)
		},
		"a file instead": func() *httptest.ResponseRecorder {
			return b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": ticket}, []byte(text+"#"))
		},
	} {
		viewstest.WantPage(t, send(), 200, "The document changed after the check")
		if got := b.Graph(); got != "" {
			t.Fatalf("%s: stored is %s", name, got)
		}
	}
	viewstest.WantPage(t, b.Send(map[string]string{"ttl": "<a", "action": "insert", "ticket": ticket}, nil), 200, "Fix 1 error")
	viewstest.WantPage(t, b.Send(map[string]string{"action": "insert", "ticket": ticket}, []byte(text)), 200, "The log is stored")
}

// other returns a browser with the session of another admin.
func (s *fixture) other() *viewstest.Visitor {
	s.T.Helper()
	token, err := s.Auth.Issue("eva", []string{"admin"}, time.Hour, s.Now)
	if err != nil {
		s.T.Fatal(err)
	}
	b := s.NewVisitor()
	b.Post("/session", url.Values{"token": {token}})
	return b
}

func TestTicketsAreBoundedAndExpire(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newTickets(func() time.Time { return now })
	first := s.issue([]byte("x"), "ari")
	now = now.Add(time.Second)
	second := s.issue([]byte("x"), "ari")
	for range maxTickets - 1 {
		s.issue([]byte("y"), "ari")
	}
	if s.all.Len() != maxTickets || s.find(first, []byte("x"), "ari") != nil || s.find(second, []byte("x"), "ari") == nil {
		t.Errorf("%d tickets, and not the oldest is gone", s.all.Len())
	}
	now = now.Add(ticketLife)
	if s.find(second, []byte("x"), "ari") != nil {
		t.Error("a ticket does not expire")
	}
}

func TestTheLinesOfTheFieldEndAsTheyWerePasted(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	ticket := b.Check("<http://e/a> <http://e/b> \"\"\"x\r\ny\"\"\" .\r\n")
	viewstest.WantPage(t, b.Send(map[string]string{"ttl": "<http://e/a> <http://e/b> \"\"\"x\r\ny\"\"\" .\r\n", "action": "insert", "ticket": ticket}, nil), 200, "stored")
	if got := b.Graph(); !strings.Contains(got, `"x\ny"`) {
		t.Errorf("stored is %s", got)
	}
}

func TestTheFieldHoldsExactlyTheCheckedText(t *testing.T) {
	t.Parallel()
	s := openService(t)
	w := s.NewVisitor().Send(map[string]string{"ttl": "\n\n<http://e/a> <http://e/b> 1 .", "action": "check"}, nil)
	viewstest.WantPage(t, w, 200, "wrap=\"off\">\n\n\n&lt;http") // browsers drop the first line break
	for text, shown := range map[string]bool{
		"<http://e/a> <http://e/b> 1 .": true, "<http://e/a> <http://e/b> \"\"\"a\r\nb\"\"\" .": false,
		"<http://e/a> <http://e/b> \"\xff\" .": false, strings.Repeat("#", maxShown+1): false,
	} {
		body := s.NewVisitor().Send(map[string]string{"action": "check"}, []byte(text)).Body.String()
		if got := !strings.Contains(body, "wrap=\"off\">\n</textarea>"); got != shown {
			t.Errorf("a file %.40q is put into the field: %v", text, got)
		}
	}
}

func TestTheCheckCountsWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	const stored = "<http://e/a> <http://e/b> <http://e/c>, \"a\\\"\\n\\\\b\"@en-GB, 1, \"x\"^^<http://e/t>, \"}\" ."
	if w := b.Send(map[string]string{"ttl": stored, "action": "insert", "ticket": b.Check(stored)}, nil); w.Code != 200 {
		t.Fatal(w.Body)
	}
	for text, want := range map[string]string{
		stored: "5 triples: 0 new, 5 already stored",
		stored + " <http://e/a> <http://e/b> 2, [], \"a\"@en .": "8 triples: 3 new, 5 already stored",
		"<http://e/x> <http://e/y> <http://e/z> .":              "1 triple: 1 new, 0 already stored",
		"[] <http://e/y> [] .":                                  "1 triple: 1 new, 0 already stored",
		stored + " <http://e/a> <http://e/b> <<( <http://e/a> <http://e/b> [] )>>, <<( <http://e/a> <http://e/b> \"a\"@ar--rtl )>> .": "7 triples: 2 new, 5 already stored",
	} {
		viewstest.WantPage(t, b.Send(map[string]string{"ttl": text, "action": "check"}, nil), 200, want)
	}
	var many strings.Builder
	for i := range 2001 {
		fmt.Fprintf(&many, "<http://e/a> <http://e/b> %d .\n", i)
	}
	w := b.Send(map[string]string{"ttl": many.String(), "action": "check"}, nil)
	viewstest.WantPage(t, w, 200, "2,001 triples")
	if strings.Contains(w.Body.String(), " already stored") {
		t.Error("it says how many of many triples are known without having looked")
	}
}

func TestAFailedInsertIsExplained(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	const text = "<http://e/a> <http://e/b> <http://e/c> ."
	for want, send := range map[string]func() *httptest.ResponseRecorder{
		"422 There is no text and no file": func() *httptest.ResponseRecorder {
			return b.Send(map[string]string{"ttl": " \n", "action": "check"}, nil)
		},
		"422 The user is not a usable": func() *httptest.ResponseRecorder {
			return b.Send(map[string]string{"ttl": text, "user": "a\x01b"}, nil)
		},
		"413 The body is larger than": func() *httptest.ResponseRecorder { return b.Send(nil, make([]byte, 18<<20)) },
		"415 This page accepts only forms": func() *httptest.ResponseRecorder {
			return b.Do("POST", "/logs/insert", "application/json", strings.NewReader("{}"))
		},
		"400 The form can": func() *httptest.ResponseRecorder {
			return b.Do("POST", "/logs/insert", "application/x-www-form-urlencoded", strings.NewReader("a=%zz"))
		},
	} {
		status, part, _ := strings.Cut(want, " ")
		w := send()
		viewstest.WantPage(t, w, w.Code, part)
		if fmt.Sprint(w.Code) != status {
			t.Errorf("%s: %d", want, w.Code)
		}
	}
}

func TestALineIsShownAroundItsPlace(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200) + "ä" + strings.Repeat("y", 200)
	for _, c := range []struct {
		text              string
		line, column      int
		before, at, after string
	}{
		{"abc\r\ndef", 1, 2, "a", "bc", ""},
		{"abc\r\ndéf g", 2, 2, "d", "éf", " g"},
		{"x a oro:Robot, y", 1, 5, "x a ", "oro:Robot", ", y"},
		{"(a)", 1, 1, "", "(", "a)"},
		{"abc", 1, 4, "abc", " ", ""},
		{"abc", 1, 99, "abc", " ", ""},
		{"abc", 7, 1, "", " ", ""},
		{"a\n\nb", 2, 1, "", " ", ""},
		{long, 1, 201, "…" + strings.Repeat("x", 100), "ä" + strings.Repeat("y", 100), "…"},
	} {
		if b, m, a := views.Around([]byte(c.text), c.line, c.column); b != c.before || m != c.at || a != c.after {
			t.Errorf("%.10q %d:%d gives %q, %q, %q", c.text, c.line, c.column, b, m, a)
		}
	}
}

func TestThePrefixThatIsMissingIsOffered(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]string{"prov:": "http://www.w3.org/ns/prov#", "schema1:": "http://schema.org/", "nobody:": "", ":": ""} {
		got := ""
		if d := declarations(prefix, vocabulary.Prefixes()); len(d) > 0 {
			got = d[0].Namespace
		}
		if got != want {
			t.Errorf("%s gives %q", prefix, got)
		}
	}
	s := openService(t)
	w := s.NewVisitor().Send(map[string]string{"ttl": "<http://e/a> prov:used <http://e/b> .", "action": "declare prov:"}, nil)
	viewstest.WantPage(t, w, 200, "@prefix prov: &lt;http://www.w3.org/ns/prov#&gt; .\n&lt;http://e/a&gt; prov:used")
	viewstest.WantPage(t, w, 200, "1 triple")
}

func TestTheMinimalLogIsValidWithoutAWarning(t *testing.T) {
	t.Parallel()
	s := openService(t)
	w := s.NewVisitor().Send(map[string]string{"ttl": minimalLog(s.Now), "action": "check"}, nil)
	viewstest.WantPage(t, w, 200, "<span>Valid</span>")
	if log := minimalLog(s.Now); strings.Contains(log, "ARI") || !strings.Contains(log, `schema:name "Sample robot"`) {
		t.Errorf("the sample shares the name of a robot: %s", log)
	}
}

func TestThePageWarnsOfIRIsThatOthersRefuse(t *testing.T) {
	t.Parallel()
	const text = "<u:s> <u:p> <http://a/%zz> ."
	b := newService(t).SignedIn("admin")
	w := b.Send(map[string]string{"ttl": text, "action": "check"}, nil)
	for _, part := range []string{"Valid, with 1 warning", "iri syntax", "line 1, column 13", "&lt;http://a/%zz&gt; is not an IRI (RFC 3987)", "name=\"ticket\""} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("it lacks %q: %s", part, w.Body)
		}
	}
}

// TestErrorsOfALogAreShownWithTheirLines checks a log with an undeclared prefix, and one with many wrong types.
func TestErrorsOfALogAreShownWithTheirLines(t *testing.T) {
	t.Parallel()
	s := openService(t)
	w := s.NewVisitor().Send(map[string]string{"ttl": "@prefix ex: <http://e/> .\nex:a a schema1:X ; ex:b 1\nex:c ex:d 2 .\n", "action": "check"}, nil)
	page := w.Body.String()
	for _, part := range []string{"Fix 1 error", `data-line="2"`, "declare schema1:"} {
		if !strings.Contains(page, part) {
			t.Errorf("the page lacks %q: %s", part, page)
		}
	}
	w = s.NewVisitor().Send(map[string]string{"ttl": strings.Repeat("[] a 1 .\n", 100), "action": "check"}, nil)
	if page := w.Body.String(); !strings.Contains(page, "Fix 100 errors") || !strings.Contains(page, "And 50 more") || len(page) > 100<<10 {
		t.Errorf("of many errors: %d bytes, %s", len(page), page[:2000])
	}
}

// TestAStoredLogLinksToItsSessionAndGraph stores a log with a time.
func TestAStoredLogLinksToItsSessionAndGraph(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	const text = `<http://e/a> <http://www.w3.org/ns/prov#startedAtTime> "2026-02-11T09:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .`
	w := b.Send(map[string]string{"ttl": text, "action": "insert", "ticket": b.Check(text)}, nil)
	for _, part := range []string{"/replay?at=2026-02-11T09%3A00%3A00Z", "/kg-graph?v=%2B+http://e/a", "/log?id=" + s.LastLog()} {
		if !strings.Contains(w.Body.String(), part) {
			t.Errorf("no link to %s: %s", part, w.Body)
		}
	}
}
