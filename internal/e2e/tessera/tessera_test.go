// Package tessera checks that unmodified programs of other projects read the log of a running
// segraph: Tessera's client and its fsck, and the client of Go's checksum database. Each
// must notice a changed byte.
package tessera

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	logs     = 530 // so that the tree has two full tiles and a partial one
	patience = 60 * time.Second
)

// served is a running service, which the tests share.
var served struct {
	api string
	key note.Verifier
}

func TestMain(m *testing.M) {
	code := 1
	if err := run(func() { code = m.Run() }); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// run builds segraph and calls do while it serves a file with some logs.
func run(do func()) error {
	dir, err := os.MkdirTemp("", "segraph-tessera-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "segraph")
	build := exec.Command("go", "build", "-C", "../../..", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building segraph: %w\n%s", err, out)
	}
	stop, err := serve(binary, dir)
	if err != nil {
		return err
	}
	if _, err = get(served.api + "/log/checkpoint"); err == nil { // this makes the key
		err = stop()
	}
	if err != nil {
		return err
	}
	key := command(binary, dir, "audit", "key")
	out, err := key.Output()
	if err != nil {
		return fmt.Errorf("segraph audit key: %w", err)
	}
	if served.key, err = note.NewVerifier(strings.TrimSpace(string(out))); err != nil {
		return err
	}
	if stop, err = serve(binary, dir); err != nil {
		return err
	}
	for n := range logs {
		if err := publish(n); err != nil {
			return err
		}
	}
	do()
	return stop()
}

// command returns a command of the program in a folder, without settings of the environment.
func command(binary, dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SEGRAPH_") && !strings.HasPrefix(v, "SECRET_KEY") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return cmd
}

var listening = regexp.MustCompile(`(?m)^API +(http://\S+)$`)

// serve starts the service in a folder, and returns when it listens.
func serve(binary, dir string) (stop func() error, err error) {
	cmd := command(binary, dir, "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0", "--log-level", "warning")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	stop = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, out) // until it ends
		return cmd.Wait()
	}
	var said bytes.Buffer
	for line := make([]byte, 4096); ; {
		n, err := out.Read(line)
		said.Write(line[:n])
		if m := listening.FindSubmatch(said.Bytes()); m != nil {
			served.api = string(m[1])
			return stop, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the service does not listen: %w\n%s", err, &said)
		}
	}
}

// publish posts a log.
func publish(n int) error {
	body := fmt.Sprintf("<http://example.org/a> <http://example.org/b> %d .", n)
	a, err := http.Post(served.api+"/ttl?user=ari", "text/turtle", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if text, err := io.ReadAll(a.Body); err != nil || a.StatusCode != http.StatusCreated {
		return fmt.Errorf("POST /ttl: %d %s %w", a.StatusCode, text, err)
	}
	return nil
}

func get(url string) ([]byte, error) {
	a, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", url, a.Status)
	}
	return body, err
}

// changes lists what somebody may change on the way to the reader: one byte of the answer
// of one path.
var changes = []struct{ what, path string }{
	{"an entry of a full bundle", "/log/tile/entries/000"},
	{"an entry of the last bundle", "/log/tile/entries/002.p/"},
	{"a full tile", "/log/tile/0/001"},
	{"a tile above", "/log/tile/1/000.p/"},
	{"the last tile", "/log/tile/0/002.p/"},
	{"the checkpoint", "/log/checkpoint"},
}

