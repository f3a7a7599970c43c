package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/service"
)

func TestACompressedDocumentIsStoredAsIfItWereNot(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	for _, coded := range []string{"gzip", "zstd"} {
		for _, size := range []int{0, inMemory - 100, inMemory, 3 * inMemory, suite.Size(5<<20, 4*inMemory)} {
			s := newOpenService(t)
			var long strings.Builder
			for i := 0; long.Len() < size; i++ {
				fmt.Fprintf(&long, "%d ", i*i)
			}
			document := `<http://e/a> <http://e/b> "` + long.String() + `" .`
			for _, request := range []call{
				{path: "/ttl", body: ttl(document, "ari")},
				{path: "/ttl?user=ari", body: document, contentType: service.MediaTurtle},
				{path: "/ttl?user=ari", body: document + "\n", contentType: service.MediaNTriples},
			} {
				request.method, request.body = "POST", compressed(t, coded, request.body)
				request.header = map[string]string{"Content-Encoding": coded}
				s.graph.lines = nil
				got := asJSON[inserted](t, s.do(t, request))
				if got.Triples != 1 || got.User != "ari" || len(s.graph.lines) != 1 || !strings.Contains(keys(s.graph.lines)[0], `"`+long.String()+`"`) {
					t.Errorf("%s in %s, %d bytes: %+v", request.contentType, coded, size, got)
				}
			}
			wantNothingHeld(t, s)
		}
	}
}

func TestTheLimitOfABodyCountsWhatItDecompressesTo(t *testing.T) {
	t.Parallel()
	suite.OneGoroutine(t)
	s := newOpenService(t)
	body := func(size int) string {
		const start, end = `{"query":"`, `"}`
		return start + strings.Repeat(" ", size-len(start)-len(end)) + end
	}
	for _, coded := range []string{"gzip", "zstd"} {
		ask := func(body string) call {
			return call{method: "POST", path: "/query/validate", body: body, header: map[string]string{"Content-Encoding": coded}}
		}
		if w := s.do(t, ask(compressed(t, coded, body(1<<20)))); w.Code != 200 {
			t.Errorf("%s of just the limit: %d %s", coded, w.Code, w.Body)
		}
		wantProblem(t, s.do(t, ask(compressed(t, coded, body(1<<20+1)))), 413, "1 MiB (1048576 bytes)")
		// Incompressible data is larger on the wire than decompressed.
		random := noise(1 << 20)
		if sent := compressed(t, coded, random); len(sent) <= 1<<20 || s.do(t, ask(sent)).Code != 422 {
			t.Errorf("%s: noise of just the limit, %d bytes on its way, is not read", coded, len(sent))
		}
		wantProblem(t, s.do(t, ask(noise(2<<20))), 413, "1 MiB")
	}
	wantNothingHeld(t, s)
}

// noise returns incompressible bytes.
func noise(size int) string {
	out, random := make([]byte, size), uint64(1)
	for i := range out {
		random = random*6364136223846793005 + 1442695040888963407
		out[i] = byte(random >> 56)
	}
	return string(out)
}

