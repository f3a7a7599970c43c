package translog

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/cosignature"
)

// testWitness returns a witness's signer. Every name has its own key.
func testWitness(name string) *cosignature.Signer {
	s, err := cosignature.NewSigner(name, ed25519.NewKeyFromSeed([]byte(fmt.Sprintf("%32s", name))))
	if err != nil {
		panic(err)
	}
	return s
}

// cosign has witnesses sign the newest checkpoint of a log.
func cosign(t testing.TB, l *Log, names ...string) Checkpoint {
	t.Helper()
	c, err := l.Send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var by []Cosignature
	for _, name := range names {
		w := testWitness(name)
		at := time.Unix(1e9, 0).UTC()
		by = append(by, Cosignature{By: w.Verifier().String(), Time: at, Lines: w.Line(c.Text(), at)})
	}
	if err := l.Keep(t.Context(), c, by); err != nil {
		t.Fatal(err)
	}
	return c
}

// signers verifies a signed checkpoint, and returns its size and its signers.
func signers(t testing.TB, s *engine.Store, signed []byte, names ...string) string {
	t.Helper()
	key, err := KeyOf(s)
	if err != nil {
		t.Fatal(err)
	}
	log, err := note.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	keys := []note.Verifier{log}
	for _, name := range names {
		keys = append(keys, testWitness(name).Verifier())
	}
	n, err := note.Open(signed, note.VerifierList(keys...))
	if err != nil {
		t.Fatalf("%s: %v", signed, err)
	}
	out := strings.Split(n.Text, "\n")[1]
	for _, sig := range n.Sigs {
		if sig.Name != log.Name() {
			out += " " + sig.Name
		}
	}
	return out
}

func shown(t testing.TB, l *Log, s *engine.Store) string {
	t.Helper()
	signed, err := l.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return signers(t, s, signed, "v", "w")
}

