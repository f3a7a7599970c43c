package cli

import (
	"fmt"
	"strings"
	"testing"
)

func TestRDFXMLIsLoadedAndDumped(t *testing.T) {
	const doc = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">
  <e:Robot rdf:about="http://e/ari"><e:says xml:lang="en">Hello &amp; welcome</e:says></e:Robot>
</rdf:RDF>`
	folder(t, map[string]string{"a.rdf": doc, "bad.rdf": strings.Replace(doc, "</e:says>", "</e:said>", 1), "odd.rdf": strings.Replace(doc, "http://e/ari", "http://e/%zz", 1)})
	if got := segraph("", nil, "load", "a.rdf"); got.code != 0 || !strings.HasPrefix(got.stdout, "a.rdf: 2 triples read") {
		t.Fatalf("load: %+v", got)
	}
	if got := segraph("", nil, "load", "bad.rdf"); got.code == 0 || !strings.Contains(got.stderr, "line 2, column") || !strings.Contains(got.stderr, "expected </e:says>, found </e:said>") {
		t.Errorf("load of a bad document: %+v", got)
	}
	if got := segraph("", nil, "load", "--strict-iris=true", "odd.rdf"); got.code == 0 || !strings.Contains(got.stderr, "line 2") {
		t.Errorf("load of an invalid IRI: %+v", got)
	}
	got := segraph("", nil, "dump", "--format", "rdfxml")
	if got.code != 0 || !strings.Contains(got.stdout, ">Hello &amp; welcome</e:says>") {
		t.Errorf("dump: %+v", got)
	}
	many := strings.Builder{}
	for i := range 1000 {
		fmt.Fprintf(&many, "<http://e/s%04d> <http://e/p> \"%s\" .\n", i, strings.Repeat("x", 100))
	}
	unfit := segraph(many.String()+`<http://e/z> <http://e/p/> 1 .`, nil, "load", "--data=unfit.db", "--format=turtle", "-")
	if unfit.code != 0 {
		t.Fatalf("load: %+v", unfit)
	}
	if got := segraph("", nil, "dump", "--data=unfit.db", "--format", "rdfxml"); got.code == 0 || got.stdout != "" || !strings.Contains(got.stderr, "does not end in an XML name") {
		t.Errorf("dump of a predicate that has no XML name: %d bytes, %d %s", len(got.stdout), got.code, got.stderr)
	}
	before := segraph("", nil, "dump", "--canonical").stdout
	if got := segraph(got.stdout, nil, "load", "--data=again.db", "--format=rdfxml", "-"); got.code != 0 {
		t.Fatalf("load of the dump: %+v", got)
	}
	if after := segraph("", nil, "dump", "--canonical", "--data=again.db").stdout; after != before {
		t.Errorf("the dump holds\n%sinstead of\n%s", after, before)
	}
}
