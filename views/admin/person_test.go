package admin

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

func wantAll(t *testing.T, w *httptest.ResponseRecorder, status int, parts ...string) {
	t.Helper()
	for _, part := range parts {
		viewstest.WantPage(t, w, status, part)
	}
}

// TestAPersonIsLookedUpAndHeld shows what is kept of a person, and puts them under a legal hold.
func TestAPersonIsLookedUpAndHeld(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Publish(`@prefix schema: <http://schema.org/> . <urn:x:maria> schema:name "Maria <b>" . <urn:m:1> schema:sender <urn:x:maria> ; schema:text "Will it hang here?" .`)
	b := s.SignedIn("admin")
	const path = "/personal-data"
	wantAll(t, b.Get(path), 200, "For ever", "Show what is kept")
	wantAll(t, b.Get(path+"?iri=maria"), 422, "absolute")
	wantAll(t, b.Post(path, url.Values{"do": {"hold"}, "what": {"urn:x:maria"}}), 422, "needs a reason")
	wantAll(t, b.Post(path, url.Values{"do": {"hold"}, "what": {"urn:x:maria"}, "reason": {"r"}, "until": {"x"}}), 422, "ends on a day")
	wantAll(t, b.Post(path, url.Values{"do": {"hold"}, "what": {"2026-01-02T00:00:00Z to 2026-01-01T00:00:00Z"}, "reason": {"r"}}), 422, "from is earlier")
	if w := b.Post(path, url.Values{"do": {"hold"}, "what": {"urn:x:maria"}, "reason": {"case 7"}, "until": {"2999-01-01"}}); w.Code != 303 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	person := b.Get(path + "?iri=urn:x:maria")
	wantAll(t, person, 200, "Will it hang here?", "Maria &lt;b&gt;", "legal hold", "case 7", "Said 1", "Logs 1", "Who looked")
	wantAll(t, b.Get(path+"?iri=urn:x:maria&show=logs"), 200, "/log?id=")
	wantAll(t, b.Get(path+"?iri=urn:x:nobody"), 200, "Nothing is kept")
	held := b.Get(path).Body.String()
	_, id, _ := strings.Cut(held, `name="id" value="`)
	id, _, _ = strings.Cut(id, `"`)
	if w := b.Post(path, url.Values{"do": {"lift"}, "id": {id}}); w.Code != 303 {
		t.Errorf("lifting %q: %d %s", id, w.Code, w.Body)
	}
	if strings.Contains(b.Get(path).Body.String(), "case 7") {
		t.Error("the hold is still there")
	}
}
