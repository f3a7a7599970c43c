package reports

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/segraph/segraph/internal/quoted"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// metTable lists who met whom.
func (r *Report) metTable(ordered []*pair) ReportTable {
	said := r.table("said", "Who met whom", "No message or observation connects two participants.",
		"Who", "Whom", "Messages to#", "Messages heard by#", "Noticed#")
	said.About = "Each row tells what one did towards the other."
	said.Terms = []ReportTerm{
		{Name: "Met", Means: "talked with, heard or noticed."},
		{Name: "Messages to", Means: "those that the other one answered, and those that answer the other one or are about them."},
		{Name: "Messages heard by", Means: "those that the other one logged. Only robots log."},
		{Name: "Noticed", Means: "how often the robot logged an event or an emotion of the other one."},
	}
	for _, p := range ordered[:min(len(ordered), r.Limit)] {
		bound := []binding{{"who", p.from}, {"whom", p.to}}
		said.Rows = append(said.Rows, []ReportCell{
			r.who(p.from), r.who(p.to), number(p.said, r.counted("said", bound...)),
			r.byRobot(p.to, number(p.heard, r.counted("overheard", bound...))), r.byRobot(p.from, number(p.noticed, r.counted("noticed", bound...))),
		})
	}
	said.More = len(ordered) > r.Limit
	return said
}

// leads returns a sentence for each kind of meeting that the person of the report had.
func (r *Report) leads(pairs []*pair) (out []ReportLead) {
	talked, heard, noticed := r.met(r.Who, pairs)
	for _, kind := range []struct {
		words string
		with  []rdf.Term
	}{{"talked with", talked}, {"did not talk with, but heard or was heard by,", heard}, {"only noticed, or was noticed by,", noticed}} {
		if len(kind.with) > 0 {
			c := r.listed(kind.with, maxMet, "")
			out = append(out, ReportLead{Text: quoted.Name(r.name(r.Who)) + " " + kind.words + " " + r.howMany(kind.with) + ":", Names: c.Names})
		}
	}
	if len(out) == 0 {
		out = append(out, ReportLead{Text: quoted.Name(r.name(r.Who)) + " met nobody" + inRange + "."})
		if !r.ranged() {
			out[0].Text = "No log says that " + quoted.Name(r.name(r.Who)) + " met somebody."
		}
	}
	everybody := *r
	everybody.Who = rdf.Term{}
	values := everybody.Values()
	values.Set("section", "people")
	out[len(out)-1].All = "/reports?" + values.Encode()
	return out
}

// howMany counts participants: "19 people and 1 robot".
func (r *Report) howMany(list []rdf.Term) string {
	people, robots := 0, 0
	for _, t := range list {
		if r.people[t.String()].robot {
			robots++
		} else {
			people++
		}
	}
	var out []string
	if people == 1 {
		out = append(out, "1 person")
	} else if people > 1 {
		out = append(out, views.Count(people)+" people")
	}
	if robots > 0 {
		out = append(out, views.Count(robots)+" "+views.Noun(robots, "robot"))
	}
	return strings.Join(out, " and ")
}

// met returns those that a participant, who, met, each in one list: talked exchanged messages
// with who; heard only heard who, or was heard; noticed is the rest.
func (r *Report) met(who rdf.Term, pairs []*pair) (talked, heard, noticed []rdf.Term) {
	seen := map[rdf.Term]bool{}
	for _, kind := range []struct {
		list *[]rdf.Term
		of   func(*pair) bool
	}{
		{&talked, func(p *pair) bool { return p.said > 0 }}, {&heard, func(p *pair) bool { return p.heard > 0 }},
		{&noticed, func(*pair) bool { return true }},
	} {
		for _, p := range pairs {
			other := p.to
			if p.from != who {
				other = p.from
			}
			if (p.from == who || p.to == who) && kind.of(p) && !seen[other] {
				seen[other] = true
				*kind.list = append(*kind.list, other)
			}
		}
	}
	return talked, heard, noticed
}

// meeting returns a cell with the names of those that a participant, who, met. If the
// report is about that participant, the cell shows up to maxMet names. Otherwise it shows
// the first few, and links to the report that has all.
func (r *Report) meeting(who rdf.Term, list []rdf.Term) ReportCell {
	if who == r.Who {
		return r.listed(list, maxMet, "")
	}
	of := *r
	of.Who = who
	return r.listed(list, someNames, "/reports?"+readable.Replace(of.Values().Encode())+"&section=people#people")
}

// maxMet is how many names a report about one participant shows.
const maxMet = 200

// someNames is how many names a cell shows.
const someNames = 7

// listed returns a cell of robots or humans. Each name leads to their story. If there are
// more than limit, it shows fewer, and rest leads to the others.
func (r *Report) listed(list []rdf.Term, limit int, rest string) ReportCell {
	shown := len(list)
	if shown > limit {
		shown = limit - 1
	}
	var c ReportCell
	names := make([]string, len(list))
	for i, term := range list {
		if names[i] = r.name(term); i < shown {
			c.Names = append(c.Names, views.Link{Path: why(term), Name: names[i]})
		}
	}
	c.Text, c.Value = strings.Join(names[:shown], ", "), strings.Join(names, ", ")
	if more := len(list) - shown; more > 0 {
		c.Text += fmt.Sprintf(" and %d more", more)
		c.Title = c.Value
		c.More = views.Link{Path: rest, Name: fmt.Sprintf("%d more", more)}
	}
	return c
}

// pair counts what one participant did to another.
type pair struct {
	from, to             rdf.Term
	said, heard, noticed int
}

// number returns the cell of a number, linked to its query.
func number(n int, href string) ReportCell {
	return count(rdf.NewString(strconv.Itoa(n)), href)
}