// bombs are small bodies that expand to much, or that take long to decompress to nothing.
func bombs(t *testing.T) map[string]struct{ coded, body string } {
	t.Helper()
	write := func(w io.WriteCloser, n int) {
		zeros := make([]byte, 1<<20)
		for range n {
			if _, err := w.Write(zeros); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var large, many, frames, skippable bytes.Buffer
	write(gzip.NewWriter(&large), 256)
	var largeZ, wide bytes.Buffer
	w, err := zstd.NewWriter(&largeZ)
	if err != nil {
		t.Fatal(err)
	}
	write(w, 256)
	if w, err = zstd.NewWriter(&wide, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false)); err != nil {
		t.Fatal(err)
	}
	write(w, 100)
	empty, emptyZ := compressed(t, "gzip", ""), "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00" // an empty frame
	for many.Len() < 16<<20-len(empty) {
		many.WriteString(empty)
	}
	for frames.Len() < 16<<20-len(emptyZ) {
		frames.WriteString(emptyZ)
	}
	for skippable.Len() < 16<<20-8 {
		skippable.WriteString("\x50\x2a\x4d\x18\x00\x00\x00\x00")
	}
	return map[string]struct{ coded, body string }{
		"256 MiB of zeros as gzip": {"gzip", large.String()}, "256 MiB of zeros as zstd": {"zstd", largeZ.String()},
		"a window of 64 MiB": {"zstd", wide.String()}, "empty members of gzip": {"gzip", many.String()},
		"empty frames of zstd": {"zstd", frames.String()}, "frames that are skipped": {"zstd", skippable.String()},
	}
}

func TestABombIsRefusedInLittleTimeAndMemory(t *testing.T) {
	suite.NotShort(t)
	if suite.Race {
		t.Skip("it measures time and memory: under the race detector both are many times as much, since pools drop at random")
	}
	s := newOpenService(t)
	for name, bomb := range bombs(t) {
		for path, contentType := range map[string]string{"/ttl": service.MediaTurtle, "/ttl/validate": service.MediaNTriples, "/shared-context/resolve": "application/json", "/query": mediaQuery} {
			if len(bomb.body) > 8<<20 && !strings.HasPrefix(path, "/ttl") {
				continue // larger than that route accepts anyway
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			w := s.do(t, call{method: "POST", path: path, body: bomb.body, contentType: contentType, header: map[string]string{"Content-Encoding": bomb.coded}})
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			if w.Code != 413 && w.Code != 400 && !(path == "/ttl/validate" && w.Code == 200) {
				t.Errorf("%s on %s: %d %s", name, path, w.Code, w.Body)
			}
			// Counts everything allocated, even if not in use at the same time.
			if allocated := after.TotalAlloc - before.TotalAlloc; took > 5*time.Second || allocated > 160<<20 {
				t.Errorf("%s on %s: %v and %d MiB", name, path, took, allocated>>20)
			} else {
				t.Logf("%s, %d KiB, on %s: %d in %v and %d MiB", name, len(bomb.body)>>10, path, w.Code, took.Round(time.Millisecond), allocated>>20)
			}
		}
	}
	wantNothingHeld(t, s)
}

func TestABodyThatIsNotInItsCodingIs400AndStoresNothing(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, coded := range []string{"gzip", "zstd"} {
		whole := compressed(t, coded, strings.Repeat(small, 1)+strings.Repeat("#0123456789\n", 20_000))
		flipped := []byte(whole)
		flipped[len(flipped)-2] ^= 1 // a byte of the checksum
		for name, body := range map[string]string{
			"no bytes": "", "plain": small, "cut in its header": whole[:3], "cut in its middle": whole[:len(whole)/2], "cut before its end": whole[:len(whole)-1],
			"with something behind it": whole + "x", "a wrong checksum": string(flipped), "the other coding": compressed(t, map[string]string{"gzip": "zstd", "zstd": "gzip"}[coded], small),
		} {
			w := s.do(t, call{method: "POST", path: "/ttl", body: body, contentType: service.MediaTurtle, header: map[string]string{"Content-Encoding": coded}})
			if w.Code != http.StatusBadRequest {
				t.Errorf("%s, %s: %d %s", coded, name, w.Code, w.Body)
				continue
			}
			wantProblem(t, w, 400, "not valid "+coded)
		}
	}
	if n := len(s.graph.entries()); n > 0 {
		t.Errorf("%d documents were stored", n)
	}
	wantNothingHeld(t, s)
}

func TestNTriplesItselfMayBeTheBody(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	const line = "<http://e/a> <http://e/b> \"é\"@de . # more\n"
	for _, path := range []string{"/ttl", "/api/ttl"} {
		w := s.do(t, call{method: "POST", path: path + "?user=ari", body: line, contentType: service.MediaNTriples, ui: path != "/ttl"})
		if got := asJSON[inserted](t, w); w.Code != 201 || got.Triples != 1 || got.User != "ari" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	for _, turtle := range []string{small, "<http://e/a> a <http://e/b> .", "<a> <b> <c> ."} {
		p := wantProblem(t, s.do(t, call{method: "POST", path: "/ttl", body: turtle, contentType: service.MediaNTriples}), 400, "line 1, column")
		if p.Line != 1 || strings.Contains(p.Detail, "Turtle") {
			t.Errorf("%s", p.Detail)
		}
	}
	v := asJSON[service.Validation](t, s.do(t, call{method: "POST", path: "/ttl/validate", body: line + small, contentType: service.MediaNTriples}))
	if v.Valid || len(v.Issues) == 0 || *v.Issues[0].Line != 2 {
		t.Errorf("%+v", v)
	}
}
