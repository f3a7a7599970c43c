package httpapi

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/service"
)

const oddDocument = "@prefix ex: <http://example.org/> .\nex:s ex:p <http://example.org/100%> ,\n  \"hola\"@castellano .\n"

// wantOdd compares issues with those of oddDocument.
func wantOdd(t *testing.T, issues []semcheck.Issue, count int, severity string) {
	t.Helper()
	if len(issues) != 2 || count != 2 {
		t.Fatalf("%d issues of %d, want 2: %+v", len(issues), count, issues)
	}
	for i, want := range []struct {
		line, column   int
		value, message string
	}{
		{2, 11, "http://example.org/100%", "<http://example.org/100%> is not an IRI (RFC 3987): two hexadecimal digits must follow \"%\""},
		{3, 9, "castellano", "@castellano is not a language tag (BCP 47)"},
	} {
		got := issues[i]
		if got.Severity != severity || got.Code != "IRI_SYNTAX" || *got.Line != want.line || *got.Column != want.column || *got.Value != want.value ||
			!strings.HasPrefix(got.Message, want.message) || !strings.HasSuffix(got.Message, ".") || got.FocusNode != nil || got.Predicate != nil {
			t.Errorf("%+v %d:%d, want %+v", got, *got.Line, *got.Column, want)
		}
	}
}

func TestIRIsAndTagsThatOthersRefuseAreWarnedOf(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []call{
		{path: "/ttl", body: ttl(oddDocument, "ari")},
		{path: "/ttl", body: oddDocument, contentType: service.MediaTurtle},
		{path: "/api/ttl", body: ttl(oddDocument, "ari"), ui: true},
	} {
		c.method = "POST"
		w := s.do(t, c)
		added := asJSON[service.Insertion](t, w)
		if w.Code != 201 || added.Triples != 2 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		wantOdd(t, added.Warnings, added.WarningCount, "warning")
	}
	for _, e := range s.graph.entries() {
		if e.Detail != "IRI_SYNTAX: 2 IRIs or language tags that other programs may refuse" {
			t.Errorf("the journal says %q", e.Detail)
		}
	}
	w := s.do(t, call{method: "POST", path: "/ttl/validate", body: ttl(oddDocument, nil)})
	v := asJSON[service.Validation](t, w)
	if !v.Valid || !v.SyntaxOK || !v.SemanticOK || v.TripleCount != 2 {
		t.Errorf("%s", w.Body)
	}
	wantOdd(t, v.Issues, v.IssueCount, "warning")

	// Valid documents get the same answer as always.
	w = s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "ari")})
	if w.Code != 201 || strings.Contains(w.Body.String(), "warning") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestStrictIRIsAre400WithLineAndColumn(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.StrictIRIs = true })
	for _, c := range []call{
		{path: "/ttl", body: ttl(oddDocument, "ari")},
		{path: "/ttl", body: oddDocument, contentType: service.MediaTurtle},
		{path: "/ttl", body: "<u:s> <u:p> <u:o> .\n<u:s>  <u:%> <u:o> .\n", contentType: service.MediaNTriples},
	} {
		c.method = "POST"
		p := wantProblem(t, s.do(t, c), 400, "is not an IRI (RFC 3987)")
		if p.Line != 2 || p.Column != 11 && c.contentType != service.MediaNTriples || p.Column != 8 && c.contentType == service.MediaNTriples {
			t.Errorf("line %d, column %d", p.Line, p.Column)
		}
	}
	p := wantProblem(t, s.do(t, call{method: "POST", path: "/ttl", body: ttl("<u:s> <u:p> \"x\"@castellano .", "ari")}), 400, "@castellano is not a language tag (BCP 47)")
	if p.Line != 1 || p.Column != 16 {
		t.Errorf("line %d, column %d", p.Line, p.Column)
	}
	if len(s.graph.entries()) > 0 {
		t.Error("something was stored")
	}
	w := s.do(t, call{method: "POST", path: "/ttl/validate", body: ttl(oddDocument, nil)})
	v := asJSON[service.Validation](t, w)
	if v.Valid || v.SyntaxOK || !v.SemanticOK || v.TripleCount != 2 {
		t.Errorf("%s", w.Body)
	}
	wantOdd(t, v.Issues, v.IssueCount, "error")
	if w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "ari")}); w.Code != 201 {
		t.Errorf("a good document: %d %s", w.Code, w.Body)
	}
}

// Warnings about IRIs do not displace errors.
func TestManyOddIRIsHideNoError(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	text := prefixes + "ex:a a \"Robot\" .\n"
	for i := range 300 {
		text += "<u:%" + strings.Repeat("g", i) + "> ex:p 1 .\n"
	}
	v := asJSON[service.Validation](t, s.do(t, call{method: "POST", path: "/ttl/validate", body: ttl(text, nil)}))
	if v.Valid || len(v.Issues) != 101 || v.IssueCount != 301 || v.Issues[0].Code != semcheck.RDFTypeLiteral {
		t.Errorf("valid %v, %d issues of %d, first %+v", v.Valid, len(v.Issues), v.IssueCount, v.Issues[0])
	}
}
