package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// reviewCase returns the decision area of a case. kinds are the names of kinds in the
// queue.
func (u *handlers) reviewCase(ctx context.Context, id string, kinds views.Names) (*ReviewCase, error) {
	k, err := u.Service.ReviewQueue().Case(ctx, id)
	if err != nil {
		return nil, notFound(err)
	}
	names, err := u.CaseNames(ctx, k)
	if err != nil {
		return nil, err
	}
	title := titleOf(names, k.Source)
	c := &ReviewCase{ID: k.CaseID, Seen: k.Seen, Decision: k.DecisionID, Status: k.Status, Sentence: cmp.Or(k.Sentence, ReasonName(string(k.Reason))), Kind: views.KindName(k.Source.EventKind),
		Title: title, Share: k.Confidence, Opened: k.CreatedAt, Weighed: k.WeighedAt, Decided: k.DecidedAt, By: k.DecidedBy, Now: k.Now, Record: views.ContextAddress(k.Now)}
	if name, ok := kinds[k.Source.EventKind]; ok {
		c.Kind = name
	}
	people, err := u.Service.People(ctx)
	if err != nil {
		return nil, err
	}
	for i, o := range k.Offers {
		c.Offers = append(c.Offers, offerOf(ctx, names, people, k, o, k.Selected == o.ContextURI || c.Pending() && i == 0))
	}
	return c, nil
}

// notFound turns the error of a missing case into a problem.
func notFound(err error) error {
	var refused *resolver.Error
	if errors.As(err, &refused) && refused.Code == resolver.CaseNotFound {
		return front.NewProblem(404, "%s", refused.Detail)
	}
	return err
}

func titleOf(names views.Names, v resolver.ContextView) string {
	if v.CanonicalText != nil && *v.CanonicalText != "" {
		return quoted.Value(*v.CanonicalText)
	}
	if v.SubjectURI != nil {
		return views.KindName(v.EventKind) + " of " + quoted.Name(names.Of(*v.SubjectURI))
	}
	return views.KindName(v.EventKind) + " without a text"
}

// sights returns the observations of a context as the page shows them.
func sights(ctx context.Context, names views.Names, v resolver.ContextView) []ReviewSight {
	var out []ReviewSight
	for _, o := range v.Observations {
		out = append(out, ReviewSight{At: timeOfDay(ctx, o.ObservedAt), Who: names.Of(views.Given(o.SubjectURI)), How: views.Given(o.Modality), Text: views.Given(o.Text),
			Robot: names.Of(views.Given(o.RobotURI)), URI: views.Given(o.ObservationURI)})
	}
	return out
}

// timeOfDay shows a timestamp by the reader's clock.
func timeOfDay(ctx context.Context, stamp string) string {
	t, ok := views.ParseTime(stamp)
	if !ok {
		return stamp
	}
	return views.Local(ctx, t).Format(views.TimeForm + ".000 MST")
}

// offerOf compares a target with the source. people are the subjects of each person that has several, by each of them. chosen
// marks the target that the page proposes.
func offerOf(ctx context.Context, names views.Names, people map[string][]string, k *resolver.CaseDetail, o resolver.Offer, chosen bool) ReviewOffer {
	title := titleOf(names, o.Context)
	out := ReviewOffer{URI: o.ContextURI, Record: views.ContextAddress(o.ContextURI), Share: o.Score, Chosen: chosen, KeptApart: o.KeptSeparate, Text: title, Conditions: conditions(k, o)}
	i, j := closest(k.Source.Observations, o.Context.Observations)
	out.Beside, out.More = without(sights(ctx, names, k.Source), i), without(sights(ctx, names, o.Context), j)
	out.BesideCount, out.MoreCount = k.Source.ObservationCount-1, o.Context.ObservationCount-1
	out.Rows = rows(ctx, names, people, k, o, k.Source.Observations[i], o.Context.Observations[j])
	for _, c := range o.Contributions {
		out.Evidence = append(out.Evidence, ReviewEvidence{Name: evidenceName(c.Feature), Seen: c.Value, Weight: c.Weight})
	}
	return out
}

func without(all []ReviewSight, i int) []ReviewSight { return slices.Delete(all, i, i+1) }

// Limits of closest: how many observations of each side it compares, and how many bytes of each text.
const (
	maxCompared = 8
	maxBegin    = 500
)

