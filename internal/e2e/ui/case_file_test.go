package ui

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	core "github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
)

// TestACaseFileIsADocumentWithItsBundle makes a case file of a person, and checks the bundle whose hash it
// names. Once a log is withdrawn, the service no longer shows it.
func TestACaseFileIsADocumentWithItsBundle(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	const maria = "https://gsi.upm.es/segb/robots/ari/v1/human_maria"
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.goTo("/case-file?iri=" + url.QueryEscape(maria))
		b.accessible()
		b.see("main", "1 log")
		b.fill("#reason", "case 7/26")
		b.follow("main form button.primary")
		b.see("main", "“case 7/26”")
		b.see("main .record", "“")
		b.accessible()
		b.shot("case-file", l)
		at := b.path()
		b.follow(".sheet-tools a")
		if got := value[string](b, `document.getElementById("reason").value`); got != "case 7/26" || !strings.HasPrefix(b.path(), "/case-file?iri=") {
			t.Errorf("to change the scope leads to %s with the reason %q", b.path(), got)
		}
		get := func(path string) (status int, body []byte) {
			r, err := http.Get(s.ui + path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if body, err = io.ReadAll(r.Body); err != nil {
				t.Fatal(err)
			}
			return r.StatusCode, body
		}
		_, page := get(at)
		_, bundle := get(strings.Replace(at, "/file?", "/bundle?", 1))
		if sum := sha256.Sum256(bundle); !strings.Contains(string(page), hex.EncodeToString(sum[:])) {
			t.Error("the document does not have the hash of its bundle")
		}
		record, err := evidence.ReadRecord(bytes.NewReader(bundle), int64(len(bundle)))
		if err != nil || len(record.Logs) != 1 || !strings.Contains(string(page), record.Root) {
			t.Fatalf("the bundle has another record: %v, %v", record, err)
		}
		report, err := evidence.Verify(bytes.NewReader(bundle), int64(len(bundle)), record.Key)
		if err != nil || len(report.Failures) > 0 {
			t.Errorf("the bundle does not hold: %v, %v", report, err)
		}
		if _, style := get(strings.Replace(at, "/file?", "/style?paper=letter&", 1)); !strings.Contains(string(style), "size: Letter") || !strings.Contains(string(style), "counter(pages)") {
			t.Errorf("the pages are laid out by %s", style)
		}
	})
	b := open(t, s.ui, look{})
	b.expect("status of 422")
	b.expect("status of 404")
	for _, wrong := range []struct{ query, says string }{{"from=2026-01-01&to=2025-01-01", "The time ends before it begins"}, {"q=nobodysaidthis", "nothing to make a case file of"}} {
		b.goTo("/case-file?" + wrong.query)
		b.see("main .notice.bad", wrong.says)
	}
}

// TestANoteIsShownWhereItHelps writes a note about a person, which the page of personal data, the journal and case
// files show, and which goes when the person is looked for in notes to erase.
func TestANoteIsShownWhereItHelps(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publishDemo()
	const maria = "https://gsi.upm.es/segb/robots/ari/v1/human_maria"
	b := open(t, s.ui, look{})
	b.goTo("/personal-data?iri=" + url.QueryEscape(maria))
	b.fill("#note", "Her daughter <b>called</b>.")
	b.follow("#notes form button")
	b.see("#notes", "Her daughter <b>called</b>.")
	b.accessible()
	b.goTo("/journal")
	b.see("main", "Wrote a note")
	b.goTo("/replay")
	b.fill("#note", "Very loud that day")
	b.follow("#notes form button")
	b.see("#notes", "Very loud that day")
	b.accessible()
	b.goTo("/case-file?iri=" + url.QueryEscape(maria))
	b.fill("#reason", "case 9")
	b.follow("main form button.primary")
	b.see(".sheet", "Her daughter <b>called</b>.")
	b.see(".sheet", "Very loud that day")
	kept, err := s.core.Person(t.Context(), auth.Actor{Username: "eve", Roles: auth.Roles()}, maria, 0, 10, new(core.Kept))
	if err != nil || len(kept.Notes) != 1 {
		t.Errorf("the notes that name the person are %v, %v", kept, err)
	}
	b.goTo("/personal-data?iri=" + url.QueryEscape(maria))
	b.follow("#notes button[name=remove]")
	if kept, err = s.core.Person(t.Context(), auth.Actor{Username: "eve", Roles: auth.Roles()}, maria, 0, 10, new(core.Kept)); err != nil || len(kept.Notes) != 0 {
		t.Errorf("after its removal the notes are %v, %v", kept, err)
	}
	for _, wrong := range []core.Remark{{About: maria}, {About: core.AboutSession, Text: "x"}, {Text: "x"}, {About: maria, Text: "a\nb"}} {
		if err := s.core.AddRemark(t.Context(), auth.Actor{Username: "eve"}, wrong); err == nil {
			t.Errorf("%v is kept", wrong)
		}
	}
}

// TestACaseFileGoesWithItsLogs withdraws a log of a case file.
func TestACaseFileGoesWithItsLogs(t *testing.T) {
	t.Parallel()
	s := openService(t)
	s.publish("@prefix : <http://e/> . @prefix prov: <http://www.w3.org/ns/prov#> . :a a prov:Activity ; prov:startedAtTime \"2026-02-24T12:20:00Z\"^^<http://www.w3.org/2001/XMLSchema#dateTime> .")
	kept, err := s.core.Logs(t.Context(), journal.Filter{Action: journal.Insert, Limit: 1}, nil)
	if err != nil || len(kept.Entries) != 1 {
		t.Fatal(kept, err)
	}
	id := kept.Entries[0].LogID
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(form url.Values) *http.Response {
		r, err := browser.PostForm(s.ui+"/case-file", form)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r
	}
	if r := post(url.Values{"log": {id}}); r.StatusCode != 422 {
		t.Errorf("without a reason the status is %d", r.StatusCode)
	}
	made := post(url.Values{"log": {id}, "reason": {"case 8"}})
	status := func() int {
		r, err := browser.Get(s.ui + made.Header.Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	if got := status(); got != 200 {
		t.Fatalf("the case file has the status %d", got)
	}
	noted, err := s.core.Logs(t.Context(), journal.Filter{Action: journal.CaseFile, Limit: 1}, nil)
	if err != nil || len(noted.Entries) != 1 || !strings.HasPrefix(noted.Entries[0].Detail, "case 8 (bundle ") {
		t.Errorf("the journal has the entries %v, %v", noted.Entries, err)
	}
	if _, _, err := s.core.Withdraw(t.Context(), auth.Actor{Username: "eve", Roles: auth.Roles()}, "", id); err != nil {
		t.Fatal(err)
	}
	if got := status(); got != 404 {
		t.Errorf("after the withdrawal it has the status %d", got)
	}
}
