package translog

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

func open(t testing.TB, path string) *engine.Store {
	t.Helper()
	s, err := engine.Open(path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fill appends n entries, and returns the last.
func fill(t testing.TB, s *engine.Store, n int) (last journal.Entry) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *engine.Tx) (err error) {
		for i := range n {
			last = journal.Entry{Action: journal.Insert, Actor: "ari", RequestID: fmt.Sprint(i), Secret: journal.NewSecret()}
			last.Commitment = last.Secret.Content().Commit([]byte("content"))
			err = errors.Join(err, tx.Journal(last))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return last
}

// checkpoint returns the tree of a checkpoint that Go's libraries have verified.
func checkpoint(t testing.TB, l *Log, s *engine.Store) (name string, tree tlog.Tree) {
	t.Helper()
	signed, err := l.Checkpoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key, err := KeyOf(s)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, key, signed)
}

func opened(t testing.TB, key string, signed []byte) (name string, tree tlog.Tree) {
	t.Helper()
	verifier, err := note.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		t.Fatal(err)
	}
	var root string
	if _, err := fmt.Sscanf(n.Text, "%s\n%d\n%s\n", &name, &tree.N, &root); err != nil || name != verifier.Name() {
		t.Fatalf("%q: %v", n.Text, err)
	}
	b, err := base64.StdEncoding.DecodeString(root)
	if err != nil {
		t.Fatal(err)
	}
	tree.Hash = tlog.Hash(b)
	return name, tree
}

// tiles serves a log's tiles to Go's checksum database client.
type tiles struct {
	t   testing.TB
	log *Log
}

