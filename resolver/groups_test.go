package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// TestCasesOfOneEventAreOneGroup has six robots that hear two sentences, without a
// subject. Accepting a group leaves one context, whichever of its cases comes first.
func TestCasesOfOneEventAreOneGroup(t *testing.T) {
	for _, order := range []string{"as they came", "backwards"} {
		t.Run(order, func(t *testing.T) {
			ctx := context.Background()
			r := open(t, &memory.Store{})
			event := map[string]string{} // of each context
			for i := range 12 {
				at, words := time.Date(2026, 2, 11, 9, 12, 13, i%6*90_000_000, time.UTC), news
				if i >= 6 {
					at, words = at.Add(time.Second), "Where is the cloakroom, please?"
				}
				o := said(at.Format("2006-01-02T15:04:05.000Z"), "", fmt.Sprintf("https://ex/robot/%d", i%6), words)
				event[resolve(t, r, o).SharedContextURI] = words
			}
			queue, err := r.Pending(ctx, math.MaxInt, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := r.Waiting(ctx, math.MaxInt)
			if err != nil {
				t.Fatal(err)
			}
			groups := map[string]string{} // by event
			for i, k := range queue.PendingCases {
				words := event[k.SourceContextURI]
				if g, ok := groups[words]; ok && g != k.GroupID || event[k.GroupID] != words {
					t.Errorf("case %d of %q is in the group %s, others in %s", i, words, k.GroupID, g)
				}
				if groups[words] = k.GroupID; lines[i].CaseID != k.CaseID || lines[i].GroupID != k.GroupID {
					t.Errorf("the page has %+v, the API %+v", lines[i], k)
				}
			}
			if len(queue.PendingCases) != 10 || len(groups) != 2 {
				t.Fatalf("%d cases in %d groups", len(queue.PendingCases), len(groups))
			}
			if order == "backwards" {
				slices.Reverse(queue.PendingCases)
			}
			for _, k := range queue.PendingCases {
				var refused *resolver.Error
				if _, err := r.Accept(ctx, k.CaseID, k.Candidates[0].ContextURI, false, judge); errors.As(err, &refused) && refused.Code == resolver.CaseSuperseded {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
			}
			stats, err := r.Stats(ctx)
			if err != nil || stats.PendingReviews != 0 || stats.ActiveContexts != 2 {
				t.Errorf("after all are accepted: %+v, %v", stats, err)
			}
		})
	}
}

// TestAPageOfALongQueueIsQuick reads fifty cases out of thousands. Every hundred of
// them belong to one event.
func TestAPageOfALongQueueIsQuick(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	n := suite.Times(10_000, 5000)
	r := open(t, lean{&memory.Store{}})
	for i := range n {
		at := time.Date(2026, 2, 11, 9, 0, i/100*20, i%100*1_000_000, time.UTC)
		resolve(t, r, said(at.Format("2006-01-02T15:04:05.000Z"), "", fmt.Sprintf("https://ex/robot/%d", i%100), fmt.Sprintf("sentence number %d of many", i/100)))
	}
	ctx := context.Background()
	if _, err := r.Pending(ctx, 50, 0, nil); err != nil { // finds the groups
		t.Fatal(err)
	}
	const pages = 20
	begin := processorTime(t)
	for i := range pages {
		// A case opened in between changes a group.
		resolve(t, r, said("2026-02-11T09:00:00.150Z", "", fmt.Sprintf("https://ex/robot/more%d", i), "sentence number 0 of many"))
		if q, err := r.Pending(ctx, 50, i*n/pages/2, nil); err != nil || len(q.PendingCases) != 50 || q.PendingCount < int64(n*9/10) {
			t.Fatalf("%d of %d cases, %v", len(q.PendingCases), q.PendingCount, err)
		}
	}
	took := (processorTime(t) - begin) / pages
	t.Logf("%v of the processors' time a page", took)
	if limit := time.Duration(n) * 2 * time.Microsecond; float64(took) > suite.Slowness()*float64(limit) {
		t.Errorf("a page took %v, want at most %v", took, limit)
	}
}
