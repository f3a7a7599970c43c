package resolver

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// CaseDetail is a case, undecided or decided, with everything that a person needs to
// decide it.
type CaseDetail struct {
	CaseID     string
	Status     string // "pending", "accepted", "rejected", "superseded"
	Reason     Reason
	Sentence   string // Reason as a sentence
	Confidence float64
	CreatedAt  time.Time
	WeighedAt  time.Time // when Offers and Needs were computed: when the case was opened or last reconciled
	DecidedAt  time.Time // zero if undecided
	DecidedBy  string
	DecisionID string      // the decision on it, or "" if there is none
	Seen       string      // see AsSeen
	Selected   string      // the URI of the accepted target, or ""
	Now        string      // the URI of the context in which the source's observations are
	Source     ContextView // the event of the source, before merges by this case; its first observation is the case's own
	Offers     []Offer     // best first
	Needs      Needs
}

// Offer is a candidate of a case, compared with its source. All fields except Context and
// KeptSeparate are as of WeighedAt.
type Offer struct {
	CandidateView
	Context      ContextView
	Gates        Gates   // without Rival
	Likely       bool    // it is likely enough for a match, given the other candidates
	Gap          float64 // seconds between the two timestamps, with corrected clocks
	Claimed      float64 // further seconds by which the clocks may differ, which prevents a match; 0 if none
	Likeness     float64 // similarity of the texts, 0 to 1; -1 if a side has none
	SameRobot    bool    // a robot reported both sides
	KeptSeparate bool    // a person decided to keep the two separate
}

// Needs holds the thresholds of an automatic match.
type Needs struct {
	MaxGap      float64 // seconds; at most 0.8 if neither side has a text
	MinText     float64 // likeness
	Probability float64
}

// Case returns a case with its two sides and their comparison. The error is an *Error
// with code CaseNotFound.
func (r *Resolver) Case(_ context.Context, id string) (*CaseDetail, error) {
	var f *CaseDetail
	err := r.reading(func(u *unit) error {
		k, err := u.caseNamed(id)
		if err == nil {
			f, err = u.caseDetail(k)
		}
		return err
	})
	return f, err
}

// caseDetail returns what a person needs to decide a case: its source, and each context that it offers, once. For a
// decided case these are the contexts as they were when it was decided.
func (u *unit) caseDetail(about *record.Case) (*CaseDetail, error) {
	out := &CaseDetail{CaseID: u.names().Case(about.Number), Status: about.Status.String(), Reason: Reason(about.Reason), Sentence: Reason(about.Reason).Sentence(),
		Confidence: about.Any, CreatedAt: time.UnixMicro(about.Opened).UTC(), WeighedAt: time.UnixMicro(about.Weighed.At).UTC(), DecidedBy: about.DecidedBy,
		Needs: Needs{MaxGap: about.Weighed.MaxGap, MinText: about.Weighed.MinText, Probability: about.Weighed.Probability}}
	now, err := u.root(about.Source)
	if err != nil {
		return nil, err
	}
	if out.Seen, err = u.seenCase(about); err != nil {
		return nil, err
	}
	if about.Decision != 0 {
		out.DecisionID = u.names().Decision(about.Decision)
	}
	out.Now = now.URI
	source := now
	if about.Status != record.Pending {
		out.DecidedAt = time.UnixMicro(about.Decided).UTC()
		if source, err = u.context(about.Source); err != nil { // as it was when merged
			return nil, err
		}
	}
	if out.Source, err = u.viewOf(source, withFirst(about.Source, source.Origins), new(math.MaxInt)); err != nil {
		return nil, err
	}
	offered := map[uint64]bool{source.Number: true}
	for _, t := range about.Targets {
		origin, err := u.context(t.Context)
		if err != nil {
			return nil, err
		}
		target, err := u.root(t.Context)
		if err != nil {
			return nil, err
		}
		if about.Selected == t.Context {
			out.Selected = target.URI
		}
		if target.Number == source.Number { // the source was merged into the target or the target into the source
			target = origin
		}
		if offered[target.Number] {
			continue
		}
		offered[target.Number] = true
		o, err := u.offer(source, target, t, about.Weighed.Probability)
		if err != nil {
			return nil, err
		}
		if o != nil {
			out.Offers = append(out.Offers, *o)
		}
	}
	return out, nil
}

// offer compares a target with a source, ignoring what the target has from the source. It
// returns nil if nothing is left. match is the probability needed for a match.
func (u *unit) offer(source, target *shared, t record.Target, match float64) (*Offer, error) {
	own := func(m record.Member) bool { return slices.Contains(source.Origins, m.Origin) }
	if !slices.ContainsFunc(target.Members, func(m record.Member) bool { return !own(m) }) {
		return nil, nil
	}
	o := &Offer{CandidateView: candidateView(target, t), Gap: t.Gap, Claimed: t.Claimed, Likeness: t.Likeness,
		Gates:  t.Gates,
		Likely: t.Probability >= match,
		// This signal speaks against one event only if a robot reported both.
		SameRobot: slices.ContainsFunc(t.Parts, func(p record.Part) bool { return p.Feature == weigh.Robot.String() && p.Weight < 0 })}
	apart, err := u.separations(source, target)
	if err != nil {
		return nil, err
	}
	o.KeptSeparate = len(apart) > 0
	others := slices.DeleteFunc(slices.Clone(target.Origins), func(n uint64) bool { return slices.Contains(source.Origins, n) })
	o.Context, err = u.viewOf(target, others, new(math.MaxInt))
	return o, err
}

// withFirst returns a list of numbers with one of them before the others.
func withFirst(first uint64, all []uint64) []uint64 {
	return append([]uint64{first}, slices.DeleteFunc(slices.Clone(all), func(n uint64) bool { return n == first })...)
}

// viewOf returns the view of a context with the observations of some of its origins, for which there is room; see showObservations.
func (u *unit) viewOf(s *shared, origins []uint64, room *int) (ContextView, error) {
	v := describe(s)
	for _, origin := range origins {
		if err := u.showObservations(&v, origin, room); err != nil {
			return v, err
		}
	}
	return v, nil
}
