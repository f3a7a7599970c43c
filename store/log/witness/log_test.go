package witness

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// testLog is a log made with Go's checksum database library.
type testLog struct {
	t      testing.TB
	signer note.Signer
	key    string
	hashes []tlog.Hash
	size   int64
}

func (l *testLog) ReadHashes(indexes []int64) (out []tlog.Hash, err error) {
	for _, i := range indexes {
		out = append(out, l.hashes[i])
	}
	return out, nil
}

func newLog(t testing.TB, name string) *testLog {
	t.Helper()
	private, key, err := note.GenerateKey(zeros{}, name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return &testLog{t: t, signer: signer, key: key}
}

// zeros is a source of zeros: the keys of tests need no secret.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// grow adds entries.
func (l *testLog) grow(n int64, what string) *testLog {
	l.t.Helper()
	for range n {
		more, err := tlog.StoredHashes(l.size, fmt.Appendf(nil, "%s %d", what, l.size), l)
		if err != nil {
			l.t.Fatal(err)
		}
		l.hashes = append(l.hashes, more...)
		l.size++
	}
	return l
}

// fork returns a log with the first entries and the same key.
func (l *testLog) fork(n int64) *testLog {
	f := *l
	f.hashes, f.size = append([]tlog.Hash{}, l.hashes[:tlog.StoredHashCount(n)]...), n
	return &f
}

func (l *testLog) sign(text string) string {
	l.t.Helper()
	signed, err := note.Sign(&note.Note{Text: text}, l.signer)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(signed)
}

func (l *testLog) text() string {
	l.t.Helper()
	root, err := tlog.TreeHash(l.size, l)
	if err != nil {
		l.t.Fatal(err)
	}
	return fmt.Sprintf("%s\n%d\n%s\n", l.signer.Name(), l.size, base64.StdEncoding.EncodeToString(root[:]))
}

// request returns a request with the proof from an old size.
func (l *testLog) request(old int64) string {
	l.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "old %d\n", old)
	if old > 0 && old < l.size {
		proof, err := tlog.ProveTree(l.size, old, l)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, h := range proof {
			b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
		}
	}
	return b.String() + "\n" + l.sign(l.text())
}

// clock is a clock that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func openWitness(t testing.TB, path string, c *clock, keys ...string) *Witness {
	t.Helper()
	w, err := Open(Options{Path: path, Logs: keys, Log: slog.New(slog.DiscardHandler), Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func start() *clock { return &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)} }

// outcome returns "ok", the size that the witness has, or the reason for a refusal.
func outcome(_ string, err error) string {
	var size *SizeError
	var refused *RefusalError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &size):
		return fmt.Sprint(size.Size)
	case errors.As(err, &refused):
		return [...]string{"malformed", "forbidden", "unknown", "inconsistent", "busy"}[refused.Reason] + ": " + refused.Detail
	}
	return err.Error()
}
