package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/turtle"
)

// answer is an HTTP response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// member returns a member of a JSON answer.
func (a answer) member(t testing.TB, name string) any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(a.body, &m); err != nil {
		t.Fatalf("the answer is not JSON: %v\n%s", err, a.body)
	}
	return m[name]
}

// number returns a member of a JSON answer that is an integer.
func (a answer) number(t testing.TB, name string) int {
	t.Helper()
	n, ok := a.member(t, name).(float64)
	if !ok {
		t.Fatalf("the answer has no number %q:\n%s", name, a.body)
	}
	return int(n)
}

// request sends a request and reads the whole answer. header alternates names and values.
func request(t testing.TB, method, url string, body []byte, header ...string) answer {
	t.Helper()
	a, err := try(http.DefaultClient, method, url, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	return a
}

// tokens are of services that are asked with one: the host of an address -> a token.
var tokens sync.Map

// try is like request, for a service that may end during it.
func try(client *http.Client, method, url string, body []byte, header ...string) (answer, error) {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if token, ok := tokens.Load(req.URL.Host); ok && req.Header.Get("Authorization") == "" {
		req.Header.Set("Authorization", "Bearer "+token.(string))
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, data}, err
}

// publish posts a Turtle document in JSON.
func (s *service) publish(text, user string) answer {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"ttl_content": text, "user": user})
	if err != nil {
		s.t.Fatal(err)
	}
	return request(s.t, "POST", s.api+"/ttl", body, "Content-Type", "application/json")
}

// events returns the published graph in Turtle.
func (s *service) events() []byte {
	s.t.Helper()
	a := request(s.t, "GET", s.api+"/events", nil)
	if a.status != http.StatusOK {
		s.t.Fatalf("GET /events: %d\n%s", a.status, a.body)
	}
	return a.body
}

// parse parses RDF text.
func parse(t testing.TB, text []byte, f turtle.Format) []rdf.Quad {
	t.Helper()
	r := turtle.NewReader(bytes.NewReader(text), f, turtle.Options{})
	var quads []rdf.Quad
	for {
		q, err := r.Read()
		if err == io.EOF {
			return quads
		}
		if err != nil {
			t.Fatalf("reading RDF: %v\n%s", err, text[:min(len(text), 1000)])
		}
		quads = append(quads, q)
	}
}

// sameGraph fails unless two graphs are equal except for the names of blank nodes.
func sameGraph(t testing.TB, got, want []rdf.Quad) {
	t.Helper()
	if !canon.Isomorphic(got, want) {
		t.Errorf("got a graph of %d triples that is not the one of %d triples wanted", len(got), len(want))
	}
}
