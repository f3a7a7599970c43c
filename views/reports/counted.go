package reports

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
)

// Counted is a class whose instances count as activities: Time and Robot are the
// properties with their time and robot. Robot may be "". By says who chose it.
type Counted struct{ Class, Time, Robot, By string }

// activityPattern matches the triple patterns of the queries that identify activities,
// their times and their robots.
var activityPattern = regexp.MustCompile(`(\?\w+) (?:a segb:LoggedActivity|(prov:startedAtTime|segb:wasPerformedBy) (\?\w+))`)

// counting makes the patterns of a query match counted classes too. A line #times stands for their times.
func (r *Report) counting(query string) string {
	times := ""
	for _, c := range r.Classes {
		times += fmt.Sprintf("    { ?thing a <%s> . BIND(<%s> AS ?property) } UNION\n", c.Class, c.Time)
	}
	query = strings.Replace(query, "    #times\n", times, 1)
	if len(r.Classes) == 0 {
		return query
	}
	return activityPattern.ReplaceAllStringFunc(query, func(pattern string) string {
		found := activityPattern.FindStringSubmatch(pattern)
		parts := []string{"{ " + pattern + " }"}
		for _, counted := range r.Classes {
			property := map[string]string{"prov:startedAtTime": counted.Time, "segb:wasPerformedBy": counted.Robot}[found[2]]
			switch {
			case found[2] == "":
				parts = append(parts, fmt.Sprintf("{ %s a <%s> }", found[1], counted.Class))
			case property != "" && property != vocabulary.ProvStartedAtTime && property != vocabulary.SegbWasPerformedBy: // the pattern has these
				parts = append(parts, fmt.Sprintf("{ %s a <%s> ; <%s> %s }", found[1], counted.Class, property, found[3]))
			}
		}
		return strings.Join(parts, " UNION ")
	})
}

// reported are the classes of the things in reports, and of the parts of those things.
var reported = map[string]bool{
	vocabulary.SegbLoggedActivity: true, vocabulary.OroRobot: true, vocabulary.OroHuman: true, vocabulary.ProvPerson: true,
	vocabulary.FOAFPerson: true, vocabulary.SchemaPerson: true, vocabulary.SchemaMessage: true, vocabulary.SchemaEvent: true,
	vocabulary.SegbResult: true, vocabulary.OnyxEmotion: true, vocabulary.AmorEmotionAnnotation: true, vocabulary.OAAnnotation: true,
	vocabulary.SchemaPropertyValue: true, vocabulary.ProvAgent: true, vocabulary.ProvSoftwareAgent: true, vocabulary.SOSAProcedure: true,
	vocabulary.OroInitialMessage: true, vocabulary.OroResponseMessage: true,
}

// isReported reports whether reports know a class. They know all of machine learning.
func isReported(class rdf.Term) bool {
	return reported[class.Value()] || strings.HasPrefix(class.Value(), vocabulary.MLS) || strings.HasPrefix(class.Value(), vocabulary.Sc) ||
		strings.HasPrefix(class.Value(), vocabulary.OWL) || strings.HasPrefix(class.Value(), vocabulary.RDFS)
}

const (
	// sampled is how many instances of a class are examined.
	sampled = 20
	// triedClasses is the number of classes after which OtherClasses adds only counted
	// ones.
	triedClasses = 60
)

// OtherClass is a class with the number of its instances. Reports do not know it.
type OtherClass struct {
	Class  rdf.Term
	Things int
	As     *Counted // how reports count it; nil if they do not
}

// OtherClasses returns the classes that reports do not know, and the counted ones, those
// with the most instances first. Reports do not know a class if, of a sample of its
// instances, at least one has no class that they know.
func (r *Report) OtherClasses(ctx context.Context) ([]OtherClass, error) {
	rows, err := kept(r, "classes", func() ([][]rdf.Term, error) { return r.rows(ctx, "classes") })
	if err != nil {
		return nil, err
	}
	var out []OtherClass
	for _, row := range rows {
		class, things := row[0], row[1]
		c := OtherClass{Class: class, Things: parseCount(things)}
		i := slices.IndexFunc(r.Classes, func(k Counted) bool { return k.Class == class.Value() })
		if i >= 0 {
			c.As = &r.Classes[i]
		} else if !class.IsIRI() || isReported(class) || len(out) >= triedClasses {
			continue
		} else if other, err := r.isOther(ctx, class); err != nil {
			return nil, err
		} else if !other {
			continue
		}
		out = append(out, c)
	}
	for i, k := range r.Classes { // counted classes whose instances are gone
		if !slices.ContainsFunc(out, func(c OtherClass) bool { return c.Class.Value() == k.Class }) {
			out = append(out, OtherClass{Class: rdf.NewIRI(k.Class), As: &r.Classes[i]})
		}
	}
	return out, nil
}

