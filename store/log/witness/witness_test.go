package witness

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/segraph/segraph/store/log/cosignature"
)

func TestOnlyWhatContinuesTheLastCheckpointIsCosigned(t *testing.T) {
	l := newLog(t, "example.org/log")
	w := openWitness(t, filepath.Join(t.TempDir(), "w"), start(), l.key)
	zero := l.fork(0)
	l.grow(4, "true")
	early := l.fork(4)
	false4 := l.fork(2).grow(2, "false")
	body := l.request(0)
	_, signed, _ := strings.Cut(body, "\n\n")
	hash := base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\n"
	empty := strings.Replace(zero.text(), zero.text()[strings.Index(zero.text(), "\n0\n")+3:], hash, 1)
	for i, x := range []struct{ body, want string }{
		{"", "malformed: the body"},
		{"old 0\n" + signed, "malformed"},
		{"new 0\n\n" + signed, "malformed: the body"},
		{"old 00\n\n" + signed, "malformed: the old size"},
		{"old -1\n\n" + signed, "malformed: the old size"},
		{"old 9223372036854775808\n\n" + signed, "malformed: the old size"},
		{"old 0\nx\n\n" + signed, "malformed: line 1 of the proof"},
		{"old 0\n" + strings.Repeat(hash, 64) + "\n" + signed, "malformed: the proof has more than 63"},
		{"old 0\n\n" + strings.Repeat(signed, 500), "malformed: the body"},
		{"old 0\n\n" + l.signer.Name() + "\n", "malformed: the checkpoint is not a signed note"},
		{"old 0\n\n" + l.sign(l.signer.Name()+"\n4\n"), "malformed: the checkpoint has fewer than three lines"},
		{"old 0\n\n" + l.sign(l.signer.Name()+"\n04\n"+hash), "malformed: the checkpoint: \"04\""},
		{"old 0\n\n" + l.sign(l.signer.Name()+"\n4\nAAAA\n"), "malformed: the checkpoint: \"AAAA\""},
		{"old 5\n\n" + signed, "malformed: the old size 5"},
		{newLog(t, "example.org/other").grow(1, "").request(0), "unknown"},
		{"old 0\n\n" + strings.Replace(signed, "\n4\n", "\n5\n", 1), "forbidden: the signature"},
		{"old 0\n\n" + strings.ReplaceAll(signed, "\u2014 example", "\u2014 a.example"), "forbidden: the checkpoint has no signature"},
		{"old 0\n\n" + l.sign(empty), "inconsistent: the checkpoint has no entries"},
		{"old 0\n" + hash + "\n" + signed, "inconsistent: nothing was cosigned"},
		{l.request(1), "0"},
		{zero.request(0), "ok"},
		{zero.request(0), "ok"},
		{body, "ok"},
		{body, "4"},
		{l.request(4), "ok"}, // the same again
		{"old 4\n" + hash + "\n" + signed, "inconsistent"},
		{false4.request(4), "inconsistent"},
		{l.fork(2).request(2), "4"},
		{false4.fork(4).grow(3, "false").request(4), "inconsistent"},
		{l.grow(3, "true").request(3), "4"},
		{l.request(4), "ok"},
		{early.request(4), "7"},
		{l.grow(1, "true").request(7), "ok"},
	} {
		if got := outcome(w.Add(t.Context(), []byte(x.body))); !strings.HasPrefix(got, x.want) {
			t.Errorf("%d: %s, want %s, of %.300q", i, got, x.want, x.body)
		}
	}
}

