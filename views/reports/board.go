package reports

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// overview is the name of the first tab, whose cards fit one screen.
const overview = "overview"

// cards are the sections of the overview, in order.
var cards = []section{
	{"overview-sessions", "Last sessions", "", (*Report).sessionCard},
	{"overview-totals", "Strongest emotions", "", (*Report).totalCard},
	{"overview-hours", "Messages by robot", "", (*Report).hourCard},
	{"overview-emotions", "Emotions", "", (*Report).emotionCard},
	{"overview-review", "To review", "", (*Report).reviewCard},
	{"overview-states", "States", "", (*Report).stateCard},
	{"overview-models", "Models by version", "", (*Report).modelCard},
}

// column returns the class of the column of a card: the first, the one beside it, or the rest below it.
func (s ReportSection) column() string {
	switch s.Name {
	case "overview-sessions":
		return "first"
	case "overview-totals", "overview-review", "overview-models":
		return "aside"
	}
	return "rest"
}

// Limits of the cards.
const (
	cardSessions = 7
	cardRobots   = 8  // rows of the heat table
	cardLanes    = 60 // robots with a lane of states
	fewLanes     = 8  // more are thin
	manyLanes    = 40 // more are thin on the page of states
	laneNames    = 4  // thin lanes that share a line of names
	cardEmotions = 6
	fewSlots     = 2 // so few hours make no chart of each emotion: one bar does
	oftenRead    = 3 // readings that make a chart of an emotion; rarer ones are words
	cardStrong   = 3
	cardCases    = 3
	cardModels   = 5
	cardStates   = 2000 // states read
	cardFaces    = 3    // people named in a session
)

// sameReading is how far apart two robots may read one emotion of somebody.
const sameReading = 10 * time.Second

// sessionCard shows the newest sessions.
func (r *Report) sessionCard(ctx context.Context, out *ReportSection) error {
	found, err := r.Sessions(ctx)
	if err != nil {
		return err
	}
	if _, err := r.names(ctx); err != nil {
		return err
	}
	shown := found.List[:min(len(found.List), cardSessions)]
	card := &Card{All: sectionLink(r, "sessions", "All sessions"), Nothing: "No activity has a time", Dense: len(found.List) > 4}
	out.Card, out.About = card, "one ends when nothing happens for "+Length(found.Gap)
	var robots []rdf.Term
	for _, s := range shown {
		robots = append(robots, s.Robots...)
	}
	if err := r.label(ctx, robots...); err != nil {
		return err
	}
	card.Sessions = r.cardSessions(shown, found.Gap)
	return nil
}

// cardSessions returns the rows of sessions. gap is the silence that ends a session.
func (r *Report) cardSessions(list []Summary, gap time.Duration) (out []CardSession) {
	most := 1
	for _, s := range list {
		most = max(most, s.Messages)
	}
	for _, s := range list {
		out = append(out, CardSession{
			From: r.in(s.From), To: r.in(s.To), Href: s.Path(), Running: r.Now.Sub(s.To) < gap && r.Now.After(s.From),
			Robots: r.few(s.Robots, 3, "robots"), People: r.few(s.People, cardFaces, "people"),
			Messages: s.Messages, Share: 100 * s.Messages / most, Emotions: s.Emotions, Decisions: s.Decisions, Shared: s.Shared,
		})
	}
	return out
}

// few names robots or people. If there are more than most, it names the first most people and counts the others; robots
// it only counts.
func (r *Report) few(list []rdf.Term, most int, noun string) string {
	if noun == "robots" && len(list) > most {
		return views.Count(len(list)) + " robots"
	}
	var names []string
	for _, t := range list[:min(len(list), most)] {
		names = append(names, quoted.Name(r.name(t)))
	}
	text := strings.Join(names, ", ")
	if more := len(list) - len(names); more > 0 {
		text += " and " + views.Count(more) + " more"
	}
	return text
}

func sectionLink(r *Report, section, name string) views.Link {
	return views.Link{Path: sectionPath(r, section), Name: name}
}

// totalCard shows eight numbers, and the strongest emotions.
func (r *Report) totalCard(ctx context.Context, out *ReportSection) error {
	out.Card = &Card{All: sectionLink(r, "emotions", "Emotions"), Nothing: "No emotion reached 75\u00a0%"}
	for _, q := range [][3]string{{"messages", "messages", "message"}, {"humans", "people", "person"}, {"robots", "robots", "robot"}, {"emotions", "emotions", "emotion"},
		{"activities", "activities", "activity"}, {"resolver-shared", "shared events", "shared event"}, {"models", "models", "model"}, {"resolver-pending", "to review", "to review"}} {
		n, err := r.total(ctx, q[0])
		if err != nil {
			return err
		}
		f := ReportFigure{Number: views.Count(n), What: q[1], Href: r.counted(q[0])}
		if n == 1 {
			f.What = q[2]
		}
		if r.ranged() && !r.limits(q[0]) {
			f.What += " in all"
		}
		if q[0] == "resolver-pending" {
			f.Href = r.counted(q[0], binding{"status", rdf.NewString("pending")})
		}
		out.Card.Tiles = append(out.Card.Tiles, f)
	}
	if _, err := r.names(ctx); err != nil {
		return err
	}
	few := *r
	few.Limit = 10 * cardStrong // several robots may log one reading
	rows, _, err := few.limited(ctx, "emotion-extremes")
	if err != nil {
		return err
	}
	if err := r.label(ctx, column(rows, 5)...); err != nil {
		return err
	}
	out.Card.Strong = r.strongest(rows)
	return nil
}

