package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/evidence"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/translog"
)

// scriptedLog is a log with one tile and one entry.
type scriptedLog struct{}

func (scriptedLog) Checkpoint(context.Context) ([]byte, error) { return []byte("log\n1\nroot\n"), nil }

func (scriptedLog) Tile(_ context.Context, level int, number uint64, width int) ([]byte, error) {
	if level > 0 {
		return nil, translog.ErrNotFound
	}
	return fmt.Appendf(nil, "tile %d %d", number, width), nil
}

func (scriptedLog) Entries(_ context.Context, number uint64, width int) ([]byte, error) {
	return fmt.Appendf(nil, "entries %d %d", number, width), nil
}

func (scriptedLog) Receipt(_ context.Context, seq uint64) (translog.Receipt, error) {
	if seq > 1 {
		return translog.Receipt{}, translog.ErrBehind
	}
	return translog.Receipt{Index: seq - 1, Proof: "proof", Salt: []byte{1, 2}}, nil
}

// scriptedBundles makes bundles that repeat the request.
type scriptedBundles struct{ failure error }

func (b *scriptedBundles) Bundle(_ context.Context, r evidence.Request) (io.WriterTo, error) {
	if r.About.IRI == "urn:none" {
		return nil, fmt.Errorf("making a bundle: %w", evidence.ErrNothing)
	}
	return bytes.NewBufferString(fmt.Sprintf("%v %s %s %s %s", r.About.Logs, r.About.IRI, r.About.Query, r.About.User, r.By)), b.failure
}

// TestEvidenceIsMadeForAuditors requests bundles of each kind, and some that can't be made.
func TestEvidenceIsMadeForAuditors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		status  int
		failure error
		answer  string
	}{
		`{"logs":["a","b"]}`:           {200, nil, "[a b]    ari"},
		`{"iri":"urn:a"}`:              {200, nil, "urn:a"},
		`{"query":"ASK { ?s ?p ?o }"}`: {200, nil, "ASK { ?s ?p ?o }"},
		`{"from":"2026-01-31T12:00:00Z","to":"2026-01-31T12:00:01Z","user":"tiago"}`: {200, nil, "tiago"},
		`{"case":"none"}`:    {404, store.ErrNoLog, "no log with this id"},
		`{"iri":"urn:none"}`: {404, nil, "nothing to prove"},
		`{"case":"large"}`:   {422, evidence.ErrTooMuch, "ask for less"},
		`{"case":"odd"}`:     {422, evidence.ErrNoPatterns, "write a CONSTRUCT"},
		`{"case":"early"}`:   {503, translog.ErrBehind, "try again later"},
		`{"query":"SELECT"}`: {400, nil, "line 1"},
		`{"iri":"a b"}`:      {422, nil, "is not an IRI"},
		`{}`:                 {422, nil, "but 0 are given"},
		`{"logs":"a"}`:       {422, nil, "array of log ids"},
		`{"from":"2026-01-31T12:00:00Z","to":"2026-01-31T12:00:01Z","usr":"ari"}`: {422, nil, `"loc":["body","usr"]`},
		`{"from":"noon","to":"2026-01-31T12:00:01Z"}`:                             {422, nil, "must be a time"},
		`{"user":"ari","iri":"urn:a"}`:                                            {422, nil, "only with an interval"},
	} {
		s := newService(t, func(c *settings) { c.Bundles = &scriptedBundles{want.failure} })
		w := s.do(t, call{method: "POST", path: "/evidence", token: s.token(t, auth.Auditor), body: body})
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.answer) {
			t.Errorf("%s: %d %s, want %d %s", body, w.Code, w.Body, want.status, want.answer)
		}
		if name := w.Header().Get("Content-Disposition"); (w.Code == 200) != strings.HasPrefix(name, "attachment; filename=evidence-") {
			t.Errorf("%s: the file is %q", body, name)
		}
	}
}