// TestACosignatureSurvivesARestart verifies the line. A witness that was started again
// has the same key and knows what it signed.
func TestACosignatureSurvivesARestart(t *testing.T) {
	l := newLog(t, "example.org/log").grow(3, "true")
	path, c := filepath.Join(t.TempDir(), "x.db.witness"), start()
	key, err := KeyIn(path)
	if err != nil {
		t.Fatal(err)
	}
	w := openWitness(t, path, c, l.key)
	line, err := w.Add(t.Context(), []byte(l.request(0)))
	if err != nil || w.Key() != key {
		t.Fatalf("%v, %s and then %s", err, key, w.Key())
	}
	v, err := cosignature.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	if kept, at, err := v.Read([]byte(l.text()), line); err != nil || kept != line || !at.Equal(c.at) {
		t.Errorf("%q, %s, %v", kept, at, err)
	}
	if err := os.WriteFile(path+".new", []byte("half"), 0o600); err != nil { // as a kill may leave it
		t.Fatal(err)
	}
	w = openWitness(t, path, c, l.key)
	if got := outcome(w.Add(t.Context(), []byte(l.grow(1, "true").request(3)))); got != "ok" {
		t.Errorf("after a kill: %s", got)
	}
	if _, err := os.Stat(path + ".new"); err == nil {
		t.Error("the file of the process that was killed is still there")
	}
	w = openWitness(t, path, c, l.key)
	if got := outcome(w.Add(t.Context(), []byte(l.fork(2).grow(1, "false").request(0)))); got != "4" {
		t.Errorf("after a restart: %s", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if s := w.Status(); len(s) != 1 || s[0].Size != 4 || !s[0].Time.Equal(c.at) || s[0].Origin != "example.org/log" {
		t.Errorf("%+v", s)
	}
}

// TestNothingIsCosignedThatIsNotRecorded makes the record unwritable.
func TestNothingIsCosignedThatIsNotRecorded(t *testing.T) {
	l := newLog(t, "example.org/log").grow(3, "true")
	path := filepath.Join(t.TempDir(), "folder", "w")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	w := openWitness(t, path, start(), l.key)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if line, err := w.Add(t.Context(), []byte(l.request(0))); err == nil || line != "" {
		t.Errorf("%q, %v", line, err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := outcome(w.Add(t.Context(), []byte(l.request(0)))); got != "ok" {
		t.Errorf("once it can be written: %s", got)
	}
}

// TestOneOfManyRequestsAtOnceIsCosigned sends forks of one log at the same time.
// Comparing and recording must be one step.
func TestOneOfManyRequestsAtOnceIsCosigned(t *testing.T) {
	l := newLog(t, "example.org/log").grow(2, "true")
	w := openWitness(t, filepath.Join(t.TempDir(), "w"), start(), l.key)
	if got := outcome(w.Add(t.Context(), []byte(l.request(0)))); got != "ok" {
		t.Fatal(got)
	}
	var all sync.WaitGroup
	outcomes := make([]string, 8)
	for i := range outcomes {
		body := l.fork(2).grow(int64(i)+1, fmt.Sprint(i)).request(2)
		all.Go(func() { outcomes[i] = outcome(w.Add(t.Context(), []byte(body))) })
	}
	all.Wait()
	signed := 0
	for _, got := range outcomes {
		if got == "ok" {
			signed++
		}
	}
	if signed != 1 {
		t.Errorf("%q", outcomes)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w.turn <- struct{}{}
	if _, err := w.Add(ended, []byte(l.request(0))); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that is gone: %v", err)
	}
	for range maxWaiting {
		w.waiting <- struct{}{}
	}
	if got := outcome(w.Add(t.Context(), []byte(l.request(0)))); !strings.HasPrefix(got, "busy") {
		t.Errorf("many that wait: %s", got)
	}
}

// TestALogThatGrowsTooOftenMustWait limits how often a log makes the witness write.
func TestALogThatGrowsTooOftenMustWait(t *testing.T) {
	l, c := newLog(t, "example.org/log"), start()
	w := openWitness(t, filepath.Join(t.TempDir(), "w"), c, l.key)
	send := func() string { return outcome(w.Add(t.Context(), []byte(l.request(int64(w.Status()[0].Size))))) }
	for i := range maxBurst {
		l.grow(1, "true")
		if got := send(); got != "ok" {
			t.Fatalf("%d: %s", i, got)
		}
	}
	l.grow(1, "true")
	if got := send(); !strings.HasPrefix(got, "busy") {
		t.Errorf("too many: %s", got)
	}
	c.at = c.at.Add(time.Second)
	if got := send(); got != "ok" {
		t.Errorf("a second later: %s", got)
	}
}

// TestADoubtIsRecorded sends all kinds of contradictions. An unproven doubt ends when the
// log continues.
func TestADoubtIsRecorded(t *testing.T) {
	l := newLog(t, "example.org/log").grow(5, "true")
	path := filepath.Join(t.TempDir(), "w")
	w := openWitness(t, path, start(), l.key)
	doubt := func() string {
		w = openWitness(t, path, start(), l.key) // it outlives a restart
		if d := w.Status()[0].Doubt; d != nil {
			return fmt.Sprint(d.Proven, " ", d.Detail)
		}
		return ""
	}
	forked := l.fork(3)
	rewritten := l.fork(3).grow(4, "false")
	for i, x := range []struct{ body, want string }{
		{l.request(0), ""},
		{l.request(0), ""}, // as after a lost answer
		{forked.request(0), "false it showed 3 entries after 5"},
		{rewritten.request(5), "false it showed 3 entries after 5"}, // the first stays
		{l.grow(1, "true").request(5), ""},
		{rewritten.request(6), "false it showed 7 entries that do not continue the 6"},
		{l.fork(3).grow(3, "false").request(0), "true its key signed two histories with 6 entries"},
		{l.grow(1, "true").request(6), "true its key signed two histories with 6 entries"},
	} {
		_, _ = w.Add(t.Context(), []byte(x.body))
		if got := doubt(); !strings.HasPrefix(got, x.want) || x.want == "" && got != "" {
			t.Errorf("%d: %s, want %s", i, got, x.want)
		}
	}
	v, err := note.NewVerifier(l.key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := note.Open([]byte(w.Status()[0].Doubt.Checkpoint), note.VerifierList(v)); err != nil {
		t.Errorf("the proof has no signature of the log: %v", err)
	}
}

// TestAWitnessKnowsTheOldAndTheNewKeyOfALog shows how an operator rotates a witnessed
// log's key.
func TestAWitnessKnowsTheOldAndTheNewKeyOfALog(t *testing.T) {
	old := newLog(t, "example.org/log").grow(2, "true")
	rotated := *old
	key, err := note.NewEd25519VerifierKey("example.org/log", ed25519.NewKeyFromSeed([]byte(strings.Repeat("n", 32))).Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	private := "PRIVATE+KEY+example.org/log+" + strings.Split(key, "+")[1] + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, strings.Repeat("n", 32)...))
	if rotated.signer, err = note.NewSigner(private); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "w")
	w := openWitness(t, path, start(), old.key)
	if got := outcome(w.Add(t.Context(), []byte(old.request(0)))); got != "ok" {
		t.Fatal(got)
	}
	rotated.hashes = append([]tlog.Hash{}, old.hashes...)
	next := rotated.grow(1, "true").request(2)
	if got := outcome(w.Add(t.Context(), []byte(next))); !strings.HasPrefix(got, "forbidden") {
		t.Errorf("an unknown key: %s", got)
	}
	w = openWitness(t, path, start(), old.key, key)
	if got := outcome(w.Add(t.Context(), []byte(next))); got != "ok" || len(w.Status()) != 1 {
		t.Errorf("with both keys: %s, %+v", got, w.Status())
	}
}

func TestARecordThatCannotBeReadIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w")
	for _, text := range []string{"", "{", `{"name":"x","seed":"AAAA"}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := KeyIn(path); err == nil || !strings.Contains(err.Error(), "remove the file") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Open(Options{Path: path, Logs: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "verifier key of a log") {
		t.Errorf("a key that is none: %v", err)
	}
}
