package views

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Review is what /shared-context shows: counters, and one of five views.
type Review struct {
	View   string // "queue", "groups", "history", "thresholds", "robots"
	Tabs   []Tab
	Counts ReviewCounts
	Notice *ReviewNotice
	First  Command      // sends an observation, where none came yet
	Last   *ReviewEntry // the reader's newest decision that stands, to be taken back at once; nil where there is none

	Queue      ReviewQueue
	Groups     ReviewGroups
	History    ReviewHistory
	Thresholds ReviewThresholds
	Robots     ReviewRobots
}

// ReviewCounts are the counters on top.
type ReviewCounts struct{ Pending, Active, Merged, Aliases, Accepted, Rejected int64 }

// ReviewNotice is what became of what the reader did.
type ReviewNotice struct {
	Kind, Title, Detail string
	Undo                string    // what to take back; "" is nothing
	Look                string    // the address of the case; "" is none
	Ask                 *MergeAsk // nil where nothing is asked
}

// MergeAsk asks whether a case is accepted against an earlier rejection.
type MergeAsk struct{ Case, Target, Next string }

// ReviewQueue is the queue with one case of it.
type ReviewQueue struct {
	Reasons, Kinds []Choice
	Orders         []Choice
	Reason, Kind   string // chosen; "" is all
	Order          string
	Contains       string
	Filtered       bool
	All            string // the address of the queue without a filter
	Lines          []ReviewLine
	Total          int // that the filter lets through
	Position       int // of the case, from 1; 0 where it is not among them
	First          int // of Lines, from 1
	Case           *ReviewCase
	Next, Previous string // addresses; "" is none
	NextID         string // of the case behind this one
	Query          string // the filter as a query, to come back with
	Cut            bool   // the queue is longer than what is shown of it
}

// Choice is one of a select.
type Choice struct{ Value, Name string }

// ReviewLine is a case in the queue.
type ReviewLine struct {
	Href, Text, Kind, Reason string
	Share                    float64 // how likely it is that one of the targets is right
	Opened                   time.Time
	Current                  bool
}

// ReviewCase is the decision area.
type ReviewCase struct {
	ID, Status, Sentence, Kind, Title string
	Share                             float64
	Opened, Weighed, Decided          time.Time
	By                                string
	Source                            []ReviewSight
	Offers                            []ReviewOffer
	Now                               string // the URI of the context that has the source now
	Record                            string // the address of the page about that
}

// Pending reports whether it waits.
func (c ReviewCase) Pending() bool { return c.Status == "pending" }

// ReviewSight is an observation.
type ReviewSight struct{ At, Who, How, Text, Robot, URI string }

// ReviewOffer is a target with its comparison.
type ReviewOffer struct {
	URI        string
	Record     string // the address of the page about it
	Share      float64
	Chosen     bool
	KeptApart  bool
	Text       string
	Rows       []ReviewRow
	More       []ReviewSight // what else the target has
	Conditions []ReviewCondition
	Evidence   []ReviewEvidence
	Sum        float64 // nats
}

// ReviewRow is an attribute, side by side.
type ReviewRow struct {
	Name           string
	Source, Target []Span
	SourceHref     string // the page about what the side names; "" is none, also in TargetHref
	TargetHref     string
	Verdict, Words string // "same", "close", "missing", "different" or "" for none; and what it means here
	Fine           bool   // that they differ speaks for one event
}

// Span is a part of a text, marked where the sides differ.
type Span struct {
	Text   string
	Marked bool
}

// ReviewCondition is one of a match without a person.
type ReviewCondition struct {
	Holds bool
	Words string
}

// ReviewEvidence is one step of the waterfall, in nats.
type ReviewEvidence struct {
	Name, Seen string
	Weight     float64
	From, To   float64 // of the sum, before and after
}

// ReviewGroups are cases that ask about the same context.
type ReviewGroups struct {
	Groups []ReviewGroup
	Open   *ReviewGroup // the one that is previewed
	Result *ReviewMany
}

// ReviewGroup is one of them.
type ReviewGroup struct {
	URI, Href, Title, Kind string
	Cases                  []ReviewMember
	Count                  int
}

// ReviewMember is a case of a group.
type ReviewMember struct {
	ID, Target, Href, Text, Who, Gap string
	Share                            float64
	Sure                             bool // ticked from the start
}

// ReviewMany is what came of many decisions.
type ReviewMany struct {
	Accepted int
	Joined   int      // were one event already, as by another of these decisions
	Refused  []string // why, a sentence each
}

// ReviewHistory is who decided what, when.
type ReviewHistory struct {
	Entries []ReviewEntry
	Older   string
}

// ReviewEntry is a decision.
type ReviewEntry struct {
	ID, Kind, By, Text, Event, Case string // Case is an address; "" where there was none
	Context                         string // the address of the page about the observation's context
	At                              time.Time
	Undone, Undoable                bool
}

