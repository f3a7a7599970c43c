package views_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// No number in an address is the service's fault, however large it is: a panic would make the service not ready.
func TestNoNumberInAnAddressIsAFault(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	s := openService(t)
	s.PlayDemo()
	b := s.NewVisitor()
	paths := []string{"/api/log/tile/N/000.p/1", "/api/log/tile/0/N", "/api/log/tile/0/x999/x999/x999/x999/x999/x999/999", "/api/log/tile/entries/xN/067", "/api/log/tile/7/000"}
	for _, a := range s.Addresses() {
		if a.Method == http.MethodGet {
			paths = append(paths, a.Path)
		}
	}
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Schema   struct{ Type string }
			}
		}
	}
	if err := json.Unmarshal(b.Get("/api/openapi.json").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	numbers := map[string]bool{"first": true, "from": true, "depth": true, "least": true, "most": true, "number": true}
	for path, methods := range document.Paths {
		if _, reads := methods["get"]; reads && path != "/admin/backup" {
			paths = append(paths, "/api"+path)
		}
		for _, p := range methods["get"].Parameters {
			if p.In == "query" && p.Schema.Type == "integer" {
				numbers[p.Name] = true
			}
		}
	}
	log := s.LastLog()
	for _, number := range []string{"-9223372036854775808", "-1", "9223372036854775807", "18446744073709551615", "1152921504606846976"} {
		given := url.Values{"iri": {"http://www.example.org/maria"}, "q": {"maria"}, "query": {"SELECT * { ?s ?p ?o }"}}
		for name := range numbers {
			given.Set(name, number)
		}
		for _, path := range paths {
			path = strings.NewReplacer("N", number, "{log_id}", log, "{tile}", "0/000.p/1").Replace(path)
			if w := b.Get(path + "?" + given.Encode()); w.Code == http.StatusInternalServerError {
				t.Errorf("%s with %s: %d %s", path, number, w.Code, w.Body)
			}
		}
	}
	if s.Service.Health(t.Context()).Panicked {
		t.Error("the service is no longer ready")
	}
}
