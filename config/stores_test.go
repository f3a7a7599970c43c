package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A file lists graph stores with the files of their secrets. Without password_file, users have
// the password of TRIPLESTORE_PASSWORD.
func TestAFileListsGraphStores(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	password, token := file("password", "secret\n"), file("token", "abc")
	path := file("stores.yaml", `
- {name: a, kind: sparql, query: http://a/q, update: http://a/u, graph_store: http://a/d, token_file: `+token+`}
- {name: b, kind: sparql, query: http://b/q, update: http://b/u, user: ari, password_file: `+password+`, graph: urn:b}
- {kind: virtuoso, query: http://v/sparql, update: http://v/sparql-auth, user: dba}
`)
	got, err := (&Config{Store: "embedded", Stores: path, TriplestorePassword: "shared"}).GraphStores()
	want := []GraphStore{
		{Name: "a", Kind: "sparql", Query: "http://a/q", Update: "http://a/u", GraphStore: "http://a/d", Password: "shared", PasswordFrom: passwordVariable, TokenFile: token, Graph: "urn:segraph:log"},
		{Name: "b", Kind: "sparql", Query: "http://b/q", Update: "http://b/u", User: "ari", PasswordFile: password, Password: "secret", PasswordFrom: "its password_file", Graph: "urn:b"},
		{Name: "virtuoso", Kind: "virtuoso", Query: "http://v/sparql", Update: "http://v/sparql-auth", User: "dba", Password: "shared", PasswordFrom: passwordVariable, Graph: "urn:segraph:log"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}

	const a, b = "kind: sparql, query: http://a/q, update: http://a/u", "kind: sparql, query: http://b/q, update: http://b/u"
	for text, want := range map[string]string{
		"":                                                  "it lists 0; 1 to 16 are allowed",
		"- {" + a + ", uesr: x}":                            "field uesr not found",
		"- {" + a + ", password: x}":                        "field password not found",
		"- {" + a + "}\n- {" + b + "}":                      "rows 1 and 2 have the name sparql; change or remove one of them",
		"- {" + a + "}\n- {name: b, " + a + "}":             "rows 1 and 2 have the address http://a/q; change or remove one of them",
		"- {kind: oracle}":                                  `row 1: kind: "oracle" is not one of virtuoso, sparql`,
		"- {kind: sparql, query: http://a/q}":               "row 1: update: it must not be empty",
		"- {kind: sparql, query: a, update: b}":             `row 1: query: "a" is not the address of a service`,
		"- {name: 'a b', " + a + "}":                        `row 1: name: "a b" must have`,
		"- {" + a + ", graph: x}":                           `row 1: graph: "x" is not an IRI`,
		"- {" + a + ", user: x, token_file: " + token + "}": "row 1: token_file: it has a user too",
		"- {" + a + ", token_file: " + filepath.Join(dir, "no") + "}":             "row 1: token_file: reading it: open " + filepath.Join(dir, "no"),
		"- {" + a + ", user: x, password_file: " + filepath.Join(dir, "no") + "}": "row 1: password_file: reading it: open",
		"- {" + a + ", password_file: " + password + "}":                          "row 1: user: it needs a user and a password",
		"- {kind: virtuoso, query: http://v/q, update: http://v/u, user: dba}":    "row 1: user: it needs a user and a password",
	} {
		path := file("wrong.yaml", text)
		_, err := (&Config{Store: "embedded", Stores: path}).GraphStores()
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(e.Msg, "the graph stores in "+path+": ") || !strings.Contains(e.Msg, want) || e.Hint == "" {
			t.Errorf("%s\n%v, want %q", text, err, want)
		}
	}
	for _, c := range []*Config{{Store: "virtuoso", Stores: path}, {Store: "embedded", Stores: filepath.Join(dir, "no")}, {Store: "virtuoso"}, {Store: "sparql"}} {
		if list, err := c.GraphStores(); err == nil || list != nil {
			t.Errorf("%+v: %+v", c, list)
		}
	}
	for _, c := range []*Config{{Store: "embedded"}, {}} {
		if list, err := c.GraphStores(); err != nil || list != nil {
			t.Errorf("without graph stores: %+v, %v", list, err)
		}
	}
}
