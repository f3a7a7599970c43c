package cosigners

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/translog"
)

// scripted is a witness whose answers a test writes.
type scripted struct {
	signer *cosignature.Signer
	at     time.Time
	asked  []string // first lines of the requests
	answer func(w http.ResponseWriter, old, text string)
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.answer == nil {
		return nil, errors.New("connection refused")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	old, rest, _ := strings.Cut(string(body), "\n")
	_, signed, _ := strings.Cut("\n"+rest, "\n\n")
	text, _, _ := strings.Cut(signed, "\n\n")
	s.asked = append(s.asked, old)
	w := httptest.NewRecorder()
	s.answer(w, old, text+"\n")
	return w.Result(), nil
}

func (s *scripted) cosign(w http.ResponseWriter, _, text string) {
	_, _ = io.WriteString(w, s.signer.Line([]byte(text), s.at))
}

// status answers with a status and a text.
func status(code int, kind, text string) func(http.ResponseWriter, string, string) {
	return func(w http.ResponseWriter, _, _ string) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func open(t testing.TB) (*engine.Store, *translog.Log) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := engine.Open(path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, translog.New(s, translog.Options{KeyFile: path + ".key"})
}

// TestEveryAnswerOfAWitnessHasAMeaning sends one checkpoint to a witness for each answer.
func TestEveryAnswerOfAWitnessHasAMeaning(t *testing.T) {
	_, log := open(t)
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	w := &scripted{signer: testSigner(t), at: now}
	peer := Witness{Key: w.signer.Verifier(), URL: "http://example.org"}
	s := New(Options{Log: log, Witnesses: []Witness{peer}, Logger: slog.New(slog.DiscardHandler), Transport: w, Now: func() time.Time { return now },
		Panicked: func(context.Context, any) { now = now.Add(time.Nanosecond) }})
	sizeOf := func(size string) func(http.ResponseWriter, string, string) {
		return func(rw http.ResponseWriter, old, text string) {
			if old == "old "+size {
				w.cosign(rw, old, text)
				return
			}
			status(409, "text/x.tlog.size", size+"\n")(rw, old, text)
		}
	}
	for i, x := range []struct {
		answer func(http.ResponseWriter, string, string)
		state  State
		detail string
		asked  string
	}{
		{nil, Unreachable, "connection refused", ""},
		{status(503, "text/plain", "later"), Unreachable, "it answered 503: later", "old 0"},
		{status(302, "text/plain", ""), Unreachable, "it answered 302", "old 0"},
		{status(404, "text/plain", ""), Refuses, "404", "old 0"},
		{status(403, "text/plain", ""), Refuses, "403", "old 0"},
		{status(422, "application/problem+json", `{"detail": "The proof is wrong."}`), Contradicts, "does not continue them: The proof is wrong.", "old 0"},
		{status(409, "text/plain", "1\n"), Refuses, "without the size", "old 0"},
		{status(409, "text/x.tlog.size", "x\n"), Refuses, "without the size", "old 0"},
		{status(409, "text/x.tlog.size", "0\n"), Refuses, "without the size", "old 0"},
		{status(409, "text/x.tlog.size", "2\n"), Contradicts, "it cosigned 2 entries, and this log has only 1", "old 0"},
		{status(200, "text/plain", ""), Refuses, "no cosignature of example.org/w", "old 0"},
		{func(rw http.ResponseWriter, _, text string) { w.cosign(rw, "", text+"x") }, Refuses, "does not verify", "old 0"},
		{sizeOf("1"), Agrees, "", "old 0, old 1"},
	} {
		w.answer, w.asked, w.at = x.answer, nil, now
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := s.Status()[0]
		if got.State != x.state || !strings.Contains(got.Detail, x.detail) || x.detail == "" && got.Detail != "" || strings.Join(w.asked, ", ") != x.asked {
			t.Errorf("%d: %s: %s, after %q; want %s: %s", i, got.State, got.Detail, w.asked, x.state, x.detail)
		}
		now = now.Add(maxBackoff)
	}
	if size, err := log.SizeFor(t.Context(), peer.Key.String()); size != 1 || err != nil {
		t.Errorf("%d entries are cosigned, %v", size, err)
	}
	w.asked = nil
	if err := s.Round(t.Context()); err != nil || len(w.asked) > 0 {
		t.Errorf("a cosigned checkpoint was sent again: %q, %v", w.asked, err)
	}
	now = now.Add(resendInterval)
	if err := s.Round(t.Context()); err != nil || len(w.asked) != 1 || !strings.Contains(s.Status()[0].Detail, "its clock differs from this one by 1h5m0s") {
		t.Errorf("after an hour: %q, %+v, %v", w.asked, s.Status(), err)
	}
	now, w.answer = now.Add(resendInterval), func(http.ResponseWriter, string, string) { panic("x") }
	before := now
	if err := s.Round(t.Context()); err != nil || now == before {
		t.Errorf("a panic: %v", err)
	}
	if _, err := log.Checkpoint(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAFailingWitnessIsAskedLessOften: the time until the next request doubles, up to 5
// minutes.
func TestAFailingWitnessIsAskedLessOften(t *testing.T) {
	_, log := open(t)
	now := time.Now()
	w := &scripted{signer: testSigner(t), answer: status(500, "text/plain", "")}
	s := New(Options{Log: log, Witnesses: []Witness{{w.signer.Verifier(), "http://w"}}, Logger: slog.New(slog.DiscardHandler), Transport: w, Now: func() time.Time { return now }})
	begin, asked := now, []string{}
	for now.Sub(begin) < 20*time.Minute {
		before := len(w.asked)
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(w.asked) > before {
			asked = append(asked, now.Sub(begin).String())
		}
		now = now.Add(roundInterval)
	}
	if got := strings.Join(asked, " "); got != "0s 5s 15s 35s 1m15s 2m35s 5m15s 10m15s 15m15s" {
		t.Errorf("asked after %s", got)
	}
}

// failing is a log that fails.
type failing struct{ *translog.Log }

func (failing) SizeFor(context.Context, string) (uint64, error) { return 0, errors.New("x") }

func TestALogThatFailsAsksNobody(t *testing.T) {
	_, log := open(t)
	w := &scripted{signer: testSigner(t)}
	s := New(Options{Log: failing{log}, Witnesses: []Witness{{w.signer.Verifier(), "http://w"}}, Logger: slog.New(slog.DiscardHandler), Transport: w})
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Round(ctx); err == nil || len(w.asked) > 0 {
		t.Errorf("%v, %q", err, w.asked)
	}
	cancel()
	s.Run(ctx) // ends
}

func testSigner(t *testing.T) *cosignature.Signer {
	t.Helper()
	s, err := cosignature.NewSigner("example.org/w", ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAWitnessIsAKeyAndAURL(t *testing.T) {
	key := testSigner(t).Verifier().String()
	if w, err := Parse(" " + key + "  https://w.example.org/x/ "); err != nil || w.URL != "https://w.example.org/x" || w.Key.String() != key {
		t.Errorf("%+v, %v", w, err)
	}
	for text, want := range map[string]string{
		key:                        "a verifier key, a space and a URL",
		key + " x y":               "a verifier key, a space and a URL",
		"w+x https://w":            "is not the verifier key",
		key + " w.example.org":     "is not the URL",
		key + " ftp://w":           "is not the URL",
		key + " https://a:b@w":     "is not the URL",
		key + " https://w?x":       "is not the URL",
		key + " https://w#x":       "is not the URL",
		key + " https://%zz":       "is not the URL",
		fmt.Sprint(key, " https:"): "is not the URL",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