// strongest returns the first cardStrong emotions of rows, which are sorted by intensity. Robots that read the
// same emotion of somebody at about the same time share a row, with the highest intensity.
func (r *Report) strongest(rows [][]rdf.Term) (out []CardEmotion) {
	for _, row := range rows {
		start, who, category, intensity, robot, activity := row[0], row[1], row[2], row[3], row[5], row[7]
		e := CardEmotion{Who: r.name(who), Emotion: feeling(category), Strength: share(intensity, "").Text,
			Colour: views.SeriesClass(views.SeriesOf(seriesKey(category))), At: r.when(start), Why: why(activity)}
		e.at, _ = views.TimeOf(start)
		i := slices.IndexFunc(out, func(x CardEmotion) bool {
			return x.Who == e.Who && x.Emotion == e.Emotion && x.at.Sub(e.at).Abs() <= sameReading
		})
		if i < 0 && len(out) == cardStrong { // later rows may still be readings of those in out
			continue
		}
		if i < 0 {
			i = len(out)
			out = append(out, e)
		}
		if name := r.name(robot); !robot.IsZero() && !slices.Contains(out[i].Robots, name) {
			out[i].Robots = append(out[i].Robots, name)
		}
	}
	return out
}

// emotionCard shows how often each emotion was read, by the hour or the day.
func (r *Report) emotionCard(ctx context.Context, out *ReportSection) error {
	out.Card = &Card{All: sectionLink(r, "emotions", "Emotions"), Nothing: "No emotion has a time"}
	rows, err := r.rows(ctx, "emotion-hours")
	if err != nil {
		return err
	}
	byCategory, all := map[rdf.Term]tally{}, tally{}
	names := termNames{}
	names.add(feeling, rows, 0)
	names = names.distinct(r.Ages)
	for _, row := range rows {
		category, first, read := row[0], row[1], row[2]
		if at, ok := views.TimeOf(first); ok && r.charted(at) {
			if byCategory[category] == nil {
				byCategory[category] = tally{}
			}
			at = views.Floor(r.in(at), time.Hour)
			byCategory[category][at] += parseCount(read)
			all[at] += parseCount(read)
		}
	}
	times := all.times()
	if len(times) == 0 {
		return nil
	}
	slots, size := slotsFor(times[0], times[len(times)-1])
	most := 1
	for category, counts := range byCategory {
		chart := SmallChart{Name: names.of(category), Colour: views.SeriesClass(views.SeriesOf(seriesKey(category))), Slots: slots, Size: size, Bars: make([]HourBar, len(slots))}
		for at, n := range counts {
			i, _ := slices.BinarySearchFunc(slots, views.Floor(at, size), time.Time.Compare)
			b := &chart.Bars[i]
			b.From = slots[i]
			b.N, chart.Sum = b.N+n, chart.Sum+n
			b.Href = r.within("emotion-distribution-rows", b.From, views.Next(b.From, size), binding{"category", category})
			chart.Most = max(chart.Most, b.N)
		}
		chart.Href = r.within("emotion-distribution-rows", slots[0], views.Next(slots[len(slots)-1], size), binding{"category", category})
		most = max(most, chart.Most)
		out.Card.Small = append(out.Card.Small, chart)
	}
	slices.SortFunc(out.Card.Small, func(a, b SmallChart) int { return cmp.Or(cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Name, b.Name)) })
	often := 0
	for often < min(len(out.Card.Small), cardEmotions) && out.Card.Small[often].Sum >= oftenRead {
		often++
	}
	out.Card.Small, out.Card.Rare = out.Card.Small[:often], out.Card.Small[often:]
	out.About = "by " + SizeName(size)
	if len(slots) <= fewSlots {
		out.About = "how often each was read"
	} else if most > 9 { // one scale would flatten the rarer ones
		out.About += ", each on its own scale"
	} else {
		for i := range out.Card.Small {
			out.Card.Small[i].Most = most
		}
	}
	return nil
}

// charted reports whether a chart without a range has a time: one of the last century. Others are of clocks that were never set, and
// would put all else into one slot.
func (r *Report) charted(at time.Time) bool {
	return at.Before(views.Soon(r.Now)) && at.After(r.Now.AddDate(-100, 0, 0))
}

// slotsFor returns the starts of the slots of a chart from a time to another, and their size: hours for up to two days,
// and else days, weeks or ever seven times as long, so that there are about 60 at most.
func slotsFor(first, last time.Time) (slots []time.Time, size time.Duration) {
	size = time.Hour
	if span := last.Sub(first); span > 48*time.Hour {
		for size = 24 * time.Hour; span/size > 60; size *= 7 {
		}
	}
	for at := views.Floor(first, size); !at.After(last); at = views.Next(at, size) {
		slots = append(slots, at)
	}
	return slots, size
}

