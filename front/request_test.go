package front

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
)

func TestAcceptIsOrderedByWeightAndRange(t *testing.T) {
	offers := []string{"text/turtle", "application/json", "text/csv"}
	for _, c := range []struct {
		accept string
		want   []string
	}{
		{"", offers},
		{" , ", nil},
		{"*/*", offers},
		{"text/*", []string{"text/turtle", "text/csv"}},
		{"text/turtle;q=0.5, application/json", []string{"application/json", "text/turtle"}},
		{"text/csv;q=0.001", []string{"text/csv"}},
		{"text/csv;q=0, */*;q=0.1", []string{"text/turtle", "application/json"}},
		{"text/csv, text/*;q=0.2, */*;q=0.1", []string{"text/csv", "text/turtle", "application/json"}},
		{"*/*;q=0.1, TEXT/CSV ; Q=0.9", []string{"text/csv", "text/turtle", "application/json"}},
		{"text/csv;q=1.5, application/json;q=-1", []string{"application/json", "text/csv"}},
		{"image/png", nil},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", c.accept)
		if got := accepted(r, offers...); !slices.Equal(got, c.want) {
			t.Errorf("Accept %q: %q, want %q", c.accept, got, c.want)
		}
	}
}

func TestAcceptMayAllowALowVersionAlone(t *testing.T) {
	for accept, want := range map[string]rdf.Version{
		"text/turtle;version=1.1":                                     rdf.RDF11,
		`text/turtle; q=0.5; VERSION="1.1"`:                           rdf.RDF11,
		"text/*;version=1.1, application/n-triples":                   rdf.RDF11,
		"text/turtle;version=1.1, text/turtle;version=1.2;q=0":        rdf.RDF11,
		"text/turtle;version=1.1, text/turtle;version=9":              rdf.RDF11,
		"text/turtle;version=1.2-basic":                               rdf.RDF12Basic,
		"text/turtle;version=1.2-basic;q=0.1,text/turtle;version=1.1": rdf.RDF12Basic,
		"text/turtle, text/turtle;version=1.2;q=0":                    rdf.RDF12Basic,
		"text/turtle;version=1.1, text/turtle;version=1.2;q=0.1":      rdf.RDF12,
		"text/turtle;version=1.1, */*;q=0.1":                          rdf.RDF12,
		"text/turtle;version=1.2":                                     rdf.RDF12,
		"text/turtle":                                                 rdf.RDF12,
		"application/n-triples;version=1.1":                           rdf.RDF12,
		"":                                                            rdf.RDF12,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := acceptedVersion(r, "text/turtle"); got != want {
			t.Errorf("Accept %q: %v, want %v", accept, got, want)
		}
	}
}

func TestAnUnknownVersionIsNotAcceptable(t *testing.T) {
	for accept, want := range map[string]string{
		"text/turtle;version=2.0": "", "text/turtle;version=1.2-Basic": "", "*/*;version=2.0": "application/ld+json", // which has no versions
		"text/turtle;version=2.0, application/n-triples;q=0.1": "application/n-triples",
		"application/n-triples;q=0.5, text/turtle;version=1.1": "text/turtle",
		"text/turtle;version=2.0, text/*;q=0.1":                "text/turtle",
		"application/sparql-results+json;version=2.0":          "",
		"application/sparql-results+json;version=1.2":          "application/sparql-results+json",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := Negotiate(r, "text/turtle", "application/n-triples", "application/ld+json", "application/sparql-results+json"); got != want {
			t.Errorf("Accept %q: %q, want %q", accept, got, want)
		}
	}
}

func TestTheFirstAcceptedFormIsTaken(t *testing.T) {
	forms := []service.Form{{Media: []string{"a/own", "a/general"}}, {Media: []string{"b/own", "a/general"}}}
	for accept, want := range map[string]string{
		"b/own": "b/own", "a/general": "a/general", "a/*": "a/own", "no/such": "", "b/own, a/own;q=0.1": "b/own", "": "a/own",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		got := ""
		if list := acceptedForms(r, forms); len(list) > 0 {
			got = list[0].ContentType
		}
		if got != want {
			t.Errorf("Accept %q: %q, want %q", accept, got, want)
		}
	}
}

func TestARequestIDIsKeptIfItIsShortAndPlain(t *testing.T) {
	for id, kept := range map[string]bool{
		"a": true, "AZaz09._-": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a b": false, " a": false, "a\n": false, "é": false,
		"@a": false, "a[": false, "a`": false, "a{": false, "/0": false, "9:": false,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.x": false,
	} {
		got := requestID(id)
		if (got == id) != kept || got == "" {
			t.Errorf("%q becomes %q", id, got)
		}
	}
}

func TestIfNoneMatchComparesWeakly(t *testing.T) {
	for header, want := range map[string]bool{
		`"a"`: true, `W/"a"`: true, `*`: true, `"b", W/"a"`: true, `"b" , "a"`: true,
		``: false, `"b"`: false, `"b", "c"`: false, `a`: false,
	} {
		if got := matches([]string{header}, `"a"`); got != want {
			t.Errorf("%s: %t", header, got)
		}
	}
}

func TestOnlyProbesPassTheLimitOfConnections(t *testing.T) {
	for path, want := range map[string]bool{
		"/healthz/live": true, "/healthz/ready": true, "/api/healthz/ready": true, "/healthz": false, "/healthz/live/": false, "/": false,
	} {
		if got := isProbe(httptest.NewRequest("GET", path, nil)); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}

// TestTheAddressIsTheProxysIfItIsTrusted also covers X-Forwarded-Host without a value.
func TestTheAddressIsTheProxysIfItIsTrusted(t *testing.T) {
	for _, c := range []struct {
		header http.Header
		want   string
	}{
		{http.Header{}, "http://own.example/seg"},
		{http.Header{"X-Forwarded-Host": {"robots.example"}}, "http://robots.example/seg"},
		{http.Header{"X-Forwarded-Host": {""}}, "http://own.example/seg"},
		{http.Header{"X-Forwarded-Host": {"robots.example:8443"}, "X-Forwarded-Proto": {"HTTPS"}}, "https://robots.example:8443/seg"},
	} {
		for _, trusted := range []bool{true, false} {
			f := &Front{config: Config{BasePath: "/seg"}}
			if trusted {
				f.config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
			}
			r := httptest.NewRequest("GET", "/", nil)
			r.Host, r.RemoteAddr, r.Header = "own.example", "192.0.2.7:1", c.header
			want := c.want
			if !trusted {
				want = "http://own.example/seg"
			}
			if got := f.Address(r); got != want {
				t.Errorf("trusted %t, %v: %s, want %s", trusted, c.header, got, want)
			}
		}
	}
}