func (tiles) Height() int                     { return 8 }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
func (r tiles) ReadTiles(list []tlog.Tile) (out [][]byte, err error) {
	for _, x := range list {
		b, err := r.log.Tile(r.t.Context(), x.L, uint64(x.N), x.W)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// TestGoReadsTheLog proves entries with golang.org/x/mod, and finds each in its bundle.
func TestGoReadsTheLog(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	fill(t, s, 600)
	name, tree := checkpoint(t, l, s)
	if !strings.HasPrefix(name, "segraph/") || tree.N != 601 {
		t.Errorf("%s, %d", name, tree.N)
	}
	reader := tlog.TileHashReader(tree, tiles{t, l})
	for _, n := range []int64{0, 255, 256, 600} {
		proof, err := tlog.ProveRecord(tree.N, n, reader)
		if err != nil {
			t.Fatal(err)
		}
		bundle, err := l.Entries(t.Context(), uint64(n/256), min(256, int(tree.N-n/256*256)))
		if err != nil {
			t.Fatal(err)
		}
		for range n % 256 {
			bundle = bundle[2+binary.BigEndian.Uint16(bundle):]
		}
		entry := bundle[2 : 2+binary.BigEndian.Uint16(bundle)]
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, n, tlog.RecordHash(entry)); err != nil {
			t.Errorf("entry %d: %v", n, err)
		}
	}
	for _, level := range []int{0, 8, 1 << 60, math.MaxInt, -1} {
		if _, err := l.Tile(t.Context(), level, 9, 1); !errors.Is(err, ErrNotFound) {
			t.Errorf("a tile of level %d that is not there: %v", level, err)
		}
	}
	if _, err := l.Entries(t.Context(), 2, 256); !errors.Is(err, ErrNotFound) {
		t.Errorf("a bundle that is not there: %v", err)
	}
}

// TestARobotVerifiesAReceiptAlone runs the program of the documentation.
func TestARobotVerifiesAReceiptAlone(t *testing.T) {
	suite.NotShort(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		suite.Missing(t, "no python3, which runs the program of the documentation")
	}
	program, err := filepath.Abs("../../../docs/evidence/verify_receipt.py")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if lines := bytes.Count(text, []byte("\n")); err != nil || lines > 75 {
		t.Errorf("the program has %d lines, %v", lines, err)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > 121 {
			t.Errorf("the program has a line of %d columns: %s", len(line)-1, line)
		}
	}
	folder := t.TempDir()
	s := open(t, filepath.Join(folder, "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key", Origin: "example.org/log"})
	fill(t, s, 5)
	receipt, err := l.Receipt(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	key, err := KeyOf(s)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(receipt.Proof); n > 3000 {
		t.Errorf("the receipt has %d bytes", n)
	}
	other, _, err := signerOf("example.org/log", ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	body, _, _ := strings.Cut(receipt.Proof[strings.Index(receipt.Proof, "\n\n")+2:], "\n\n")
	forged, err := note.Sign(&note.Note{Text: body + "\n"}, other)
	if err != nil {
		t.Fatal(err)
	}
	change := func(from, to string) string { return strings.Replace(receipt.Proof, from, to, 1) }
	hash := strings.Split(receipt.Proof, "\n")[3]
	extra := strings.Split(receipt.Proof, "\n")[1]
	var cases []map[string]any
	for _, x := range []struct{ name, proof, content, want string }{
		{"as received", receipt.Proof, "content", "good"},
		{"another content", receipt.Proof, "Content", "another content"},
		{"another index", change("index 2", "index 3"), "content", "does not have"},
		{"an index outside", change("index 2", "index 9"), "content", "not in the log"},
		{"a changed hash", change(hash, base64.StdEncoding.EncodeToString(make([]byte, 32))), "content", "does not have"},
		{"a changed entry", change(extra, extra[:80]+"AAAA"+extra[84:]), "content", "does not have"},
		{"a smaller tree", change("\nexample.org/log\n6\n", "\nexample.org/log\n5\n"), "content", "signature"},
		{"another key's note", receipt.Proof[:strings.Index(receipt.Proof, "\n\n")+2] + string(forged), "content", "signature"},
	} {
		cases = append(cases, map[string]any{"name": x.name, "content": x.content, "want": x.want,
			"answer": map[string]any{"receipt": x.proof, "salt": receipt.Salt, "open": receipt.Open}})
	}
	for name, change := range map[string]func(o *journal.Opened){
		"another sender": func(o *journal.Opened) { o.Values[0] = "eve" },
		"a claimed user": func(o *journal.Opened) { o.Values[1] = "maria" },
		"another salt":   func(o *journal.Opened) { o.Salt[0] ^= 1 },
		"a value more":   func(o *journal.Opened) { o.Values = append(o.Values, "") },
		"values in one":  func(o *journal.Opened) { o.Values = []string{"ari\n\n\n\n\n\n\n"} },
	} {
		who := &journal.Opened{Salt: slices.Clone(receipt.Open.Who.Salt), Values: slices.Clone(receipt.Open.Who.Values)}
		change(who)
		cases = append(cases, map[string]any{"name": name, "content": "content", "want": "another sender",
			"answer": map[string]any{"receipt": receipt.Proof, "salt": receipt.Salt, "open": journal.Open{Who: who}}})
	}
	cases = append(cases, map[string]any{"name": "without the sender", "content": "content", "want": "good",
		"answer": map[string]any{"receipt": receipt.Proof, "salt": receipt.Salt}})
	part := journal.Entry{Action: journal.Insert, Part: 1, Bytes: "0+7", Secret: journal.NewSecret()}
	part.Commitment = part.Secret.Content().Commit([]byte("content"))
	if err := s.Update(t.Context(), func(tx *engine.Tx) error { return tx.Journal(part) }); err != nil {
		t.Fatal(err)
	}
	first, err := l.Receipt(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{"content": "good", "content of all": "only of the bytes 0+7", "Content": "another content", "conten": "only of the bytes"} {
		cases = append(cases, map[string]any{"name": "a part and " + content, "content": content, "want": want, "answer": map[string]any{"receipt": first.Proof, "salt": first.Salt}})
	}
	input, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	// One process verifies all, as the program does with each.
	driver := "import json, sys, verify_receipt as v\n" +
		"for c in json.load(sys.stdin):\n" +
		"  try: v.verify(sys.argv[1], c['answer'], c['content'].encode()); print('good')\n" +
		"  except AssertionError as e: print(e)\n"
	run := exec.Command(python, "-B", "-c", driver, key)
	run.Dir, run.Stdin = filepath.Dir(program), bytes.NewReader(input)
	out, err := run.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(cases) {
		t.Fatalf("%v, %s", err, out)
	}
	for i, x := range cases {
		if !strings.Contains(lines[i], x["want"].(string)) {
			t.Errorf("%s: %s; want %s", x["name"], lines[i], x["want"])
		}
	}
	answer, err := json.Marshal(cases[0]["answer"])
	file, content := filepath.Join(folder, "answer.json"), filepath.Join(folder, "log.ttl")
	if err = errors.Join(err, os.WriteFile(file, answer, 0o600), os.WriteFile(content, []byte("content"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-B", program, key, file, content).CombinedOutput(); err != nil || !bytes.Contains(out, []byte("'actor': 'ari'")) {
		t.Errorf("%v, %s", err, out)
	}
	// python -O skips the statement assert.
	if err := os.WriteFile(content, []byte("Content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-B", "-O", program, key, file, content).CombinedOutput(); err == nil || !strings.HasSuffix(string(out), "not verified: the entry is of another content\n") {
		t.Errorf("with another content: %v, %s", err, out)
	}
}

// TestAnOriginEndsWithItsKeyOrARestore checks that no origin has two histories.
func TestAnOriginEndsWithItsKeyOrARestore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	key := path + ".key"
	begin := func(o Options) (name string, n int64, former string) {
		t.Helper()
		s := open(t, path)
		defer s.Close()
		fill(t, s, 1)
		o.KeyFile = key
		name, tree := checkpoint(t, New(s, o), s)
		err := s.View(func(snap *engine.Snapshot) error {
			e, err := journal.Get(snap.KV(), uint64(tree.N))
			former = e.Former
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return name, tree.N, former
	}
	first, n, former := begin(Options{})
	if n != 2 || former != "" {
		t.Errorf("the first has %d entries after %q", n, former)
	}
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info, err)
	}
	if again, n, _ := begin(Options{}); again != first || n != 3 {
		t.Errorf("after a restart %s with %d entries", again, n)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	second, n, former := begin(Options{})
	if second == first || n != 5 || !strings.HasPrefix(former, first+"\n3\n") { // the last signed one
		t.Errorf("without its key: %s with %d entries after %q", second, n, former)
	}
	retire := func() {
		t.Helper()
		s := open(t, path)
		if err := errors.Join(Retire(t.Context(), s), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	retire()
	if third, _, former := begin(Options{}); third == second || !strings.HasPrefix(former, second+"\n") {
		t.Errorf("after a restore: %s after %q", third, former)
	}
	own, _, _ := begin(Options{Origin: "example.org/log"})
	retire()
	next, _, _ := begin(Options{Origin: "example.org/log"})
	if own != "example.org/log" || !strings.HasPrefix(next, own+"/") {
		t.Errorf("with a name: %s, then %s", own, next)
	}
	if same, _, _ := begin(Options{Origin: "example.org/log"}); same != next {
		t.Errorf("after another restart: %s, and it was %s", same, next)
	}
	retire() // of a backup that was made before the log got this name
	if other, _, _ := begin(Options{Origin: "example.org/other"}); !strings.HasPrefix(other, "example.org/other/") {
		t.Errorf("with another name, after a restore: %s", other)
	}
	path = filepath.Join(t.TempDir(), "y.db")
	retire() // of a backup that was made before the log had a name
	if other, _, _ := begin(Options{Origin: "example.org/log"}); !strings.HasPrefix(other, "example.org/log/") {
		t.Errorf("after a restore of a file without a name: %s", other)
	}
}

func TestKeysThatCannotSignAreRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	for _, key := range []string{"x", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := New(s, Options{Key: key}).Checkpoint(t.Context()); err == nil || !strings.Contains(err.Error(), "signing key") {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, err := New(s, Options{KeyFile: s.Path() + ".key"}).Receipt(t.Context(), 9); !errors.Is(err, ErrBehind) {
		t.Errorf("a receipt of no entry: %v", err)
	}
}

// TestReceiptsOfOneMomentShareACheckpoint asks for many at once, while others write.
func TestReceiptsOfOneMomentShareACheckpoint(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	fill(t, s, 20)
	var work sync.WaitGroup
	signed := make([]string, 20)
	for i := range signed {
		work.Go(func() {
			r, err := l.Receipt(t.Context(), uint64(i+1))
			if err != nil {
				t.Error(err)
			}
			_, signed[i], _ = strings.Cut(r.Proof, "\n\n")
		})
	}
	work.Wait()
	for _, one := range signed {
		if one != signed[0] {
			t.Errorf("two checkpoints:\n%s%s", one, signed[0])
		}
	}
}

// Caches keep tiles, so they wait for the disk as a checkpoint does, as long as their reader. For what waiting means, see
// TestStoredIsWhatTheDiskHas of package engine.
func TestTilesWaitForTheDisk(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "x.db"))
	l := New(s, Options{KeyFile: s.Path() + ".key"})
	fill(t, s, 3)
	gone, end := context.WithCancel(t.Context())
	end()
	for ctx, want := range map[context.Context]error{t.Context(): nil, gone: context.Canceled} {
		_, err := l.Tile(ctx, 0, 0, 3)
		_, err2 := l.Entries(ctx, 0, 3)
		if !errors.Is(err, want) || !errors.Is(err2, want) {
			t.Errorf("%v, %v, want %v", err, err2, want)
		}
	}
}

// TestSignedTilesAreReadAfterWritingHasStopped: that is when others save the log.
func TestSignedTilesAreReadAfterWritingHasStopped(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	l := New(s, Options{KeyFile: filepath.Join(t.TempDir(), "key")})
	fill(t, s, 3)
	_, tree := checkpoint(t, l, s)
	fill(t, s, 1)
	if err := s.Update(t.Context(), func(*engine.Tx) error { panic("a test") }); err == nil || s.Ready(t.Context()) == nil {
		t.Fatalf("writing has not stopped: %v", err)
	}
	for more, want := range []bool{true, false} {
		_, hashes := l.Tile(t.Context(), 0, 0, int(tree.N)+more)
		_, entries := l.Entries(t.Context(), 0, int(tree.N)+more)
		if (hashes == nil) != want || (entries == nil) != want {
			t.Errorf("with %d entries after the checkpoint: %v, %v", more, hashes, entries)
		}
	}
}