// closest returns the indexes of the observations of two sides whose texts are most alike, as the resolver compares them.
func closest(source, target []resolver.ObservationView) (i, j int) {
	begin := func(o resolver.ObservationView) string {
		text := views.Given(o.Text)
		return strings.ToValidUTF8(text[:min(len(text), maxBegin)], "")
	}
	most := -1.0
	for n, a := range source[:min(len(source), maxCompared)] {
		for m, b := range target[:min(len(target), maxCompared)] {
			left, _ := views.Compare(begin(a), begin(b))
			same, letters := 0, 1 // never 0
			for _, s := range left {
				letters += len(s.Text)
				if !s.Marked {
					same += len(s.Text)
				}
			}
			if like := float64(same) / float64(letters); like > most {
				i, j, most = n, m, like
			}
		}
	}
	return i, j
}

func evidenceName(feature string) string {
	names := map[string]string{"prior": "before", "repeat": "time to repeat", "source": "no time to repeat", "subject": "who", "modality": "how", "place": "where"}
	return cmp.Or(names[feature], feature)
}

// rows compares the attributes of two observations, each with a verdict in words. The likeness of the texts and the gap are
// those of the offer, as the resolver measured them.
func rows(ctx context.Context, names views.Names, people map[string][]string, k *resolver.CaseDetail, o resolver.Offer, a, b resolver.ObservationView) []ReviewRow {
	textA, textB := views.Given(a.Text), views.Given(b.Text)
	text := ReviewRow{Name: "Text"}
	text.Source, text.Target = views.Compare(textA, textB)
	switch {
	case textA == "" && textB == "":
		text.Verdict, text.Words = "missing", "on both sides"
	case textA == "" || textB == "":
		text.Verdict, text.Words = "missing", "on one side"
	default:
		text.Words = views.Likelihood(math.Max(0, o.Likeness)) + " alike"
		switch {
		case o.Likeness >= 0.999: // 1, but for rounding
			text.Verdict = "same"
		case o.Likeness >= k.Needs.MinText:
			text.Verdict = "close"
		default:
			text.Verdict = "different"
		}
	}
	when := ReviewRow{Name: "When", Source: plainSpan(timeOfDay(ctx, a.ObservedAt)), Target: plainSpan(timeOfDay(ctx, b.ObservedAt)), Words: seconds(o.Gap) + " apart, clocks corrected"}
	switch {
	case o.Gap <= 0.1:
		when.Verdict = "same"
	case o.Gates.Time || o.Gap <= k.Needs.MaxGap:
		when.Verdict = "close"
	default:
		when.Verdict = "different"
	}
	who := sided(names, "Who", views.Given(a.SubjectURI), views.Given(b.SubjectURI))
	if slices.Contains(people[views.Given(a.SubjectURI)], views.Given(b.SubjectURI)) && who.Verdict == "different" {
		who.Verdict, who.Words = "same", "two names of one person"
	} else if strings.HasPrefix(string(k.Reason), "subject_generic") && who.Verdict != "same" {
		who.Verdict, who.Words = "missing", "one side names a placeholder"
	}
	robot := sided(names, "Robot", views.Given(a.RobotURI), views.Given(b.RobotURI))
	switch {
	case o.SameRobot && o.Gates.Robot:
		robot.Words, robot.Fine = "the same robot repeats itself", true
	case o.SameRobot:
		robot.Verdict, robot.Words = "different", "the same robot already reported this candidate"
	case robot.Verdict == "different":
		robot.Words, robot.Fine = "two robots may report one event", true
	}
	who.SourceHref, who.TargetHref = aboutGiven(a.SubjectURI), aboutGiven(b.SubjectURI)
	robot.SourceHref, robot.TargetHref = aboutGiven(a.RobotURI), aboutGiven(b.RobotURI)
	all := []ReviewRow{text, when, who, sided(names, "How", views.Given(a.Modality), views.Given(b.Modality)), robot}
	if a.LocationURI != nil || b.LocationURI != nil {
		where := sided(names, "Where", views.Given(a.LocationURI), views.Given(b.LocationURI))
		where.SourceHref, where.TargetHref = aboutGiven(a.LocationURI), aboutGiven(b.LocationURI)
		all = append(all, where)
	}
	if a.ObservationURI != nil || b.ObservationURI != nil {
		all = append(all, ReviewRow{Name: "Seen as", Source: plainSpan(names.Of(views.Given(a.ObservationURI))), Target: plainSpan(names.Of(views.Given(b.ObservationURI))),
			SourceHref: aboutGiven(a.ObservationURI), TargetHref: aboutGiven(b.ObservationURI)})
	}
	return all
}

// aboutGiven returns the address of the page about an IRI, or "".
func aboutGiven(iri *string) string { return views.AboutIRI(views.Given(iri)) }

// contextRecord returns the address of a query for the triples of a context.
func contextRecord(uri string) string {
	if !rdf.IsIRI(uri) {
		return ""
	}
	return views.QueryAddress(fmt.Sprintf("SELECT ?property ?value {\n  GRAPH <%s> {\n    <%s> ?property ?value\n  }\n}", mirror.Graph, uri))
}

