package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/memory"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/persist"
)

// letters returns n as letters, least significant first, so that consecutive names are
// far apart in sort order.
func letters(n int) string {
	const digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	var b strings.Builder
	for ; ; n /= len(digits) {
		b.WriteByte(digits[n%len(digits)])
		if n < len(digits) {
			return b.String()
		}
	}
}

// repeat returns a text of about size bytes: begin, a part for each number from 0, and
// end.
func repeat(size int, begin string, part func(n int) string, end string) string {
	var b strings.Builder
	b.WriteString(begin)
	for n := 0; b.Len() < size; n++ {
		b.WriteString(part(n))
	}
	b.WriteString(end)
	return b.String()
}

// costly are documents that need much memory for their size, each in its own way.
var costly = map[string]func(size int) string{
	"a collection": func(size int) string {
		return repeat(size, "<a:a> <b:b> (", func(int) string { return "1 " }, ").")
	},
	"blank nodes": func(size int) string {
		return repeat(size, "<a:a> <b:b> ", func(int) string { return "[]," }, "1.")
	},
	"blank nodes in a collection": func(size int) string {
		return repeat(size, "<a:a> <b:b> (", func(int) string { return "[]" }, ").")
	},
	"numbers": func(size int) string {
		return repeat(size, "<a:a> <b:b> ", func(n int) string { return fmt.Sprint(n*7919%1_000_003, ",") }, "1.")
	},
	"labels": func(size int) string {
		return repeat(size, "<a:a> <b:b> ", func(n int) string { return "_:" + letters(n) + "," }, "1.")
	},
	"short names": func(size int) string {
		return repeat(size, "PREFIX :<a:> :a :b ", func(n int) string { return ":" + letters(n) + "," }, "1.")
	},
	"long names": func(size int) string {
		return repeat(size, "PREFIX :<a:"+strings.Repeat("x", 4000)+"> :a :b ", func(n int) string { return ":" + letters(n%5000) + "," }, "1.")
	},
	"predicates": func(size int) string {
		return repeat(size, "PREFIX :<a:> :a ", func(n int) string { return ":" + letters(n) + " 1;" }, ":a 1.")
	},
	"subjects": func(size int) string {
		return repeat(size, "PREFIX :<a:>", func(n int) string { return ":" + letters(n) + " a 1." }, "")
	},
	"nested properties": func(size int) string {
		return repeat(size, "", func(int) string {
			return "<a:a> <b:b> " + strings.Repeat("[<b:b> ", 900) + "1" + strings.Repeat("]", 900) + "."
		}, "")
	},
	"literals": func(size int) string {
		return repeat(size, "<a:a> <b:b> ", func(n int) string { return fmt.Sprintf(`"%x"@e,"%x"^^<c:%x>,`, n, n, n) }, "1.")
	},
	"N-Triples": func(size int) string {
		return repeat(size, "", func(n int) string {
			return fmt.Sprintf("<http://example.org/s%d> <http://example.org/p%d> \"text %d\"@en .\n", n, n%7, n)
		}, "")
	},
	"prefixes": func(size int) string {
		return repeat(size, "", func(n int) string { return "PREFIX " + letters(n) + ":<a:>" }, "<a:a> <b:b> 1.")
	},
	"a list in JSON-LD": func(size int) string {
		return repeat(size, `{"@id":"u:s","u:p":{"@list":[0`, func(int) string { return ",0" }, "]}}")
	},
	"one literal with escapes": func(size int) string {
		return repeat(size, `<a:a> <b:b> "`, func(int) string { return `\u00e9\n` }, `".`)
	},
}

// peak returns how far the live heap grew while f ran.
func peak(f func()) int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	live := func() int64 {
		runtime.GC()
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	before, most := live(), int64(0)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			begun := time.Now()
			most = max(most, live()-before)
			select {
			case <-done:
				return
			case <-time.After(max(2*time.Millisecond, time.Since(begun))): // f gets half of the time
			}
		}
	})
	f()
	close(done)
	watch.Wait()
	return most
}

func newStoredService(t testing.TB) *fixture {
	t.Helper()
	db := openStore(t)
	return newOpenService(t, func(c *settings) { c.Graph, c.Journal = db, db })
}

