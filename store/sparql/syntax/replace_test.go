package syntax

import "testing"

func TestReplaceIRI(t *testing.T) {
	for _, c := range []struct {
		text, old, to, want string
		ok                  bool
	}{
		{"SELECT * { ?s <http://e/nam> ?o }", "http://e/nam", "http://e/name", "SELECT * { ?s <http://e/name> ?o }", true},
		{"PREFIX e: <http://e/>\nSELECT * { ?s e:nam ?o; e:nam 1 } # e:nam", "http://e/nam", "http://e/name", "PREFIX e: <http://e/>\nSELECT * { ?s e:name ?o; e:name 1 } # e:nam", true},
		{"PREFIX e: <http://e/> ASK { ?s e:nam 'e:nam <http://e/nam>' }", "http://e/nam", "http://other/name", "PREFIX e: <http://e/> ASK { ?s <http://other/name> 'e:nam <http://e/nam>' }", true},
		{"prefix : <http://e/> ASK { ?s :nam ?o }", "http://e/nam", "http://e/a-b", "prefix : <http://e/> ASK { ?s <http://e/a-b> ?o }", true},
		{"PREFIX e: <http://e/nam> ASK { ?s e: 1 }", "http://e/nam", "http://e/name", "PREFIX e: <http://e/nam> ASK { ?s e:e 1 }", true},
		{"ASK { ?s ?p ?o }", "http://e/nam", "http://e/name", "ASK { ?s ?p ?o }", false},
		{"ASK { ?s <http://e/nam> 'unfinished }", "http://e/nam", "http://e/name", "ASK { ?s <http://e/name> 'unfinished }", true},
	} {
		if got, ok := ReplaceIRI(c.text, c.old, c.to); got != c.want || ok != c.ok {
			t.Errorf("%s: %s, %v", c.text, got, ok)
		}
	}
}