// sided compares an attribute that is either equal or different.
func sided(names views.Names, name, a, b string) ReviewRow {
	r := ReviewRow{Name: name, Source: plainSpan(names.Of(a)), Target: plainSpan(names.Of(b))}
	switch {
	case a == "" && b == "":
		r.Verdict, r.Words = "missing", "on both sides"
	case a == "" || b == "":
		r.Verdict, r.Words = "missing", "on one side"
	case a == b:
		r.Verdict = "same"
	default:
		r.Verdict = "different"
	}
	return r
}

func plainSpan(s string) []views.Span {
	if s == "" {
		return nil
	}
	return []views.Span{{Text: s}}
}

func seconds(s float64) string { return fmt.Sprintf("%.2f s", s) }

// likelihoods formats a fraction and its limit as percentages that differ if the two do.
func likelihoods(f, limit float64) (string, string) {
	a, b := views.Likelihood(f), views.Likelihood(limit)
	if f < limit && limit >= 0.99 || a == b && f != limit { // Likelihood shows digits only from 99 % on
		a, b = weigh.Apart(100*f, 100*limit, 1)
		a, b = a+"\u00a0%", b+"\u00a0%"
	}
	return a, b
}

// conditions lists the conditions of an automatic match, and whether o met them when the case was weighed.
func conditions(k *resolver.CaseDetail, o resolver.Offer) []ReviewCondition {
	say := func(holds bool, words, otherwise string) ReviewCondition {
		if holds {
			return ReviewCondition{Holds: true, Words: words}
		}
		return ReviewCondition{Words: otherwise}
	}
	maxGap := k.Needs.MaxGap // seconds
	textMissing := o.Likeness < 0
	silent := textMissing && views.Given(k.Source.CanonicalText) == "" && views.Given(o.Context.CanonicalText) == ""
	if silent {
		maxGap = math.Min(maxGap, weigh.MaxSilentGap)
	}
	is, most := weigh.Apart(o.Gap, maxGap, 2)
	gap := fmt.Sprintf("A match needs at most %s s; the gap is %s s", most, is)
	switch {
	case o.Gates.Time && o.Gap > maxGap && silent:
		gap += ", of which whole seconds may be half a second."
	case o.Gates.Time && o.Gap > maxGap:
		gap += ", but saying this twice takes longer."
	case o.Claimed != 0:
		gap = fmt.Sprintf("The clocks may differ by %s more. Confirm the offset in Robots first.", seconds(math.Abs(o.Claimed)))
	case !o.Gates.Time && o.Gap <= maxGap:
		gap = fmt.Sprintf("An event lasts at most %.0f s, and words that go on follow at once. These two do not.", weigh.MaxSpan)
	default:
		gap += "."
	}
	are, least := likelihoods(math.Max(0, o.Likeness), k.Needs.MinText)
	alike := fmt.Sprintf("Texts must be at least %s alike; these are %s.", least, are)
	switch {
	case o.Gates.Text && !textMissing && o.Likeness < k.Needs.MinText:
		alike = strings.TrimSuffix(alike, ".") + ", which is enough for one person at the same moment."
	case silent:
		alike = "Neither side has a text."
	case textMissing:
		alike = "Both sides need a text, or neither."
	}
	robots := "The robots differ, or one has no name."
	if o.SameRobot {
		robots = "The same robot repeats itself within a moment."
	}
	missing := logit(k.Needs.Probability) - o.LogOdds
	has, needs := likelihoods(o.Score, k.Needs.Probability)
	all := []ReviewCondition{
		say(o.Gates.Subject, "Both name the same person.", "Both must name the same person."),
		say(o.Gates.Modality, "The modality is the same.", "The modalities must be the same."),
		say(o.Gates.Text, alike, alike),
		say(o.Gates.Time, gap, gap),
		say(o.Gates.Robot, robots, "Another robot must report it; this one already did."),
		say(o.Likely, "The evidence is strong enough.",
			fmt.Sprintf("A match needs %s; this candidate has %s%s.", needs, has, shortBy(missing))),
	}
	if o.Likely && k.Reason == weigh.LateReport {
		all = append(all, ReviewCondition{Words: "Neither may be a late report of another event."})
	}
	if !o.Gates.Place {
		all = append(all, ReviewCondition{Words: "The places must be the same."})
	}
	return all
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// shortBy says how much evidence is missing for a match or, if none is, that a rival prevents
// it.
func shortBy(nats float64) string {
	if nats <= 0.05 || math.IsInf(nats, 0) {
		return ", because another event is likely too"
	}
	return fmt.Sprintf(" (log odds %.1f too low)", nats)
}