// isOther reports whether one of a sample of a class's instances has no class that reports
// know.
func (r *Report) isOther(ctx context.Context, class rdf.Term) (bool, error) {
	rows, err := r.Ask(ctx, fmt.Sprintf("SELECT ?thing ?class { { SELECT ?thing { ?thing a %s } LIMIT %d } ?thing a ?class }", class, sampled))
	if err != nil {
		return false, fmt.Errorf("read instances of a class: %w", err)
	}
	known := map[rdf.Term]bool{}
	for _, row := range rows {
		known[row[0]] = known[row[0]] || isReported(row[1])
	}
	for _, is := range known {
		if !is {
			return true, nil
		}
	}
	return false, nil
}

// classes shows the classes that reports do not know.
func (r *Report) classes(ctx context.Context, out *ReportSection) error {
	list, err := r.OtherClasses(ctx)
	if err != nil {
		return err
	}
	names := termNames{}
	for _, c := range list {
		names.add(nil, [][]rdf.Term{{c.Class}}, 0)
	}
	names = names.distinct(r.Ages)
	t := r.table("classes", "Classes", "Reports know all classes of the graph.", "Class", "Things#", "Counted", "By", "")
	t.About = "An admin can count their things as activities."
	for _, c := range list[:min(len(list), r.Limit)] {
		as, by, do := plain("no"), "", ReportCell{}
		if c.As != nil {
			as, by = plain("as activity, at "+c.As.when()), c.As.By
		}
		if r.MayCount {
			do = ReportCell{Text: cmp.Or(map[bool]string{true: "Change"}[c.As != nil], "Count as activity"), Href: "/classes?class=" + escaped(c.Class.Value())}
		}
		t.Rows = append(t.Rows, []ReportCell{names.used(c.Class), number(c.Things, r.counted("classes", binding{"class", c.Class})), as, plain(by), do})
	}
	shares(t.Rows, 1)
	out.Tables = append(out.Tables, t)
	return nil
}

// when names the properties that a class is counted by.
func (c *Counted) when() string {
	text := local(rdf.NewIRI(c.Time))
	if c.Robot != "" {
		text += ", by " + local(rdf.NewIRI(c.Robot))
	}
	return text
}

// Choice is a property of a class's instances, and how many of the sampled ones have it.
type Choice struct {
	Property string
	Has      int
}

// usualTimes and usualRobots are the properties that suit best, best first.
var (
	usualTimes = []string{vocabulary.ProvStartedAtTime, vocabulary.SOSA + "resultTime", vocabulary.SOSA + "phenomenonTime", vocabulary.ProvGeneratedAtTime,
		"http://purl.org/dc/terms/created", "http://purl.org/dc/terms/date", vocabulary.Schema + "startDate", vocabulary.Schema + "dateCreated"}
	usualRobots = []string{vocabulary.SegbWasPerformedBy, vocabulary.ProvWasAssociatedWith, vocabulary.ProvWasAttributedTo, vocabulary.SOSA + "madeBySensor",
		vocabulary.SOSA + "madeByActuator", vocabulary.Schema + "agent", "http://purl.org/dc/terms/creator"}
)

// Choices samples the instances of a class: up to ten times sampled. It returns their properties with times, their
// properties with IRIs, both with the usual properties first and then those that most instances have, and the size of
// the sample.
func (r *Report) Choices(ctx context.Context, class rdf.Term) (times, robots []Choice, of int, err error) {
	rows, err := r.Ask(ctx, fmt.Sprintf("SELECT DISTINCT ?thing ?property ?value { { SELECT ?thing { ?thing a %s } LIMIT %d } ?thing ?property ?value }", class, 10*sampled))
	if err != nil {
		return nil, nil, 0, fmt.Errorf("read instances of a class: %w", err)
	}
	seen, things := map[[2]rdf.Term]bool{}, map[rdf.Term]bool{}
	for _, row := range rows {
		thing, property, value := row[0], row[1], row[2]
		things[thing] = true
		key := [2]rdf.Term{thing, property}
		list := &robots
		if _, ok := views.TimeOf(value); ok && value.Datatype() == rdf.XSDDateTime {
			list = &times
		} else if !value.IsIRI() || property.Value() == rdf.RDF+"type" {
			continue
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		i := slices.IndexFunc(*list, func(c Choice) bool { return c.Property == property.Value() })
		if i < 0 {
			*list, i = append(*list, Choice{Property: property.Value()}), len(*list)
		}
		(*list)[i].Has++
	}
	order := func(list []Choice, usual []string) {
		rank := func(c Choice) int {
			if i := slices.Index(usual, c.Property); i >= 0 {
				return i
			}
			return len(usual)
		}
		slices.SortStableFunc(list, func(a, b Choice) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Has, a.Has), cmp.Compare(a.Property, b.Property))
		})
	}
	order(times, usualTimes)
	order(robots, usualRobots)
	return times, robots, len(things), nil
}