// ReviewThresholds tries thresholds on what was decided.
type ReviewThresholds struct {
	Decided int
	Current float64
	Chosen  string
	Trials  []ReviewTrial
}

// ReviewTrial is one threshold.
type ReviewTrial struct {
	At                    float64
	AskedRight, AskedElse int
	FreedElse, LostRight  int
	Current, Chosen       bool
}

// Percent writes a share; what is nearly all is not called all.
func Percent(share float64) string {
	switch p := 100 * share; {
	case share >= 1:
		return "100\u00a0%"
	case p >= 99:
		return strconv.FormatFloat(math.Floor(p*10)/10, 'f', 1, 64) + "\u00a0%"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + "\u00a0%"
	}
}

// Short returns the end of an IRI, by which people know it.
func Short(iri string) string {
	if i := strings.LastIndexAny(strings.TrimRight(iri, "/#"), "/#:"); i >= 0 && i+1 < len(iri) {
		return strings.TrimRight(iri[i+1:], "/#")
	}
	return iri
}

// KindName makes words of the name of a kind.
func KindName(kind string) string { return strings.ReplaceAll(Short(kind), "_", " ") }

// ReasonName returns the few words that say why a case needs a person.
func ReasonName(reason string) string {
	names := map[string]string{
		"subject_missing": "no person", "subject_generic": "placeholder", "subject_differs": "other person",
		"modality_missing": "no modality", "modality_differs": "other modality",
		"text_missing": "no text", "text_weak": "weak text", "text_differs": "other words",
		"place_differs": "other place", "gap": "time gap", "rival": "rivals", "late_report": "late report",
		"reported_before": "same robot", "rejected_before": "kept apart",
	}
	if name, ok := names[reason]; ok {
		return name
	}
	return strings.ReplaceAll(reason, "_", " ")
}

// Compare marks the words by which two texts differ; case and marks between words do not
// count.
func Compare(a, b string) (left, right []Span) {
	wordsA, wordsB := strings.Fields(a), strings.Fields(b)
	if len(wordsA)*len(wordsB) > 250_000 { // a text that nobody speaks
		return []Span{{a, a != b}}, []Span{{b, a != b}}
	}
	longest := make([][]int, len(wordsA)+1) // common words from here on
	for i := range longest {
		longest[i] = make([]int, len(wordsB)+1)
	}
	for i := len(wordsA) - 1; i >= 0; i-- {
		for j := len(wordsB) - 1; j >= 0; j-- {
			if plain(wordsA[i]) == plain(wordsB[j]) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(wordsA) || j < len(wordsB); {
		switch {
		case i < len(wordsA) && j < len(wordsB) && plain(wordsA[i]) == plain(wordsB[j]):
			left, right = join(left, wordsA[i], false), join(right, wordsB[j], false)
			i, j = i+1, j+1
		case j == len(wordsB) || i < len(wordsA) && longest[i+1][j] >= longest[i][j+1]:
			left = join(left, wordsA[i], true)
			i++
		default:
			right = join(right, wordsB[j], true)
			j++
		}
	}
	return left, right
}

func plain(word string) string {
	return strings.ToLower(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

func join(spans []Span, word string, marked bool) []Span {
	if n := len(spans); n > 0 && spans[n-1].Marked == marked {
		spans[n-1].Text += " " + word
		return spans
	}
	return append(spans, Span{word, marked})
}

// Waterfall returns the steps of a sum.
func Waterfall(parts []ReviewEvidence) (steps []ReviewEvidence, sum float64) {
	for _, p := range parts {
		p.From, p.To = sum, sum+p.Weight
		sum = p.To
		steps = append(steps, p)
	}
	return steps, sum
}

// reach says from where to where the sums of a waterfall go.
func reach(steps []ReviewEvidence) (low, high float64) {
	for _, s := range steps {
		low, high = min(low, s.To), max(high, s.To)
	}
	return low, max(high, low+1)
}

// bar places a step on a scale of 0 to 1000.
func bar(steps []ReviewEvidence, s ReviewEvidence) (x, width string) {
	low, high := reach(steps)
	place := func(v float64) float64 { return 1000 * (v - low) / (high - low) }
	from, to := place(min(s.From, s.To)), place(max(s.From, s.To))
	return fmt.Sprintf("%.0f", from), fmt.Sprintf("%.0f", max(6, to-from))
}

// zero is where a sum is even, on that scale.
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
		return "good"
	}
	return map[string]string{"same": "good", "close": "warn", "different": "bad"}[r.Verdict]
}

func entryKind(kind string) string {
	return map[string]string{"accepted": "good", "rejected": "bad", "undone": "warn"}[kind]
}

// entryWord returns the badge of a decision.
func entryWord(e ReviewEntry) string {
	if e.Kind == "merged" {
		return "merged automatically"
	}
	return e.Kind
}
