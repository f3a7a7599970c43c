package resolver_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/store/log/journal"
)

// clock returns a clock that advances by a millisecond on each reading.
func clock() func() time.Time {
	var reads atomic.Int64
	return func() time.Time {
		return time.Date(2026, 2, 11, 9, 0, 0, 0, time.UTC).Add(time.Duration(reads.Add(1)) * time.Millisecond)
	}
}

func open(t testing.TB, store resolver.Store) *resolver.Resolver {
	t.Helper()
	r, err := resolver.Open(store, resolver.Options{Settings: resolver.Defaults(), Now: clock()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func resolve(t testing.TB, r *resolver.Resolver, o resolver.Observation) *resolver.Resolution {
	t.Helper()
	x, err := r.Resolve(context.Background(), o, "tester")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func said(at, subject, robot, text string) resolver.Observation {
	return resolver.Observation{EventKind: "human_utterance", ObservedAt: at, SubjectURI: subject, Modality: "speech", Text: text, RobotURI: robot}
}

const (
	maria = "https://ex/human/maria"
	ari   = "https://ex/robot/ari"
	tiago = "https://ex/robot/tiago"
	news  = "Could you show me climate news?"
)

// TestSameEventIsMatched is the first of two cases that existing users rely on.
func TestSameEventIsMatched(t *testing.T) {
	r := open(t, &memory.Store{})
	first := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	second := resolve(t, r, said("2026-02-11T09:12:13.950Z", maria, tiago, news))
	if first.Outcome != resolver.Created || second.Outcome != resolver.Matched || second.SharedContextURI != first.SharedContextURI {
		t.Errorf("got %s %s, then %s %s", first.Outcome, first.SharedContextURI, second.Outcome, second.SharedContextURI)
	}
}

// TestAMissingSubjectNeedsReview is the second.
func TestAMissingSubjectNeedsReview(t *testing.T) {
	ctx := context.Background()
	r := open(t, &memory.Store{})
	first := resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	second := resolve(t, r, said("2026-02-11T09:12:13.650Z", "", tiago, news))
	if second.Outcome != resolver.Ambiguous || second.CaseID == nil || second.SharedContextURI == first.SharedContextURI {
		t.Fatalf("got %+v", second)
	}
	stats, err := r.Stats(ctx)
	if err != nil || stats.PendingReviews != 1 {
		t.Fatalf("%d pending reviews, %v", stats.PendingReviews, err)
	}
	v, err := r.Accept(ctx, *second.CaseID, "", false, journal.Entry{Actor: "judge"})
	if err != nil || v.SharedContextURI != first.SharedContextURI {
		t.Fatalf("accepted as %+v, %v", v, err)
	}
	for _, o := range []resolver.Observation{said("2026-02-11T09:12:13.150Z", maria, ari, news), said("2026-02-11T09:12:13.650Z", "", tiago, news)} {
		if again := resolve(t, r, o); !again.Duplicate || again.SharedContextURI != first.SharedContextURI {
			t.Errorf("a repeat answers %+v", again)
		}
	}
}
