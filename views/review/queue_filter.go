package review

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/text"
	"github.com/segraph/segraph/store/trigram"
	"github.com/segraph/segraph/views"
)

// queueFilter selects and orders the cases of the queue.
type queueFilter struct {
	reason, kind, order, contains string
	least, most                   string // bounds of the probability, in percent; "" means none
	batch                         string // id of a batch, to show only its sample
}

var queueOrders = []Choice{{Value: "", Name: "oldest first"}, {Value: "new", Name: "newest first"}, {Value: "sure", Name: "most likely first"}, {Value: "unsure", Name: "least likely first"}}

// readQueueFilter reads the filter from an address; query writes it.
func readQueueFilter(query url.Values) queueFilter {
	f := queueFilter{reason: query.Get("reason"), kind: query.Get("kind"), order: query.Get("order"), contains: strings.TrimSpace(query.Get("contains")),
		least: percent(query.Get("least")), most: percent(query.Get("most")), batch: query.Get("batch")}
	if !slices.ContainsFunc(queueOrders, func(c Choice) bool { return c.Value == f.order }) {
		f.order = ""
	}
	return f
}

// percent returns a text that is a whole percentage, and "" for any other.
func percent(text string) string {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 100 {
		return strconv.Itoa(n)
	}
	return ""
}

// within reports whether a probability is within the bounds.
func (f queueFilter) within(probability float64) bool {
	least, err := strconv.Atoi(f.least)
	if err == nil && 100*probability < float64(least) {
		return false
	}
	most, err := strconv.Atoi(f.most)
	return err != nil || 100*probability <= float64(most)
}

func (f queueFilter) filtered() bool { return f != queueFilter{} }

// query returns the parameters of the filter's address.
func (f queueFilter) query() url.Values {
	out := url.Values{}
	for name, value := range map[string]string{"reason": f.reason, "kind": f.kind, "order": f.order, "contains": f.contains,
		"least": f.least, "most": f.most, "batch": f.batch} {
		if value != "" {
			out.Set(name, value)
		}
	}
	return out
}

func (f queueFilter) address(id string) string {
	q := f.query()
	q.Set("case", id)
	return "/shared-context?" + q.Encode()
}

// apply returns the matching cases, in order. It changes the slice all, which has the oldest first.
func (f queueFilter) apply(all []resolver.Waiting) []resolver.Waiting {
	matches := f.matching()
	all = slices.DeleteFunc(all, func(x resolver.Waiting) bool { return !matches(x) })
	switch f.order {
	case "new":
		slices.Reverse(all)
	case "sure":
		slices.SortStableFunc(all, func(a, b resolver.Waiting) int { return -compareShares(a, b) })
	case "unsure":
		slices.SortStableFunc(all, compareShares)
	}
	return all
}

// matching returns a function that reports whether a case matches the filter, apart from its
// batch. Texts of cases are in normal form, so the wanted part is brought into it.
func (f queueFilter) matching() func(resolver.Waiting) bool {
	part := trigram.NewMatcher(text.Normal(f.contains))
	return func(x resolver.Waiting) bool {
		return (f.reason == "" || string(x.Reason) == f.reason) && (f.kind == "" || x.EventKind == f.kind) &&
			part.Matches(x.Text) && f.within(x.Confidence)
	}
}

// certain is matching for a batch. One that accepts joins the best candidate of each case, so that must be within the bounds
// too: it may be less likely than all candidates together.
func (f queueFilter) certain(accept bool) func(resolver.Waiting) bool {
	matches := f.matching()
	return func(x resolver.Waiting) bool { return matches(x) && (!accept || f.within(x.Best)) }
}

func compareShares(a, b resolver.Waiting) int { return cmp.Compare(a.Confidence, b.Confidence) }

// kindNames returns names for the kinds of some cases.
func (u *handlers) kindNames(all []resolver.Waiting) views.Names {
	labels := map[string]string{}
	for _, x := range all {
		labels[x.EventKind] = views.KindName(x.EventKind)
	}
	return views.TellApart(labels, u.Ages)
}

// queueChoices returns the choices of the filter, with their numbers of cases.
func queueChoices(all []resolver.Waiting, kindNames views.Names) (reasons, kinds []Choice) {
	byReason, byKind := map[string]int{}, map[string]int{}
	for _, x := range all {
		byReason[string(x.Reason)]++
		byKind[x.EventKind]++
	}
	list := func(counts map[string]int, all string, name func(string) string) []Choice {
		out := []Choice{{Value: "", Name: all}}
		for value, n := range counts {
			out = append(out, Choice{Value: value, Name: name(value) + " (" + strconv.Itoa(n) + ")"})
		}
		slices.SortFunc(out[1:], func(a, b Choice) int { return strings.Compare(a.Name, b.Name) })
		return out
	}
	return list(byReason, "any reason", ReasonName), list(byKind, "any kind", kindNames.Of)
}
