package review

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/views"
)

// Review is the model of /shared-context: counters and one of two views.
type Review struct {
	View   string // "queue" or "quality"
	Tabs   []views.Tab
	Counts resolver.Statistics // its counters are shown at the top
	Notice *ReviewNotice
	First  views.Command // a command that sends an observation, if there is none yet
	Last   *ReviewEntry  // the reader's newest valid decision, which can be undone; nil if there is none

	Queue     ReviewQueue
	Questions []ReviewQuestion // shown with the queue
	Many      *ReviewMany      // the result of accepting several cases, or nil
	Quality   ReviewQuality
}

// ReviewNotice is the result of the reader's action.
type ReviewNotice struct {
	Kind, Title, Detail string
	Undo                string    // id of what can be undone, or ""
	Look                string    // the address of the case, or ""
	Ask                 *MergeAsk // a confirmation to ask for, or nil
}

// MergeAsk asks whether to accept a case despite an earlier rejection.
type MergeAsk struct{ Case, Seen, Target, Next string }

// ReviewQueue is the queue and its open case or group.
type ReviewQueue struct {
	Reasons, Kinds []Choice
	Orders         []Choice
	Reason, Kind   string // the selected values; "" means all
	Order          string
	Contains       string
	Least, Most    string // bounds of the probability in percent, or ""
	Batch          string // the address of the batch whose sample this is, or ""
	Filtered       bool
	All            string // the address of the queue without a filter
	Lines          []ReviewLine
	Total          int // number of cases that match the filter
	Position       int // position of the open case, from 1; 0 if it does not match
	First          int // position of the first of Lines, from 1
	Case           *ReviewCase
	Groups         []ReviewGroup // the largest
	Group          *ReviewGroup  // the open group
	Next, Previous string        // addresses, or ""
	NextID         string        // id of the next case
	Query          string        // the filter as a query string
	Cut            bool          // only part of the queue is listed
}

// Choice is an option of a select element.
type Choice struct{ Value, Name string }

// ReviewLine is a case in the list of the queue.
type ReviewLine struct {
	Href, Text, Kind, Reason string
	Robot                    string  // its name, or ""
	Share                    float64 // the probability that one of the targets is right
	Opened                   time.Time
	Current                  bool
}

// ReviewCase is the decision area.
type ReviewCase struct {
	ID, Status, Sentence, Kind, Title string
	Seen                              string // see resolver.AsSeen
	Decision                          string // the id of the decision on it, or ""
	Notes                             views.Remarks
	Share                             float64
	Opened, Weighed, Decided          time.Time
	By                                string
	Offers                            []ReviewOffer
	Now                               string // the URI of the context that the source now belongs to
	Record                            string // address of the page about Now
}

// Pending reports whether the case is undecided.
func (c ReviewCase) Pending() bool { return c.Status == "pending" }

// ReviewSight is an observation.
type ReviewSight struct{ At, Who, How, Text, Robot, URI string }

// ReviewOffer is a target and its comparison with the source.
type ReviewOffer struct {
	URI       string
	Record    string // the address of the page about it
	Share     float64
	Chosen    bool
	KeptApart bool
	Text      string
	Rows      []ReviewRow
	Beside    []ReviewSight // other observations of the source's event, or the first of them
	More      []ReviewSight // other observations of the target, or the first of them
	// BesideCount and MoreCount are how many there are.
	BesideCount, MoreCount int
	Conditions             []ReviewCondition
	Evidence               []ReviewEvidence
}

// moreSeen counts other observations, some of which are shown.
func moreSeen(count int, shown []ReviewSight) string {
	if count > len(shown) {
		return views.Plural(count, "more observation") + " (the first " + views.Count(len(shown)) + " are here)"
	}
	return views.Plural(len(shown), "more observation")
}

// shown says how many cases of a large group the page has.
func (g *ReviewGroup) shown() string {
	if g.Count > maxGroup {
		return "; the first " + views.Count(maxGroup) + " are here"
	}
	return ""
}

// ReviewRow compares one attribute.
type ReviewRow struct {
	Name           string
	Source, Target []views.Span
	SourceHref     string // addresses of the pages about the values, or ""
	TargetHref     string
	Verdict, Words string // "same", "close", "missing", "different" or ""; and its explanation
	Fine           bool   // a difference is no evidence against a match
}

// ReviewCondition is a condition of an automatic match.
type ReviewCondition struct {
	Holds bool
	Words string
}

// ReviewEvidence is a step of the waterfall chart, in nats.
type ReviewEvidence struct {
	Name, Seen string
	Weight     float64
}

// ReviewGroup is a group of cases about one context. Only the open one has Cases.
type ReviewGroup struct {
	URI, Href, Title, Kind string
	Cases                  []ReviewMember
	Count                  int
}

// ReviewMember is a case of a group, with its best candidate.
type ReviewMember struct {
	ID, Href, Text string
	Seen           string // see resolver.AsSeen
	Sentence       string // why it needs review
	Apart          string // what tells it from others of the same words
	Offer          ReviewOffer
	Others         []ReviewSight // the first observations of its other candidates
}

// ReviewMany is the result of deciding several cases.
type ReviewMany struct {
	Accepted, Rejected int
	Joined             int      // cases that were already one event, for example by another of these decisions
	Refused            []string // the reasons, one sentence each
	Left               int      // cases that were not tried, after the service failed to decide one
}

// ReviewHistory lists the decisions.
type ReviewHistory struct {
	Batches []BatchLink
	Entries []ReviewEntry
	Older   string
}

// ReviewEntry is a decision.
type ReviewEntry struct {
	ID, Kind, By, Text, Event, Case string // Case is an address, or ""
	Context                         string // address of the page about the observation's context
	At                              time.Time
	Undone, Undoable                bool
}

// ReasonName returns a short label for the reason of a case.
func ReasonName(reason string) string { return weigh.Reason(reason).Label() }

// reach returns the range of the weights and 0.
func reach(steps []ReviewEvidence) (low, high float64) {
	for _, s := range steps {
		low, high = min(low, s.Weight), max(high, s.Weight)
	}
	return low, max(high, low+1)
}

// bar returns the geometry of a weight on a scale from 0 to 1000.
func bar(steps []ReviewEvidence, s ReviewEvidence) (x, width string) {
	low, high := reach(steps)
	place := func(v float64) float64 { return 1000 * (v - low) / (high - low) }
	from, to := place(min(0, s.Weight)), place(max(0, s.Weight))
	return fmt.Sprintf("%.0f", from), fmt.Sprintf("%.0f", max(6, to-from))
}

// zero returns the position of 0 on that scale.
func zero(steps []ReviewEvidence) string {
	low, high := reach(steps)
	return fmt.Sprintf("%.0f", -1000*low/(high-low))
}

func signed(weight float64) string {
	if math.Abs(weight) < 0.05 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+.1f", weight), "-", "−", 1)
}

// rowKind returns the colour of a verdict.
func rowKind(r ReviewRow) string {
	if r.Fine {
		return ""
	}
	return map[string]string{"same": "good", "close": "warn", "missing": "warn", "different": "bad"}[r.Verdict]
}

func entryKind(kind string) string {
	return map[string]string{"accepted": "good", "rejected": "bad", "undone": "warn"}[kind]
}

// decided returns the words for the state of a case or an event, or for the kind of a decision: those of the buttons.
func decided(state string) string {
	words := map[string]string{"pending": "to review", "ambiguous": "to review", "accepted": "same event", "rejected": "different", "superseded": "settled", "merged": "merged automatically"}
	return cmp.Or(words[state], state)
}
