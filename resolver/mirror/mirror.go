// Package mirror converts the resolver's records to RDF, for SPARQL. Its functions are
// pure: equal records have equal quads, and two states of a record determine the quads to
// remove and to add. All quads are in the graph Graph. The two triples of a merge are
// also in the published graph, so that queries there can follow an event across robots.
package mirror

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Graph is the name of the graph that holds the mirror.
const Graph = "urn:segraph:contexts"

// Names assigns IRIs to records.
type Names struct {
	Series []record.Series // oldest first
	// Unpublished is the last decision whose merge is not in the published graph.
	Unpublished uint64
	Context     func(number uint64) string
	// Hasher names the nodes of robots, subjects and agents. It may be nil if none is named.
	Hasher *record.Hasher
	// Said reports whether the quads of a node shared by many records are omitted because
	// they already exist. If nil, none are omitted.
	Said func(node rdf.Term) bool
}

// Case returns the id of a case, a single word.
func (n Names) Case(number uint64) string {
	return n.name("review_", number, func(s *record.Series) uint64 { return s.Cases })
}

// Decision returns the id of a decision.
func (n Names) Decision(number uint64) string {
	return n.name("decision_", number, func(s *record.Series) uint64 { return s.Decisions })
}

// Observation returns the id of an observation.
func (n Names) Observation(number uint64) string {
	return n.name("observation_", number, func(s *record.Series) uint64 { return s.Observations })
}

// name returns the name of a number, according to the last series that begins at or
// before it.
func (n Names) name(word string, number uint64, first func(*record.Series) uint64) string {
	if i := sort.Search(len(n.Series), func(i int) bool { return first(&n.Series[i]) > number }); i > 0 {
		return word + Suffix(n.Series[i-1].Bits[:], number)
	}
	return word + Suffix(nil, number) // no series begins there, and no record has the number
}

// Suffix returns the end of a name: the bits of its series and the number, in
// hexadecimal.
func Suffix(bits []byte, number uint64) string {
	digits := strconv.FormatUint(number, 16)
	return hex.EncodeToString(bits) + strings.Repeat("0", max(0, minDigits-len(digits))) + digits
}

const minDigits = 10 // of the number

// Number returns the number at the end of a name, or 0 if there is none. To verify a
// name, compare it with the name of the number.
func Number(name string) uint64 {
	digits := name[strings.LastIndexByte(name, '_')+1:]
	bits := hex.EncodedLen(len(record.Series{}.Bits))
	if len(digits) < bits+minDigits {
		return 0
	}
	n, _ := strconv.ParseUint(digits[bits:], 16, 64) // 0 is not a valid number
	return n
}

// own returns the IRI for a name of one word.
func own(name string) rdf.Term { return rdf.NewIRI("urn:segraph:" + name) }

// hashed returns the node of one or more names: a word and a hash of them.
func (n Names) hashed(word string, names ...string) rdf.Term {
	return own(fmt.Sprintf("%s_%016x", word, n.Hasher.Of(append([]string{word}, names...)...).Number()))
}

// User returns the IRI of a user.
func User(name string) string { return "urn:segraph:user:" + url.PathEscape(name) }

// writer collects quads.
type writer struct{ quads []rdf.Quad }

var graph = rdf.NewIRI(Graph)

func (w *writer) add(s rdf.Term, p string, o rdf.Term) {
	w.quads = append(w.quads, rdf.Quad{S: s, P: rdf.NewIRI(p), O: o, G: graph})
}

// text adds a string unless it is empty.
func (w *writer) text(s rdf.Term, p, value string) {
	if value != "" {
		w.add(s, p, rdf.NewString(value))
	}
}

// reference adds an IRI, or a string if the value is not a valid IRI.
func (w *writer) reference(s rdf.Term, p, value string) {
	if rdf.IsIRI(value) {
		w.add(s, p, rdf.NewIRI(value))
	} else {
		w.text(s, p, value)
	}
}

func (w *writer) time(s rdf.Term, p string, us int64) { w.add(s, p, Time(us)) }

func (w *writer) float(s rdf.Term, p string, f float64) {
	w.add(s, p, rdf.NewLiteral(decimal(f), rdf.XSDDouble))
}

func (w *writer) integer(s rdf.Term, p string, n uint64) {
	w.add(s, p, rdf.NewLiteral(strconv.FormatUint(n, 10), rdf.XSDInteger))
}

// Time returns a time in microseconds as an xsd:dateTime.
func Time(us int64) rdf.Term {
	return rdf.NewLiteral(time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.999999Z07:00"), rdf.XSDDateTime)
}

// Difference returns the quads to remove and to add to get from before to after. They have no
// language tags, so equal quads are the same.
func Difference(before, after []rdf.Quad) (remove, add []rdf.Quad) {
	if len(before) == 0 {
		return nil, after
	}
	if len(before) <= few && len(after) <= few { // comparing all costs less than a map
		return lacking(after, before), lacking(before, after)
	}
	old := make(map[rdf.Quad]bool, len(before))
	for _, q := range before {
		old[q] = true
	}
	for _, q := range after {
		if old[q] {
			delete(old, q)
		} else {
			add = append(add, q)
		}
	}
	for _, q := range before {
		if old[q] {
			remove = append(remove, q)
			delete(old, q)
		}
	}
	return remove, add
}

// lacking returns the quads that other lacks, each once.
func lacking(other, quads []rdf.Quad) (out []rdf.Quad) {
	for _, q := range quads {
		if !slices.Contains(other, q) && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// Schema returns the classes of the mirror. Its graph contains them unless it is empty.
func Schema() []rdf.Quad {
	var w writer
	for _, c := range []struct{ class, of string }{
		{vocabulary.ScSharedContext, vocabulary.ProvEntity}, {vocabulary.ScSharedContext, vocabulary.SchemaEvent},
		{vocabulary.ScObservation, vocabulary.ProvEntity}, {vocabulary.ScObservation, vocabulary.SOSAObservation},
		{vocabulary.ScReviewCase, vocabulary.ProvEntity},
		{vocabulary.ScDecision, vocabulary.ProvActivity},
	} {
		w.add(rdf.NewIRI(c.class), vocabulary.RDFSSubClassOf, rdf.NewIRI(c.of))
	}
	for _, class := range decisions {
		w.add(rdf.NewIRI(class), vocabulary.RDFSSubClassOf, rdf.NewIRI(vocabulary.ScDecision))
	}
	return w.quads
}

var decisions = map[record.DecisionKind]string{
	record.Creation:      vocabulary.ScCreation,
	record.Match:         vocabulary.ScMatch,
	record.Doubtful:      vocabulary.ScDoubt,
	record.AutoMerge:     vocabulary.ScAutoMerge,
	record.AcceptedMerge: vocabulary.ScAcceptedMerge,
	record.Rejection:     vocabulary.ScRejection,
	record.Supersession:  vocabulary.ScSupersession,
	record.Undoing:       vocabulary.ScUndo,
}