// A bundle waits for memory, and does not hold meanwhile what its own request took.
func TestALargeRequestForEvidenceFitsASmallMachine(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Memory, c.Limits.ExportPatience = 6<<20, time.Second })
	w := s.do(t, call{method: "POST", path: "/evidence", body: `{"query":"SELECT * {}` + strings.Repeat(" ", 1<<20-30) + `"}`})
	if w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestTheLogIsServedAsTiles uses the paths of C2SP tlog-tiles.
func TestTheLogIsServedAsTiles(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.token(t, auth.Auditor)
	for path, want := range map[string]struct {
		status int
		body   string
	}{
		"/log/checkpoint":                {200, "log\n1\nroot\n"},
		"/log/tile/0/000":                {200, "tile 0 256"},
		"/log/tile/0/x001/x234/067":      {200, "tile 1234067 256"},
		"/log/tile/0/x001/067.p/8":       {200, "tile 1067 8"},
		"/log/tile/entries/000.p/3":      {200, "entries 0 3"},
		"/log/tile/entries/x001/067":     {200, "entries 1067 256"},
		"/log/tile/1/000":                {404, ""},
		"/log/tile/0/67":                 {404, ""},
		"/log/tile/0/000.p/256":          {404, ""},
		"/log/tile/0":                    {404, ""},
		"/log/tile/entries/x":            {404, ""},
		"/log/tile/data/000":             {404, ""},
		"/log/tile/0/../entries/000.p/3": {404, ""},
	} {
		w := s.do(t, call{method: "GET", path: path, token: token})
		if w.Code != want.status || want.status == 200 && w.Body.String() != want.body {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

// TestAPublicLogShowsHashesAndNoEntries calls each path without a token.
func TestAPublicLogShowsHashesAndNoEntries(t *testing.T) {
	t.Parallel()
	for _, public := range []bool{false, true} {
		s := newService(t, func(c *settings) { c.PublicLog = public })
		for path, open := range map[string]bool{
			"/log/checkpoint": public, "/log/tile/0/000": public, "/log/tile/entries/000": false, "/logs/x/receipt": false,
		} {
			w := s.do(t, call{method: "GET", path: path})
			if (w.Code == http.StatusOK) != open || !open && w.Code != http.StatusUnauthorized {
				t.Errorf("public %v, %s: %d", public, path, w.Code)
			}
		}
	}
}

func TestAReceiptComesWithTheAnswerIfItIsPreferred(t *testing.T) {
	t.Parallel()
	s := newService(t)
	token := s.token(t, auth.Admin)
	type answer struct {
		LogID   string  `json:"log_id"`
		Index   *uint64 `json:"log_index"`
		Receipt string  `json:"receipt"`
		Salt    []byte  `json:"salt"`
	}
	post := func(prefer string) (string, answer) {
		t.Helper()
		w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(small, "x"), token: token, header: map[string]string{"Prefer": prefer}})
		if w.Code != http.StatusCreated {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return w.Header().Get("Preference-Applied"), asJSON[answer](t, w)
	}
	applied, first := post("respond-async, Receipt;x=1")
	if applied != "receipt" || first.Index == nil || *first.Index != 0 || first.Receipt != "proof" || len(first.Salt) != 2 {
		t.Errorf("%q, %+v", applied, first)
	}
	for _, prefer := range []string{"", "receipts", "receipt"} { // the last one's receipt fails, and the log is stored
		applied, a := post(prefer)
		if applied != "" || a.Receipt != "" || a.Salt != nil || a.Index == nil {
			t.Errorf("%q: %q, %+v", prefer, applied, a)
		}
	}
	w := s.do(t, call{method: "GET", path: "/logs/" + knownLog + "/receipt", token: token})
	if got := asJSON[answer](t, w); w.Code != 200 || got.Receipt != "proof" || *got.Index != 0 {
		t.Errorf("later: %d %s", w.Code, w.Body)
	}
}