// reviewCard shows the cases that wait for a decision and are most likely one event.
func (r *Report) reviewCard(ctx context.Context, out *ReportSection) error {
	out.Card = &Card{All: views.Link{Path: "/shared-context?order=sure", Name: "All cases"}, Nothing: "No case waits for a decision", AllTime: true}
	if !r.MayCount { // an auditor may not decide
		out.Card.All = sectionLink(r, "resolver", "Shared events")
	}
	few := *r
	few.Limit, few.From, few.To = maxCases, time.Time{}, time.Time{}
	rows, _, err := few.limited(ctx, "likely-cases")
	if err != nil {
		return err
	}
	if _, err := r.names(ctx); err != nil {
		return err
	}
	if err := r.label(ctx, column(rows, 2)...); err != nil {
		return err
	}
	if len(rows) > 0 {
		out.About = "how likely it is one event"
	}
	for _, row := range rows {
		start, number, robot, text, likelihood := row[0], row[1], row[2], row[3], row[4]
		list, id := out.Card.Cases, number.Value()
		i := slices.IndexFunc(list, func(c CardCase) bool { return c.ID == id })
		if i < 0 && len(list) == cardCases {
			continue
		}
		if i < 0 {
			i = len(list)
			// The graph has rounded likelihoods, and none is certain.
			out.Card.Cases = append(list, CardCase{ID: id, At: r.when(start).Text, Share: min(0.9999, max(0, fraction(likelihood))), May: r.MayCount,
				Href: "/shared-context?" + url.Values{"case": {id}, "order": {"sure"}}.Encode()})
		}
		c := &out.Card.Cases[i]
		if said := text.Value(); said != "" && !slices.Contains(c.Texts, said) {
			c.Texts = append(c.Texts, said)
		}
		if name := r.name(robot); !robot.IsZero() && !slices.Contains(c.Robots, name) {
			c.Robots = append(c.Robots, name)
		}
	}
	return nil
}

// stateCard shows where each robot was, or else its first state.
func (r *Report) stateCard(ctx context.Context, out *ReportSection) error {
	wide := *r
	wide.Limit = cardStates
	all := ReportSection{}
	if _, _, err := wide.newestStates(ctx, nil, &all); err != nil {
		return err
	}
	out.Card = &Card{All: sectionLink(r, "states", "States"), Nothing: "No robot has a state with a time"}
	seen := map[string]bool{}
	for _, placed := range []bool{true, false} { // first the lanes of places, then those of robots without one
		for _, l := range all.Lanes {
			if !seen[l.Who] && (l.What == "place" || !placed) && len(out.Lanes) < cardLanes {
				seen[l.Who] = true
				out.Lanes = append(out.Lanes, l)
			}
		}
	}
	for _, l := range all.Legends {
		if slices.ContainsFunc(out.Lanes, func(lane Lane) bool { return lane.What == l.What }) {
			out.Legends = append(out.Legends, l)
		}
	}
	out.Scale, out.About = all.Scale, strings.TrimPrefix(all.Scale.words()+"; blank where a robot logged nothing for "+Length(unlogged), "; ")
	return nil
}

// modelCard shows how often each version of a model was used, by all robots.
func (r *Report) modelCard(ctx context.Context, out *ReportSection) error {
	out.Card = &Card{All: sectionLink(r, "ml", "Models"), Nothing: "No activity used a model"}
	models, err := r.models(ctx)
	if err != nil {
		return err
	}
	usage, err := r.rows(ctx, "ml-usage")
	if err != nil {
		return err
	}
	names := r.callModels(models, usage, nil)
	uses, versions := map[rdf.Term]int{}, map[string]int{}
	for _, row := range usage {
		model, times := row[1], row[2]
		uses[model] += parseCount(times)
	}
	for term, n := range uses {
		m := models[term.String()]
		c := CardModel{Name: names.of(term), Version: strings.Join(m.versions, ", "), Uses: n, Href: r.row("ml-usage-rows", binding{"model", term})}
		if len(m.labels) > 0 {
			c.Name = m.labels[0]
		}
		if len(m.scores) == 1 { // two may be of two measures
			if f, err := strconv.ParseFloat(m.scores[0], 64); err == nil {
				if f < 1 { // never shown as 1
					f = min(f, 0.99)
				}
				c.Score = strconv.FormatFloat(f, 'f', 2, 64)
			}
		}
		versions[c.Name]++
		out.Card.Models = append(out.Card.Models, c)
	}
	slices.SortFunc(out.Card.Models, func(a, b CardModel) int {
		return cmp.Or(cmp.Compare(b.Uses, a.Uses), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version))
	})
	out.Card.Models = out.Card.Models[:min(len(out.Card.Models), cardModels)]
	for i := range out.Card.Models {
		m := &out.Card.Models[i]
		m.Versions, m.Share = versions[m.Name], 100*m.Uses/out.Card.Models[0].Uses
		versions[m.Name] = 0 // only the first model of a name says how many versions there are
	}
	return nil
}
