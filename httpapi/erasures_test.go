package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// An erasure on a running service: what a preview says goes, once another admin has confirmed it, also from what memory
// has, and does not come back by a post, a decision, a hold, a saved query or a look. A legal hold outranks it.
func TestAPersonIsErasedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) {
		file := c.Graph.(persist.ResolvedGraph).Store
		c.TwoPersons, c.Queries, c.Translog = true, file, translog.New(file.Store, translog.Options{KeyFile: file.Path() + ".key"})
	})
	const person = "http://ex/id/maria"
	eva, adam := s.tokenOf("eva", auth.Admin), s.tokenOf("adam", auth.Admin)
	post := func(token, path, body string, status int, into any) {
		t.Helper()
		w := s.do(t, call{method: "POST", path: path, body: body, token: token})
		if w.Code != status {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		if into != nil {
			if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
				t.Fatal(err)
			}
		}
	}
	post(eva, "/ttl", ttl(fmt.Sprintf(`@prefix s: <http://schema.org/> . <%s> s:name "Maria M" . <urn:m1> s:sender <%[1]s> ; s:text "I am lost" .
		<urn:m2> s:sender <urn:ari> ; s:text "Hello, Maria M!" .`, person), nil), 201, nil)
	whom := fmt.Sprintf(`{"person":%q`, person)
	s.config.Log.Logger("test").Info("asked for http%3A%2F%2Fex%2Fid%2Fmaria&q=50%")
	s.config.Log.Logger("test").Info("asked for http://ex/id/marianne and http%3A%2F%2Fex%2Fid%2Fmarianne")
	var plan service.ErasurePreview
	post(eva, "/admin/erasures/preview", whom+"}", 200, &plan)
	if plan.Triples != 3 || len(plan.ByLog) != 1 || plan.ByLog[0].Triples != 3 || plan.Losing.Count != 1 || plan.Losing.Facts[0].IRI != "urn:m1" ||
		plan.Mentions.Count != 1 || plan.Mentions.Facts[0].Text != "Hello, Maria M!" {
		t.Errorf("the preview says %+v", plan)
	}
	for _, reason := range []string{"", "for Maria M", "of " + person} {
		post(eva, "/admin/erasures", fmt.Sprintf(`%s,"reason":%q}`, whom, reason), 422, nil)
	}
	var hold struct{ ID string }
	post(eva, "/admin/holds", whom+`,"reason":"case 7"}`, 201, &hold)
	post(eva, "/admin/erasures/preview", whom+"}", 409, nil)
	var x service.Erasure
	post(eva, "/admin/erasures", whom+`,"reason":"a letter"}`, 201, &x)
	at := "/admin/erasures/" + x.ID
	post(adam, at+"/confirm", "{}", 409, nil)
	post(eva, "/admin/holds/"+hold.ID+"/lift", "{}", 200, nil)
	post(eva, at+"/confirm", "{}", 409, nil) // she has asked for it
	var another struct{ Token string }
	post(eva, "/admin/tokens", `{"username":"bob","roles":["admin"],"expires_in":600}`, 201, &another)
	post(another.Token, at+"/confirm", "{}", 409, nil) // and may be bob too
	var third struct{ Token string }
	post(another.Token, "/admin/tokens", `{"username":"carol","roles":["admin"],"expires_in":600}`, 201, &third)
	post(third.Token, at+"/confirm", "{}", 409, nil) // and carol
	var bobs struct{ Token string }
	post(another.Token, "/admin/tokens", `{"username":"bob","roles":["admin"],"expires_in":600}`, 201, &bobs)
	post(bobs.Token, at+"/confirm", "{}", 409, nil) // and bob by a token of his own
	var asBob service.Erasure
	post(another.Token, "/admin/erasures", whom+`,"reason":"a letter"}`, 201, &asBob)
	post(eva, "/admin/erasures/"+asBob.ID+"/confirm", "{}", 409, nil)
	post(eva, "/admin/erasures/"+asBob.ID+"/cancel", "{}", 200, nil)
	post(eva, at+"/receipt", "{}", 409, nil)
	var other service.Erasure
	post(eva, "/admin/erasures", whom+`,"reason":"a letter"}`, 201, &other)
	post(adam, "/admin/erasures/"+other.ID+"/cancel", "{}", 200, nil)
	post(adam, "/admin/erasures/"+other.ID+"/confirm", "{}", 404, nil)
	post(eva, "/admin/erasures", whom+`,"reason":"a letter"}`, 201, nil) // which goes when she is erased
	var done, again service.Erasure
	post(adam, at+"/confirm", "{}", 200, &done)
	if all := s.lines(); strings.Contains(strings.ReplaceAll(all, "marianne", ""), "maria") || !strings.Contains(all, "marianne") {
		t.Errorf("the server log that memory keeps names her, or has lost somebody else:\n%s", all)
	}
	post(adam, at+"/confirm", "{}", 200, &again)
	post(adam, at+"/cancel", "{}", 409, nil)
	if r := done.Receipt; r == nil || r.Triples != 3 || r.Salt == "" || *r != *again.Receipt || done.Person != "" {
		t.Errorf("the receipt is %+v, and then %+v", done, again)
	}
	var taken service.PersonReceipt
	var later service.Erasure
	post(eva, at+"/receipt", "{}", 200, &taken)
	post(eva, at+"/receipt", "{}", 409, nil)
	post(adam, at+"/confirm", "{}", 200, &later)
	if salt := base64.RawStdEncoding.EncodeToString(taken.Salt); salt != done.Receipt.Salt || taken.Person != person || *taken.Index != done.Receipt.LogIndex || later.Receipt.Salt != "" {
		t.Errorf("the person's receipt is %+v; the service keeps %+v", taken, later.Receipt)
	}
	key, err := translog.KeyOf(s.file.Store)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(taken)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := evidence.Verify(bytes.NewReader(text), int64(len(text)), key); err != nil || len(v.Failures) > 0 || !strings.Contains(v.Holds, person) {
		t.Errorf("the person's receipt does not hold: %+v, %v", v, err)
	}
	for _, c := range []call{{method: "POST", path: "/admin/holds", body: whom + `,"reason":"case 8"}`}, {method: "POST", path: "/admin/erasures/preview", body: whom + "}"},
		{method: "POST", path: "/shared-context/subjects", body: fmt.Sprintf(`{"subject_uri":%q,"person":true}`, person)},
		{method: "POST", path: "/shared-context/people", body: fmt.Sprintf(`{"subject_uris":["urn:s",%q],"one_person":true}`, person)},
		{method: "POST", path: "/admin/holds", body: fmt.Sprintf(`{"log_id":"x","reason":"as %s asked"}`, person)},
		{method: "POST", path: "/shared-context/people", body: fmt.Sprintf(`{"subject_uris":["urn:s","urn:t"],"one_person":true,"reason":"not %s."}`, person)},
		{method: "GET", path: "/admin/person?iri=" + person}} {
		if c.token = adam; s.do(t, c).Code != 409 {
			t.Errorf("%s makes her known again", c.path)
		}
	}
	post(eva, "/ttl", ttl("<urn:s> <urn:p> 2 .", person), 201, nil)
	post(eva, "/ttl", ttl(fmt.Sprintf(`<%s> <urn:p> "Marker" . <urn:s> <urn:p> 1 .`, person), nil), 201, nil)
	for _, path := range []string{"/events", "/logs?limit=100", "/admin/erasures"} {
		w := s.do(t, call{method: "GET", path: path, token: eva})
		for _, text := range []string{person, "I am lost", "Marker"} {
			if w.Code != 200 || strings.Contains(w.Body.String(), text) {
				t.Errorf("%s has %q: %d %s", path, text, w.Code, w.Body)
			}
		}
	}
	if err := s.file.Purge(t.Context(), nil); err != nil {
		t.Error(err)
	}
	for range 2 { // an answer that names her is not kept
		w := s.keyed(call{path: "/ttl", body: fmt.Sprintf(`{"@context":{%q:7}}`, person), header: map[string]string{"Content-Type": "application/ld+json"}, token: eva}, "k")
		if w.Code != 400 || !strings.Contains(w.Body.String(), person) || w.Header().Get(front.ReplayedHeader) != "" {
			t.Errorf("a refusal is kept, or names nobody: %d %s", w.Code, w.Body)
		}
	}
}

