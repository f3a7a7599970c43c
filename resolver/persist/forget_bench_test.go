package persist

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
	"github.com/segraph/segraph/store/turtle"
)

// BenchmarkPostsBesideAnErasure measures what posts of 43 triples, 50 a second, wait alone and beside previews and erasures,
// in a file of 20,000 such logs. Each of 50 people is in 40 logs.
func BenchmarkPostsBesideAnErasure(b *testing.B) {
	s := openStore(b)
	g, _ := resolved(b, s)
	add := func(n int) {
		var text strings.Builder
		fmt.Fprintf(&text, "<http://ex/m%d> <http://schema.org/sender> <http://ex/id/%d> ; <http://schema.org/text> \"said %d\" .\n", n, n%500, n)
		for i := range 41 {
			fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p%d> %d .\n", n%1000*20+i%20, i, n+i)
		}
		d, e := storetest.Document(b, turtle.Turtle, text.String()), entryOf(journal.Insert)
		e.Triples = d.Distinct()
		var err error
		if e.Retry, err = s.Retries.Identify(b.Context(), &retries.Request{User: "ari", Key: fmt.Sprint(n)}); err == nil {
			_, err = s.Add(b.Context(), d, e)
		}
		if err != nil {
			b.Error(err)
		}
	}
	var many sync.WaitGroup
	for first := range 32 {
		many.Go(func() {
			for n := first; n < 20_000; n += 32 {
				add(n)
			}
		})
	}
	many.Wait()
	n := 20_000
	waited := map[string][]time.Duration{}
	// beside measures what posts wait while do runs.
	beside := func(what string, do func()) {
		ctx, stop := context.WithCancel(b.Context())
		var posts sync.WaitGroup
		posts.Go(func() {
			every := time.NewTicker(20 * time.Millisecond)
			for ctx.Err() == nil {
				at := <-every.C
				add(n/500*500 + n%400 + 100) // nobody who is erased
				n++
				waited[what] = append(waited[what], time.Since(at))
			}
		})
		do()
		stop()
		posts.Wait()
	}
	for b.Loop() {
		for i := range 3 {
			beside("alone", func() { time.Sleep(5 * time.Second) })
			beside("previews", func() {
				for n := range 10 {
					if _, err := g.PreviewErasure(b.Context(), fmt.Sprintf("http://ex/id/%d", n), "", entryOf(journal.Erasure)); err != nil {
						b.Fatal(err)
					}
				}
			})
			beside("erasures", func() {
				for n := range 10 {
					if _, err := g.Erase(b.Context(), fmt.Sprintf("http://ex/id/%d", i*10+n), []string{"", "urn:x:p"}[n%2], entryOf(journal.Erasure)); err != nil {
						b.Fatal(err)
					}
				}
			})
			beside("purges", func() {
				if err := s.Purge(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
	for what, w := range waited {
		slices.Sort(w)
		b.Logf("beside %s: %d posts waited %v in the middle, %v at the 99th of 100, %v at most", what, len(w), w[len(w)/2], w[len(w)*99/100], w[len(w)-1])
	}
}
