package jsonld_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/jsonld"
)

// once hides that a reader can seek.
type once struct{ io.Reader }

// nodes returns n bytes of nodes, separated by commas.
func nodes(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `{"@id":"http://e/activity%d","@type":["http://e/Listening","http://e/Activity"],"http://e/by":{"@id":"http://e/ari"},`+
			`"http://e/label":[{"@value":"ARI listens to number %d","@language":"en"}],"http://e/state":[{"http://e/battery":%d,"http://e/place":{"@id":"http://e/hall"}}]}`, i, i, i%100)
	}
	return b.String()
}

// TestReadingHoldsOneNodeAtATime reads large documents and measures the live heap
// meanwhile. It grows with what is open, and not with the document.
func TestReadingHoldsOneNodeAtATime(t *testing.T) {
	suite.NotShort(t)
	size := suite.Times(16, 1) << 20
	content := nodes(size)
	for _, c := range []struct {
		name, before, after string
		once                bool
		limit               int // of the heap in bytes
	}{
		{"nodes in an array", "[", "]", false, 1 << 19},
		{"nodes in an array, from a pipe", "[", "]", true, 1 << 19},
		{"@graph", `{"@context":{"a":"http://e/a"},"@graph":[`, "]}", false, 1 << 19},
		{"@graph before @id and @context", `{"@graph":[`, `],"@id":"http://e/g","@context":{"a":"http://e/a"}}`, false, 1 << 19},
		{"@graph, from a pipe", `{"@graph":[`, `],"@id":"http://e/g"}`, true, 2*size + 1<<19},
		{"one node with many values", `{"@id":"http://e/a","http://e/p":[`, "]}", false, 1 << 19},
		{"deep nodes", strings.Repeat(`{"@id":"http://e/a","http://e/p":[`, 100), strings.Repeat("]}", 100), false, 1 << 19},
	} {
		var in io.Reader = strings.NewReader(c.before + content + c.after)
		if c.once {
			in = once{in}
		}
		before, peak, quads := heap(), 0, 0
		r := jsonld.NewReader(in, jsonld.Options{Strict: true})
		for {
			_, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if quads++; quads%(size/100) == 0 {
				peak = max(peak, heap()-before)
			}
		}
		t.Logf("%s: %d bytes, %d quads, at most %d KiB of live heap", c.name, size, quads, peak>>10)
		if peak > c.limit || peak == 0 {
			t.Errorf("%s: the live heap grew by %d bytes, want at most %d", c.name, peak, c.limit)
		}
	}
}

// heap returns the size of the live heap in bytes.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
