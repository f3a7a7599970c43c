package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/log/witness"
)

// party is a service with a log, and the witness of another party.
type party struct {
	*fixture
	t         testing.TB
	path      string
	key, vkey string // verifier keys of the log and of the witness
	file      *engine.Store
	witness   *witness.Witness
	sender    *cosigners.Sender
	other     *party
	clock     *time.Time // of both
}

// pair returns two services that are the witnesses of each other.
func pair(t testing.TB) (a, b *party) {
	t.Helper()
	a, b = &party{t: t, path: filepath.Join(t.TempDir(), "a.db")}, &party{t: t, path: filepath.Join(t.TempDir(), "b.db")}
	clock := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	a.other, b.other, a.clock, b.clock = b, a, &clock, &clock
	for _, p := range []*party{a, b} {
		_, err := p.open().Checkpoint(t.Context())
		var kerr, werr error
		p.key, kerr = translog.KeyOf(p.file)
		p.vkey, werr = witness.KeyIn(p.path + ".witness")
		if err = errors.Join(err, kerr, werr, p.file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	a.start()
	b.start()
	return a, b
}

func (p *party) open() *translog.Log {
	p.t.Helper()
	var err error
	if p.file, err = engine.Open(p.path, engine.Options{}); err != nil {
		p.t.Fatal(err)
	}
	file := p.file
	p.t.Cleanup(func() { file.Close() })
	return translog.New(p.file, translog.Options{KeyFile: p.path + ".key"})
}

// RoundTrip sends a request of the party to the other one.
func (p *party) RoundTrip(r *http.Request) (*http.Response, error) {
	in := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), r.Body)
	in.Header = r.Header
	w := httptest.NewRecorder()
	p.other.Handler().ServeHTTP(w, in)
	return w.Result(), nil
}

func (p *party) start() {
	p.t.Helper()
	log := p.open()
	key, err := cosignature.NewVerifier(p.other.vkey)
	if err != nil {
		p.t.Fatal(err)
	}
	logger := logs.New(logs.Options{Name: "stderr"}).Logger("segraph.witness")
	now := func() time.Time { return *p.clock }
	if p.witness, err = witness.Open(witness.Options{Path: p.path + ".witness", Logs: []string{p.other.key}, Log: logger, Now: now}); err != nil {
		p.t.Fatal(err)
	}
	p.sender = cosigners.New(cosigners.Options{Log: log, Logger: logger, Transport: p, Now: now,
		Witnesses: []cosigners.Witness{{Key: key, URL: "http://example.com"}}})
	p.fixture = newService(p.t, func(c *settings) { c.Translog, c.Witness, c.Witnesses = log, p.witness, p.sender.Status })
}

