package reports

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// sessions shows the list of sessions, with links to their replays, and links to other lengths of a pause.
func (r *Report) sessions(ctx context.Context, out *ReportSection) error {
	found, err := r.Sessions(ctx)
	if err == nil && r.Limit >= fileRows {
		found, err = r.further(ctx, *found)
	}
	if err != nil {
		return err
	}
	if _, err := r.names(ctx); err != nil {
		return err
	}
	shown := found.List[:min(len(found.List), r.shownSessions())]
	var robots []rdf.Term
	for _, s := range shown {
		robots = append(robots, s.Robots...)
	}
	if err := r.label(ctx, robots...); err != nil {
		return err
	}
	t := r.table("sessions", "Newest first", "No activity has a time.", "When", "How long", "Robots", "People", "Messages#", "Emotions#", "Decisions#", "Shared events#")
	if n := len(found.List); n > 0 && found.List[n-1].Early {
		t.About = "The session began earlier than shown: it has too many activities to read all."
	}
	if found.Cut {
		t.About = strings.TrimSpace(t.About + " Some counts are too low: there is too much to count.")
	}
	t.Sessions = r.cardSessions(shown, found.Gap)
	for _, s := range shown {
		path := s.Path()
		rows := func(n int, kind string) ReportCell {
			c := count(rdf.NewString(fmt.Sprint(n)), path+"&view=table&kind="+kind)
			if n == 0 {
				c.Href = ""
			}
			return c
		}
		begun := r.when(rdf.NewLiteral(s.From.UTC().Format(time.RFC3339Nano), rdf.XSDDateTime))
		begun.Href = path
		t.Rows = append(t.Rows, []ReportCell{
			begun, {Text: Between(s.From, s.To), Value: s.To.Sub(s.From).String(), Unbroken: true}, r.listed(s.Robots, someNames, path), r.listed(s.People, someNames, path),
			rows(s.Messages, "message"), rows(s.Emotions, "emotion"), rows(s.Decisions, "decision"), rows(s.Shared, "shared"),
		})
	}
	t.More = len(found.List) > r.shownSessions() || found.Cut && r.Limit >= fileRows
	out.Tables = append(out.Tables, t)
	out.Gaps, out.Older = r.gapChoices(found), r.olderPath(found)
	kept := (&Report{From: r.From, To: r.To, Who: r.Who}).Values()
	kept.Set("section", cmp.Or(r.Only, "sessions"))
	out.Kept = keptFields(kept)
	return nil
}

// further returns a list with the sessions before it, unless they are too many for a file.
func (r *Report) further(ctx context.Context, all Sessions) (*Sessions, error) {
	before := *r
	before.Gap, all.List = all.Gap, slices.Clip(all.List)
	for !all.Before.IsZero() && len(all.List) <= r.shownSessions() {
		before.To = all.Before
		more, err := before.Sessions(ctx)
		if err != nil {
			return nil, err
		}
		all.List, all.Before, all.Cut = append(all.List, more.List...), more.Before, all.Cut || more.Cut
	}
	return &all, nil
}

// shownSessions is the largest number of sessions in a table: an eighth of the usual, since
// each row has five links.
func (r *Report) shownSessions() int { return max(1, r.Limit/8) }

// Values returns the query string of the report's range, participant and gap.
func (r *Report) Values() url.Values {
	values := url.Values{}
	for name, at := range map[string]time.Time{"from": r.From, "to": r.To} {
		if !at.IsZero() {
			values.Set(name, at.UTC().Format(views.RangeTime))
		}
	}
	if !r.Who.IsZero() {
		values.Set("who", r.Who.Value())
	}
	if r.Gap > 0 {
		values.Set("gap", gapText(r.Gap))
	}
	return values
}

// gapText formats a gap for an address: "30m", "1m30s", "1h".
func gapText(gap time.Duration) string {
	text := gap.String()
	for _, none := range []string{"m0s", "h0m"} {
		if before, ok := strings.CutSuffix(text, none); ok {
			text = before + none[:1]
		}
	}
	return text
}

// rangePath returns the address of the report with another end and gap.
func (r *Report) rangePath(to time.Time, gap time.Duration) string {
	other := Report{From: r.From, To: to, Gap: gap, Who: r.Who}
	values := other.Values()
	if r.Only != "" {
		values.Set("section", r.Only)
	}
	return "/reports?" + values.Encode() + "#sessions"
}

// gapChoices returns the gaps that a reader can choose. Without a choice the pauses in the data suggest one.
func (r *Report) gapChoices(found *Sessions) []GapChoice {
	if len(found.List) == 0 {
		return nil
	}
	out := []GapChoice{{Name: "Automatic", Chosen: r.Gap <= 0}}
	if r.Gap <= 0 {
		out[0].Name += ", " + Lasting(found.Gap)
	}
	gaps := append([]time.Duration{r.Gap}, Gaps...) // an address may have another
	if r.Gap <= 0 || slices.Contains(Gaps, r.Gap) {
		gaps = Gaps
	}
	for _, gap := range gaps {
		name := Lasting(gap)
		if rest := gap % time.Minute / time.Second; rest > 0 {
			name += " " + Lasting(rest*time.Second)
		}
		out = append(out, GapChoice{Value: gapText(gap), Name: name, Chosen: r.Gap == gap})
	}
	return out
}

// olderPath returns the address of the sessions before a list, or "".
func (r *Report) olderPath(found *Sessions) string {
	before := found.Before
	if n := r.shownSessions(); len(found.List) > n {
		before = found.List[n-1].From
	}
	if before.IsZero() {
		return ""
	}
	return r.rangePath(before, r.Gap)
}
