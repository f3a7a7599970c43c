package review

import (
	"math"
	"strings"
	"time"

	"github.com/segraph/segraph/service"
)

// Batch is the model of /shared-context/batch: one verdict for many cases.
type Batch struct {
	service.BatchState
	Own    bool     // the reader opened it
	More   bool     // the reader has begun to decide or to undo, which may take several requests
	Words  []string // what the filter says
	Queue  string   // address of the queue with the filter
	Review string   // address of the queue with the sample
	Cases  []BatchCase
}

// BatchCase is a case of the sample.
type BatchCase struct {
	Text, Target, Href, Gap, Status, By string
	Share                               float64 // how likely Target is
	Others                              int     // candidates besides Target
	Agrees                              bool
}

// BatchLink is a batch in the history.
type BatchLink struct {
	Href, By, State string
	At              time.Time
	Accept          bool
	Total           int
	Filter          []string
}

func verdictWord(accept bool) string {
	if accept {
		return "same event"
	}
	return "different"
}

func filterText(words []string) string {
	if len(words) == 0 {
		return "all to review"
	}
	return strings.Join(words, ", ")
}

// judged returns how many cases of the sample were decided by hand.
func (b Batch) judged() int { return b.Agreed + b.Differed }

// running reports whether the batch has begun and not ended.
func (b Batch) running() bool { return b.Decided > 0 && b.Ended.IsZero() && b.Undoing.IsZero() }

// undoing reports whether undoing has begun and not ended.
func (b Batch) undoing() bool { return !b.Undoing.IsZero() && b.Undone.IsZero() }

// AtLeast returns a lower bound for the rate of agreement of all cases, if agreed of n
// cases agreed: the one-sided bound of the Wilson score, with 95 % confidence.
func AtLeast(agreed, n int) float64 {
	if n == 0 {
		return 0
	}
	const z = 1.645
	p, m := float64(agreed)/float64(n), float64(n)
	return max(0, (p+z*z/(2*m)-z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m)))/(1+z*z/m))
}