// TestReadersGetTheCheckpointThatWitnessesCosigned follows a reader of /log/checkpoint.
// To the reader, the log never shrinks.
func TestReadersGetTheCheckpointThatWitnessesCosigned(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	steps := []struct {
		do   func()
		want string
	}{
		{func() { cosign(t, l, "w") }, "1 w"},
		{func() { cosign(t, l, "v") }, "1 v w"}, // the same checkpoint, by one more witness
		{func() { fill(t, s, 3); l.at = time.Time{} }, "1 v w"},
		{func() { l.cosignedAt = l.cosignedAt.Add(-shownFor) }, "4"}, // too old, so readers get the newest
		{func() { fill(t, s, 3); l.at = time.Time{} }, "7"},
		{func() { cosign(t, l) }, "7"}, // no witness answered
		{func() { fill(t, s, 3); cosign(t, l, "w") }, "10 w"},
	}
	for i, x := range steps {
		x.do()
		if got := shown(t, l, s); got != x.want {
			t.Errorf("step %d: %s, want %s", i, got, x.want)
		}
	}
	fill(t, s, 1)
	c, err := l.Send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.cosignedAt = time.Time{}
	fill(t, s, 1)
	l.at = time.Time{}
	if got := shown(t, l, s); got != "11" {
		t.Errorf("while witnesses are asked: %s", got)
	}
	if err := l.Keep(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	if got := shown(t, l, s); got != "12" {
		t.Errorf("after they were asked: %s", got)
	}
}

// TestAReceiptHasTheCosignaturesSince: each entry's receipt has the checkpoint that most
// witnesses cosigned, also after a restart, but not once the log has another key.
func TestAReceiptHasTheCosignaturesSince(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s := open(t, path)
	l := New(s, Options{KeyFile: path + ".key"})
	receipt := func(seq uint64) string {
		t.Helper()
		r, err := l.Receipt(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		_, signed, _ := strings.Cut(r.Proof, "\n\n")
		return signers(t, s, []byte(signed), "v", "w")
	}
	fill(t, s, 1)
	cosign(t, l, "v", "w")
	fill(t, s, 1)
	cosign(t, l, "w")
	fill(t, s, 1)
	for range 2 {
		for seq, want := range map[uint64]string{1: "2 v w", 2: "2 v w", 3: "3 w", 4: "4"} {
			if got := receipt(seq); got != want {
				t.Errorf("entry %d: %s, want %s", seq, got, want)
			}
		}
		for name, want := range map[string]uint64{"v": 2, "w": 3, "x": 0} {
			if n, err := l.SizeFor(t.Context(), testWitness(name).Verifier().String()); n != want || err != nil {
				t.Errorf("%s cosigned %d, want %d, %v", name, n, want, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, path)
		l = New(s, Options{KeyFile: path + ".key"})
	}
	list, err := CosignedBy(s)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := Rotate(t.Context(), s, l.options, nil, "ari"); err != nil {
		t.Fatal(err)
	}
	l = New(s, l.options)
	if got := receipt(1); got != "5" {
		t.Errorf("with a new key: %s", got)
	}
	// An audit compares what each witness cosigned last, until it cosigns with the new key.
	for _, x := range []struct {
		by   []string
		want string
	}{{nil, "[v w] [w]"}, {[]string{"v"}, "[w] [v]"}, {[]string{"w"}, "[v w]"}} {
		if len(x.by) > 0 {
			cosign(t, l, x.by...)
		}
		list, err := CosignedBy(s)
		var got []string
		for _, c := range list {
			var by []string
			for _, cosignature := range c.Cosignatures {
				name, _, _ := strings.Cut(cosignature.By, "+")
				by = append(by, name)
			}
			slices.Sort(by)
			got = append(got, fmt.Sprint(by))
			err = errors.Join(err, Verify(s, c))
		}
		if strings.Join(got, " ") != x.want || err != nil {
			t.Errorf("after %v cosigned with the new key, the audit compares %q, want %s: %v", x.by, got, x.want, err)
		}
	}
}

// TestAnAuditComparesTheCosignedCheckpoints changes stored cosigned checkpoints.
func TestAnAuditComparesTheCosignedCheckpoints(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	fill(t, s, 3)
	cosign(t, l, "w")
	list, err := CosignedBy(s)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	fill(t, s, 300)
	w := testWitness("w")
	of := func(size int, root string) Cosigned {
		c := list[0]
		c.Size = uint64(size)
		c.Signed = fmt.Appendf(nil, "%s\n%d\n%s\n\nsignature\n", l.origin.Name, size, root)
		c.Cosignatures = []Cosignature{{By: w.Verifier().String(), Lines: w.Line(Checkpoint{Signed: c.Signed}.Text(), time.Now())}}
		return c
	}
	zeros := base64.StdEncoding.EncodeToString(make([]byte, 32))
	unsigned := list[0]
	unsigned.Signed = []byte(strings.Replace(string(unsigned.Signed), "\n4\n", "\n3\n", 1))
	for i, x := range []struct {
		c    Cosigned
		want string
	}{
		{list[0], ""},
		{of(4, zeros), "does not continue the 4 entries"},
		{of(500, zeros), "has 304 entries, and witnesses cosigned 500"},
		{unsigned, "a cosignature of w that is not valid"},
	} {
		if err := Verify(s, x.c); x.want == "" && err != nil || x.want != "" && (err == nil || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%d: %v, want %s", i, err, x.want)
		}
	}
}

// TestFewCosignedCheckpointsAreKept changes the witness often.
func TestFewCosignedCheckpointsAreKept(t *testing.T) {
	var list []Cosigned
	for i := range uint64(2 * maxCosigned) {
		list = lastOfEach(append(list, Cosigned{Size: i, Cosignatures: []Cosignature{{By: fmt.Sprint(i)}, {By: "w"}}}))
	}
	if len(list) != maxCosigned || list[0].Size != maxCosigned || list[maxCosigned-1].Size != 2*maxCosigned-1 {
		t.Errorf("%d, from %d", len(list), list[0].Size)
	}
}
