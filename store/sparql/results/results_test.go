package results_test

import (
	"testing"

	"github.com/segraph/segraph/store/sparql/results"
)

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		mediaType string
		want      results.Format
		ok        bool
	}{
		{"application/sparql-results+json", results.JSON, true},
		{"Application/SPARQL-Results+JSON; charset=UTF-8", results.JSON, true},
		{"application/json", results.JSON, true},
		{"application/sparql-results+xml", results.XML, true},
		{"application/xml", results.XML, true},
		{"text/xml;charset=utf-8", results.XML, true},
		{"text/csv; header=present", results.CSV, true},
		{"text/tab-separated-values", results.TSV, true},
		{"text/turtle", results.Turtle, true},
		{"text/html", 0, false},
		{"json", 0, false},
		{"", 0, false},
	} {
		if f, ok := results.FormatOf(tt.mediaType); f != tt.want || ok != tt.ok {
			t.Errorf("FormatOf(%q) = %s, %v", tt.mediaType, f, ok)
		}
	}
	for name, f := range map[string]results.Format{"json": results.JSON, "xml": results.XML, "csv": results.CSV, "tsv": results.TSV, "ttl": results.Turtle} {
		if got, ok := results.FormatNamed(name); got != f || !ok || f.String() != name {
			t.Errorf("FormatNamed(%q) = %s, %v", name, got, ok)
		}
		if got, ok := results.FormatOf(f.MediaType()); got != f || !ok {
			t.Errorf("FormatOf(%q) = %s, %v", f.MediaType(), got, ok)
		}
	}
	if _, ok := results.FormatNamed("text/csv"); ok {
		t.Error("a media type is taken for a name")
	}
}