func openStore(t testing.TB) *persist.Store {
	t.Helper()
	db, err := persist.Open(filepath.Join(t.TempDir(), "s.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Storing or validating a document takes at most 25 times its size in memory, whatever
// its content and transport. SEGRAPH_LONG=1 tests all kinds of documents, also with 4 and
// 16 MiB.
func TestADocumentTakesAtMost25TimesItsBytes(t *testing.T) {
	suite.Slow(t, "it stores documents that take much work")
	if suite.Race {
		t.Skip("it measures memory and time, which the race detector multiplies")
	}
	documents := map[string][]int{"a collection": {1 << 20}, "N-Triples": {1 << 20}, "a list in JSON-LD": {1 << 20}} // sizes
	if suite.Long() {
		for name := range costly {
			documents[name] = []int{1 << 20, 4 << 20, 16<<20 - 16<<10}
		}
	}
	for name, sizes := range documents {
		text := costly[name]
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s, %d KiB", name, size>>10), func(t *testing.T) {
				document, contentType := text(size), "text/turtle"
				if strings.HasPrefix(document, "{") {
					contentType = "application/ld+json"
				}
				inJSON, err := json.Marshal(map[string]any{"ttl_content": document, "user": nil})
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range []call{
					{method: "POST", path: "/ttl/validate", body: document, contentType: contentType},
					{method: "POST", path: "/ttl", body: document, contentType: contentType},
					{method: "POST", path: "/ttl", body: string(inJSON)},
				} {
					if len(c.body) > 16<<20 || c.contentType == "" && contentType != "text/turtle" {
						continue // larger than the limit once escaped in JSON, or not what it may hold
					}
					s := newStoredService(t)
					took := peak(func() {
						if w := s.do(t, c); w.Code != http.StatusCreated && w.Code != http.StatusOK {
							t.Errorf("%s of %d bytes: %d %s", c.path, len(c.body), w.Code, w.Body)
						}
					})
					t.Logf("%s: %.1f times its bytes", c.path, float64(took)/float64(len(document)))
					if took > 25*int64(len(document)) {
						t.Errorf("%s of %d bytes takes %d, which is %.0f times as many", c.path, len(document), took, float64(took)/float64(len(document)))
					}
				}
			})
		}
	}
}

// Of 100 small posts beside a large document, 99 take at most 50 ms longer than alone.
func TestASmallPostBesideALargeDocumentIsQuick(t *testing.T) {
	suite.NotShort(t)
	if suite.Race {
		t.Skip("it measures memory and time, which the race detector multiplies")
	}
	const more = 50 * time.Millisecond
	var alone, beside time.Duration
	for range 5 { // a busy machine may delay any of them
		s := newStoredService(t)
		n := 0
		post := func() time.Duration {
			n++
			begun := time.Now()
			w := s.do(t, call{method: "POST", path: "/ttl", body: ttl(fmt.Sprintf("<a:s%d> <a:p> %d , \"text %d\" .", n, n, n), nil)})
			if w.Code != http.StatusCreated {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			return time.Since(begun)
		}
		p99 := func(until func() bool) time.Duration {
			var took []time.Duration
			for !until() || len(took) < 100 {
				took = append(took, post())
			}
			slices.Sort(took)
			return took[len(took)*99/100]
		}
		alone = p99(func() bool { return true })
		document := costly["a collection"](1 << 18)
		done := make(chan struct{})
		var large sync.WaitGroup
		large.Go(func() {
			defer close(done)
			if w := s.do(t, call{method: "POST", path: "/ttl", body: document, contentType: "text/turtle"}); w.Code != http.StatusCreated {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
		beside = p99(func() bool {
			select {
			case <-done:
				return true
			default:
				return false
			}
		})
		large.Wait()
		if beside <= alone+more {
			t.Logf("p99 alone %v, beside %v", alone, beside)
			return
		}
	}
	t.Errorf("beside a large document 99 of 100 small posts take up to %v, and alone up to %v", beside, alone)
}

// A document with more triples than fit into memory is refused with a message, whatever
// its size in bytes.
func TestTheShareOfADocumentIsCountedInTriples(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, func(c *settings) { c.Limits.Memory = 1 << 20 })
	const tripleCost = 12 // bytes of memory per triple
	most := int(memory.NewPool(1<<20).MaxRequest()) / tripleCost
	document := func(triples int) call {
		return call{method: "POST", path: "/ttl", contentType: "text/turtle", body: "<a:a> <b:b> 0" + strings.Repeat(",1", triples-1) + "."}
	}
	for _, triples := range []int{4096, most / 2} {
		if w := s.do(t, document(triples)); w.Code != http.StatusCreated {
			t.Errorf("%d triples: %d %s", triples, w.Code, w.Body)
		}
	}
	wantProblem(t, s.do(t, document(most+1)), http.StatusRequestEntityTooLarge, fmt.Sprintf("Storing %d triples takes more", most+1))
	// The same number of bytes as a single triple is accepted.
	one := call{method: "POST", path: "/ttl", contentType: "text/turtle", body: `<a:a> <b:b> "` + strings.Repeat("x", 2*most) + `".`}
	if w := s.do(t, one); w.Code != http.StatusCreated {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if used := s.service.Stats().MemoryBytes; used != 0 {
		t.Errorf("%d bytes are still taken", used)
	}
}