// A preview lists the texts with the person's IRI, which stay, and not those that go.
func TestAPreviewListsTextsWithTheIRI(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Queries = c.Graph.(persist.ResolvedGraph).Store })
	eva := s.tokenOf("eva", auth.Admin)
	const text = `@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . <http://ex/id/maria> r:label "http://ex/id/maria" . <urn:m> r:comment "http://ex/id/maria was here" . <urn:n> r:comment "somebody was here" .`
	s.do(t, call{method: "POST", path: "/ttl", body: ttl(text, nil), token: eva})
	w := s.do(t, call{method: "POST", path: "/admin/erasures/preview", body: `{"person":"http://ex/id/maria"}`, token: eva})
	var plan service.ErasurePreview
	if err := json.Unmarshal(w.Body.Bytes(), &plan); err != nil || plan.Mentions.Count != 1 || plan.Mentions.Facts[0].IRI != "urn:m" {
		t.Errorf("%v %s", err, w.Body)
	}
}

// interrupted fails once after the list beside the file has the person.
type interrupted struct {
	persist.ResolvedGraph
	failed bool
}

func (g *interrupted) Erase(ctx context.Context, iri, pseudonym string, e journal.Entry) (store.Erased, error) {
	if !g.failed {
		g.failed = true
		return store.Erased{}, errors.Join(errors.New("failed"), g.Store.Forgotten.Add([]string{iri}, pseudonym))
	}
	return g.ResolvedGraph.Erase(ctx, iri, pseudonym, e)
}

// An erasure that failed can be confirmed, and asked for, again, and keeps its pseudonym.
func TestAnErasureThatFailedIsRepeated(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Eraser = &interrupted{ResolvedGraph: c.Graph.(persist.ResolvedGraph)} })
	const person = "http://ex/id/maria"
	eva := s.tokenOf("eva", auth.Admin)
	s.do(t, call{method: "POST", path: "/ttl", body: ttl("<urn:m> <urn:p> <"+person+"> .", nil), token: eva})
	var x service.Erasure
	for i, step := range []struct {
		path, body string
		status     int
	}{{"", `{"person":"` + person + `","reason":"a letter","pseudonymise":true}`, 201}, {"/confirm", "{}", 500}, {"", `{"person":"` + person + `","reason":"a letter"}`, 201},
		{"/confirm", "{}", 200}, {"", `{"person":"` + person + `","reason":"a letter"}`, 409}} {
		path := "/admin/erasures"
		if step.path != "" {
			path += "/" + x.ID + step.path
		}
		w := s.do(t, call{method: "POST", path: path, body: step.body, token: eva})
		if w.Code != step.status {
			t.Fatalf("step %d: %d %s", i, w.Code, w.Body)
		}
		if w.Code < 300 {
			if err := json.Unmarshal(w.Body.Bytes(), &x); err != nil {
				t.Fatal(err)
			}
		}
	}
	if to, _ := s.file.Forgotten.Of(person); x.Receipt == nil || x.Receipt.Pseudonym != to || x.Receipt.Triples != 1 || to == "" {
		t.Errorf("the list says %q, and the receipt %+v", to, x.Receipt)
	}
}
