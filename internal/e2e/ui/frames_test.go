package ui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"

	v "github.com/segraph/segraph/vocabulary"
)

// publishFiveThousand stores a session with four robots, 5,000 activities, 2,500 messages
// and 50 shared events.
func (s *service) publishFiveThousand() {
	var text strings.Builder
	fmt.Fprintf(&text, "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range 5000 {
		fmt.Fprintf(&text, "<urn:a%d> <%s> \"%s\"^^xsd:dateTime ; <%s> <urn:r%d> ; <%s> <urn:e%d> .\n", i, v.ProvStartedAtTime, begin.Add(time.Duration(i)*2*time.Second).Format(time.RFC3339),
			v.SegbWasPerformedBy, i%4, v.SchemaAbout, i/100)
		if i%2 == 0 {
			fmt.Fprintf(&text, "<urn:m%d> a <%s> ; <%s> \"Sentence number %d of this long session\"@en ; <%s> <urn:maria> ; <%s> <urn:a%d> .\n", i, v.SchemaMessage, v.SchemaText, i, v.SchemaSender, v.ProvWasGeneratedBy, i)
		}
	}
	s.publish(text.String())
}

// paint returns when the page first painted, in milliseconds after the request.
func (b *tab) paint() float64 {
	b.t.Helper()
	return value[float64](b, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
}

// work returns the counters of the page's main thread, such as LayoutCount, and
// TaskDuration in seconds.
func (b *tab) work() map[string]float64 {
	b.t.Helper()
	out := map[string]float64{}
	for _, m := range tell(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		out[m.Name] = m.Value
	}
	return out
}

// TestFiveThousandEventsScrubAtSixtyFrames measures a session with 5,000 events: the time
// of the first paint, the time between frames while scrubbing, and the main thread's work
// for each frame. It does not count frames that the compositor drops later. Chromium
// draws without a graphics card here, so a real machine is faster.
func TestFiveThousandEventsScrubAtSixtyFrames(t *testing.T) {
	if os.Getenv("SEGRAPH_LONG") == "" {
		t.Skip("SEGRAPH_LONG is not set: it measures times, which needs a quiet machine")
	}
	s := openService(t)
	s.publishFiveThousand()
	b := open(t, s.ui, look{})
	for range 2 { // the second time from the cache of the service
		b.goTo("/replay?at=2026-03-01T10:00:00Z")
		b.eventually("the script is ready", func() bool { return value[bool](b, `document.getElementById("stage")?.dataset.ready === ""`) }, b.path)
	}
	paint, shift := b.paint(), b.shift()
	tell(b, performance.Enable, performance.EnableParams{})
	before := b.work()
	took := value[[]float64](b, `new Promise((done) => {
			const scrub = document.getElementById("scrub"), took = [];
			let n = 0, before = performance.now();
			const step = (at) => {
				took.push(at - before); before = at;
				if (n++ === 300) return done(took.slice(1));
				scrub.value = n < 150 ? (n * 37) % 1000 : 300 + n / 5; // far jumps, then a slow movement
				scrub.dispatchEvent(new Event("input"));
				requestAnimationFrame(step);
			};
			requestAnimationFrame(step);
		})`)
	after := b.work()
	slices.Sort(took)
	sum, n := 0.0, float64(len(took))
	for _, f := range took {
		sum += f
	}
	each := func(name string) float64 { return (after[name] - before[name]) / n }
	t.Logf("first paint after %.0f ms, layout shift %.4f, %.1f frames a second, 95 %% of frames within %.1f ms, 99 %% within %.1f ms", paint, shift, 1000*n/sum, took[len(took)*95/100], took[len(took)*99/100])
	t.Logf("work of the main thread for each frame: %.2f ms, of it script %.2f ms, layout %.2f ms (%.2f layouts), style %.2f ms", 1000*each("TaskDuration"), 1000*each("ScriptDuration"), 1000*each("LayoutDuration"), each("LayoutCount"), 1000*each("RecalcStyleDuration"))
	if paint > 500 || shift > 0 || took[len(took)*95/100] > 17.5 {
		t.Error("too slow")
	}
}
