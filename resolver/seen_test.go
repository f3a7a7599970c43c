package resolver_test

import (
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// A verdict on a case counts only for what the one who gives it has seen, and one that was given before is answered again.
func TestACaseIsDecidedOnAsItWasSeen(t *testing.T) {
	ctx := t.Context()
	r, first, second, third := three(t)
	seen := func(id string) string {
		t.Helper()
		k, err := r.Case(ctx, id)
		if err != nil || k.Seen == "" {
			t.Fatalf("%+v, %v", k, err)
		}
		return k.Seen
	}
	q, err := r.Pending(ctx, 10, 0, nil)
	if err != nil || len(q.PendingCases) != 2 || q.PendingCases[0].Seen != seen(*second.CaseID) {
		t.Fatalf("%+v, %v", q, err)
	}
	of, other := seen(*second.CaseID), seen(*third.CaseID)
	resolve(t, r, said("2026-02-11T09:12:13.550Z", maria, "https://ex/robot/nao", news)) // joins the first
	if _, err := r.Accept(resolver.AsSeen(ctx, of), *second.CaseID, "", false, judge); code(t, err) != resolver.Changed {
		t.Errorf("accepted: %v", err)
	}
	if _, err := r.Reject(resolver.AsSeen(ctx, other), *third.CaseID, judge); code(t, err) != resolver.Changed {
		t.Errorf("rejected: %v", err)
	}
	of = seen(*second.CaseID)
	for range 2 {
		if v, err := r.Accept(resolver.AsSeen(ctx, of), *second.CaseID, "", false, judge); err != nil || v.Status != "accepted" || v.SharedContextURI != first.SharedContextURI {
			t.Errorf("%+v, %v", v, err)
		}
	}
	if _, err := r.Reject(ctx, *third.CaseID, judge); err != nil { // as clients do that say nothing of what they saw
		t.Error(err)
	}
}

// The same holds for what people decide on robots and names.
func TestRobotsAndNamesAreDecidedOnAsTheyWereSeen(t *testing.T) {
	ctx := t.Context()
	r := open(t, &memory.Store{})
	resolve(t, r, said("2026-02-11T09:12:13.150Z", maria, ari, news))
	offset := int64(5000)
	pair := resolver.PersonDecision{Subjects: []string{maria, "https://ex/human/mary"}}
	for what, decide := range map[string]func(seen string, yes bool) (string, error){
		"a subject": func(seen string, yes bool) (string, error) {
			x, err := r.DecideSubject(resolver.AsSeen(ctx, seen), maria, yes, judge)
			if err != nil {
				return "", err
			}
			return x.Seen, nil
		},
		"a relay": func(seen string, yes bool) (string, error) {
			x, err := r.DecideRelay(resolver.AsSeen(ctx, seen), tiago, ari, yes, judge)
			if err != nil {
				return "", err
			}
			return x.Seen, nil
		},
		"a person": func(seen string, yes bool) (string, error) {
			pair.One = yes
			if _, err := r.DecidePerson(resolver.AsSeen(ctx, seen), pair, judge); err != nil {
				return "", err
			}
			s, err := r.Stats(ctx)
			return s.People[0].Seen, err
		},
		"a clock": func(seen string, yes bool) (string, error) {
			if !yes {
				x, err := r.RevokeClock(resolver.AsSeen(ctx, seen), ari, judge)
				if err != nil {
					return "", err
				}
				return x.Seen, nil
			}
			x, err := r.ConfirmClock(resolver.AsSeen(ctx, seen), ari, &offset, judge)
			if err != nil {
				return "", err
			}
			return x.Seen, nil
		},
	} {
		before, err := decide("", true)
		if err != nil {
			t.Fatal(what, err)
		}
		now, err := decide(before, false)
		if err != nil {
			t.Fatal(what, err)
		}
		if _, err := decide(before, true); code(t, err) != resolver.Changed {
			t.Errorf("%s as it was before another decision: %v", what, err)
		}
		if _, err := decide(now, true); err != nil {
			t.Errorf("%s as it is: %v", what, err)
		}
	}
}