// stop stops the party and returns its file.
func (p *party) stop() []byte {
	p.t.Helper()
	err := p.file.Close()
	file, rerr := os.ReadFile(p.path)
	if err = errors.Join(err, rerr); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// restart starts the party again, with a file that was copied before.
func (p *party) restart(file []byte) {
	p.t.Helper()
	if err := os.WriteFile(p.path, file, 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.start()
}

func (p *party) write(n int, detail string) {
	p.t.Helper()
	err := p.file.Update(p.t.Context(), func(tx *engine.Tx) (err error) {
		for range n {
			err = errors.Join(err, tx.Journal(journal.Entry{Action: journal.Insert, Actor: "ari", Detail: detail}))
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// round sends a checkpoint, and compares what the party and its witness then say. "" means
// that all is well.
func (p *party) round(what, own, doubt string) {
	p.t.Helper()
	*p.clock = p.clock.Add(10 * time.Minute) // a witness that failed is asked again
	if err := p.sender.Round(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	s, w := p.sender.Status()[0], p.other.witness.Status()[0]
	state := cosigners.Contradicts
	if own == "" {
		state = cosigners.Agrees
	}
	if s.State != state || !strings.Contains(s.Detail, own) || own == "" && s.Detail+s.Warning != "" {
		p.t.Errorf("%s: the log says %s: %s %s, want %s", what, s.State, s.Detail, s.Warning, own)
	}
	if (w.Doubt == nil) != (doubt == "") || w.Doubt != nil && !strings.Contains(w.Doubt.Detail, doubt) {
		p.t.Errorf("%s: the witness says %+v, want %s", what, w.Doubt, doubt)
	}
}

// scriptedWitness answers as the request says.
type scriptedWitness struct{}

func (scriptedWitness) Add(_ context.Context, request []byte) (string, error) {
	switch string(request) {
	case "size":
		return "", &witness.SizeError{Size: 7}
	case "busy":
		return "", &witness.RefusalError{Reason: witness.Busy, Detail: "x"}
	case "false":
		return "", &witness.RefusalError{Reason: witness.Inconsistent, Detail: "x"}
	case "unsigned":
		return "", &witness.RefusalError{Reason: witness.Forbidden, Detail: "x"}
	case "signed":
		return "line\n", nil
	}
	return "", errors.New("x")
}

func (scriptedWitness) Checkpoint(string) (string, bool) { return "checkpoint", true }
func (scriptedWitness) Status() []witness.Status         { return nil }

// TestTwoServersAreEachOthersWitnesses: each notices when the file of the other one is
// rolled back to an earlier copy, and when it is rewritten with the right key.
func TestTwoServersAreEachOthersWitnesses(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	for _, p := range []*party{a, b} {
		p.write(5, "")
		p.round("at first", "", "")
	}
	for _, p := range []*party{a, b} {
		backup := p.stop()
		p.restart(backup)
		p.round("after a restart", "", "")
		p.write(4, "true")
		p.round("after more", "", "")
		current := p.stop()

		p.restart(backup)
		p.round("rolled back", "has only 6: its file was rolled back", "it showed 6 entries after 10: its file was rolled back")
		p.write(9, "false")
		p.round("rolled back and longer", "does not continue", "rolled back") // the first doubt stays
		p.stop()

		p.restart(current)
		p.write(1, "true")
		p.round("put right", "", "")
		current = p.stop()

		p.restart(backup)
		p.write(5, "false")
		p.round("rewritten, as long as before", "does not continue", "two histories with 11 entries")
		p.write(1, "false")
		p.round("rewritten, longer", "does not continue", "two histories")
		p.stop()

		p.restart(current)
		p.write(1, "true")
		p.round("put right again", "", "two histories") // that was proven, and stays
	}
}

// TestAWitnessThatIsRolledBackIsNoticed copies back the file of the witness's record.
func TestAWitnessThatIsRolledBackIsNoticed(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	a.write(3, "")
	a.round("at first", "", "")
	record, err := os.ReadFile(b.path + ".witness")
	if err != nil {
		t.Fatal(err)
	}
	a.write(3, "")
	a.round("later", "", "")
	database := b.stop()
	if err := os.WriteFile(b.path+".witness", record, 0o600); err != nil {
		t.Fatal(err)
	}
	b.restart(database)
	a.write(1, "")
	if err := a.sender.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := a.sender.Status()[0]; s.State != cosigners.Agrees || !strings.Contains(s.Warning, "last cosigned 4 entries, but it had cosigned 7") {
		t.Errorf("%+v", s)
	}
}

// TestCosignaturesAreServed reads the checkpoint and a receipt with Go's library for notes,
// and the witness's copy of the checkpoint.
func TestCosignaturesAreServed(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	a.write(3, "")
	a.round("at first", "", "")
	keys := make([]note.Verifier, 2)
	var err, werr error
	keys[0], err = note.NewVerifier(a.key)
	keys[1], werr = cosignature.NewVerifier(b.vkey)
	if err = errors.Join(err, werr); err != nil {
		t.Fatal(err)
	}
	signatures := func(p *party, path string) (text string, n int) {
		t.Helper()
		w := p.do(t, call{method: "GET", path: path, token: p.token(t, auth.Auditor)})
		opened, err := note.Open(w.Body.Bytes(), note.VerifierList(keys...))
		if err != nil {
			t.Fatalf("%s: %d %s: %v", path, w.Code, w.Body, err)
		}
		return opened.Text, len(opened.Sigs)
	}
	receipt := func(seq uint64) (signed string, n int) {
		t.Helper()
		r, err := a.config.Translog.Receipt(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		_, signed, _ = strings.Cut(r.Proof, "\n\n")
		opened, err := note.Open([]byte(signed), note.VerifierList(keys...))
		if err != nil {
			t.Fatal(err)
		}
		return opened.Text, len(opened.Sigs)
	}
	sum := sha256.Sum256([]byte(keys[0].Name()))
	text, n := signatures(a, "/log/checkpoint")
	copied, m := signatures(b, "/witness/"+hex.EncodeToString(sum[:])+"/checkpoint")
	of, k := receipt(2)
	if n != 2 || m != 2 || k != 2 || text != copied || text != of || !strings.Contains(text, "\n4\n") {
		t.Errorf("%q with %d signatures, the witness's %q with %d, the receipt's %q with %d", text, n, copied, m, of, k)
	}
	a.write(3, "")
	if _, n := signatures(a, "/log/checkpoint"); n != 2 {
		t.Errorf("while the log grows, the checkpoint has %d signatures", n)
	}
	if text, n := receipt(6); n != 1 || !strings.Contains(text, "\n7\n") {
		t.Errorf("an entry that is not cosigned yet: %q with %d signatures", text, n)
	}
	a.restart(a.stop())
	if text, n := receipt(3); n != 2 || text != of {
		t.Errorf("after a restart: %q with %d signatures", text, n)
	}
	if text, n := signatures(a, "/log/checkpoint"); n != 1 || !strings.Contains(text, "\n7\n") {
		t.Errorf("after a restart, the checkpoint is %q with %d signatures", text, n)
	}
}

// TestTheWitnessAnswersWithTheStatusesOfTheStandard has a request for each.
func TestTheWitnessAnswersWithTheStatusesOfTheStandard(t *testing.T) {
	t.Parallel()
	a, b := pair(t)
	newest := func() string {
		t.Helper()
		return a.do(t, call{method: "GET", path: "/log/checkpoint", token: a.token(t, auth.Auditor)}).Body.String()
	}
	a.write(3, "")
	before := newest()
	a.round("at first", "", "")
	text, _, _ := strings.Cut(before, "\n\n")
	root := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for _, x := range []struct {
		what, body, kind string
		status           int
		answer           string
	}{
		{"the same again", "old 4\n\n" + before, "text/plain; charset=utf-8", 200, "\u2014 segraph/witness/"},
		{"another size", "old 0\n\n" + before, "text/x.tlog.size", 409, "4\n"},
		{"no request", before, "application/problem+json", 400, "old 20"},
		{"a larger old size", "old 5\n\n" + before, "application/problem+json", 400, "larger"},
		{"another log", "old 4\n\nx" + before, "application/problem+json", 404, "does not witness"},
		{"no signature", "old 4\n\n" + text + "\n\n\u2014 x AAAAAAAA\n", "application/problem+json", 403, "no signature"},
		{"a wrong signature", "old 4\n\n" + strings.Replace(before, "\n4\n", "\n5\n", 1), "application/problem+json", 403, "does not verify"},
		{"a proof of nothing", "old 4\n" + root + "\n\n" + before, "application/problem+json", 422, "does not continue"},
		{"too long", "old 4\n" + strings.Repeat(root+"\n", 1500) + "\n" + before, "application/problem+json", 413, "65536"},
	} {
		w := b.do(t, call{method: "POST", path: "/add-checkpoint", body: x.body, contentType: "text/plain"})
		if w.Code != x.status || w.Header().Get("Content-Type") != x.kind || !strings.Contains(w.Body.String(), x.answer) {
			t.Errorf("%s: %d %s %s", x.what, w.Code, w.Header().Get("Content-Type"), w.Body)
		}
	}
	if w := b.do(t, call{method: "GET", path: "/witness/00/checkpoint"}); w.Code != 404 {
		t.Errorf("an unknown log: %d %s", w.Code, w.Body)
	}
	none := newService(t, func(c *settings) { c.Witness = nil })
	for _, c := range []call{{method: "POST", path: "/add-checkpoint", body: "x"}, {method: "GET", path: "/witness/00/checkpoint"}} {
		if w := none.do(t, c); w.Code != 404 || !strings.Contains(w.Body.String(), "SEGRAPH_WITNESS_OF") {
			t.Errorf("no witness: %d %s", w.Code, w.Body)
		}
	}
}