// changed serves the service's answers with one byte changed.
func changed(t *testing.T, path string) (api string) {
	to, err := url.Parse(served.api)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Header.Del("Accept-Encoding") // to change the content, and not its compressed form
	}}
	proxy.ModifyResponse = func(a *http.Response) error {
		body, err := io.ReadAll(a.Body)
		if at := a.Request.URL.Path; err == nil && a.StatusCode == http.StatusOK && (at == path || strings.HasSuffix(path, "/") && strings.HasPrefix(at, path)) {
			body[len(body)/2] ^= 1
		}
		a.Body = io.NopCloser(bytes.NewReader(body))
		return err // the length is the same
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

func fetcher(t *testing.T, api string) *client.HTTPFetcher {
	root, err := url.Parse(api + "/log/")
	if err != nil {
		t.Fatal(err)
	}
	f, err := client.NewHTTPFetcher(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// leaves returns the hashes of the entries of a bundle.
func leaves(bundle []byte) (hashes [][]byte, err error) {
	var b api.EntryBundle
	err = b.UnmarshalText(bundle)
	for _, entry := range b.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
	}
	return hashes, err
}

// check lets Tessera's fsck read the whole log. With one worker, fsck would hang on a
// wrong tile.
func check(ctx context.Context, t *testing.T, api string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return fsck.New(served.key.Name(), served.key, fetcher(t, api), leaves, fsck.Opts{N: 4}).Check(ctx)
}

func TestTesserasFsckChecksTheLog(t *testing.T) {
	if err := check(t.Context(), t, served.api); err != nil {
		t.Error(err)
	}
	if err := check(t.Context(), t, changed(t, "nothing")); err != nil {
		t.Error("behind the proxy:", err)
	}
}

func TestTesserasFsckNoticesAChangedByte(t *testing.T) {
	for _, x := range changes {
		if err := check(t.Context(), t, changed(t, x.path)); err == nil {
			t.Errorf("%s was changed, and nobody noticed", x.what)
		}
	}
}

func TestTesserasClientProvesEntriesAndGrowth(t *testing.T) {
	f := fetcher(t, served.api)
	before, _, _, err := client.FetchCheckpoint(t.Context(), f.ReadCheckpoint, served.key, served.key.Name())
	if err != nil || before.Size < logs {
		t.Fatal(before, err)
	}
	proofs, err := client.NewProofBuilder(t.Context(), before.Size, f.ReadTile)
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []uint64{0, 255, 256, before.Size - 1} {
		p, err := proofs.InclusionProof(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		bundle, err := client.GetEntryBundle(t.Context(), f.ReadEntryBundle, index/256, before.Size)
		if err != nil {
			t.Fatal(err)
		}
		entry := bundle.Entries[index%256]
		if !json.Valid(entry[32:]) {
			t.Errorf("entry %d is %q", index, entry)
		}
		leaf := rfc6962.DefaultHasher.HashLeaf(entry)
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, before.Size, leaf, p, before.Hash); err != nil {
			t.Errorf("entry %d: %v", index, err)
		}
	}
	tracker, err := client.NewLogStateTracker(t.Context(), f.ReadTile, nil, served.key, served.key.Name(), client.UnilateralConsensus(f.ReadCheckpoint))
	if err != nil {
		t.Fatal(err)
	}
	if err := publish(logs + 1); err != nil {
		t.Fatal(err)
	}
	for until := time.Now().Add(patience); tracker.Latest().Size == before.Size; { // a checkpoint may be a second old
		if _, _, _, err := tracker.Update(t.Context()); err != nil || time.Now().After(until) {
			t.Fatal("the log does not follow from its own past:", err)
		}
	}
}

// tiles reads tiles for the client of Go's checksum database.
type tiles struct{ api string }

func (tiles) Height() int                     { return 8 }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (r tiles) ReadTiles(list []tlog.Tile) (out [][]byte, err error) {
	for _, x := range list {
		body, err := get(r.api + "/log/" + strings.Replace(x.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		out = append(out, body)
	}
	return out, nil
}

// prove lets the client of Go's checksum database prove entries and growth.
func prove(api string) error {
	signed, err := get(api + "/log/checkpoint")
	if err != nil {
		return err
	}
	n, err := note.Open(signed, note.VerifierList(served.key))
	if err != nil {
		return err
	}
	// A checkpoint has the form of a tree of the checksum database, except for its first
	// line.
	_, rest, _ := strings.Cut(n.Text, "\n")
	tree, err := tlog.ParseTree([]byte("go.sum database tree\n" + rest))
	if err != nil {
		return err
	}
	reader := tlog.TileHashReader(tree, tiles{api})
	for _, index := range []int64{0, 300, tree.N - 1} {
		p, err := tlog.ProveRecord(tree.N, index, reader)
		if err != nil {
			return err
		}
		path := strings.Replace(tlog.Tile{H: 8, L: -1, N: index / 256, W: int(min(256, tree.N-index/256*256))}.Path(), "tile/8/data/", "/log/tile/entries/", 1)
		bundle, err := get(api + path)
		if err != nil {
			return err
		}
		hashes, err := leaves(bundle)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(p, tree.N, tree.Hash, index, tlog.Hash(hashes[index%256])); err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
	}
	root, err := tlog.TreeHash(200, reader)
	if err != nil {
		return err
	}
	growth, err := tlog.ProveTree(tree.N, 200, reader)
	if err != nil {
		return err
	}
	return tlog.CheckTree(growth, tree.N, tree.Hash, 200, root)
}

func TestGosChecksumDatabaseReadsTheLog(t *testing.T) {
	if err := prove(served.api); err != nil {
		t.Error(err)
	}
}

// TestGosChecksumDatabaseNoticesAChangedByte: the client reads single entries and the
// tiles that prove them, so it notices only changes of their bytes.
func TestGosChecksumDatabaseNoticesAChangedByte(t *testing.T) {
	for _, x := range changes {
		if strings.Contains(x.what, "entry") {
			continue // the byte may be of another entry
		}
		if err := prove(changed(t, x.path)); err == nil {
			t.Errorf("%s was changed, and nobody noticed", x.what)
		}
	}
}
