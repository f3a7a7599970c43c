// Package semcheck says whether a document uses the vocabulary of robots' logs as it is
// meant. It reads the document alone, never a store, and judges only what it knows:
// any other RDF passes.
package semcheck

import (
	"unicode/utf8"

	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
)

// Severity of an issue: a document with an error is not valid, one with warnings is.
const (
	Error   = "error"
	Warning = "warning"
)

// Codes of issues. Clients know them by these words.
const (
	TurtleSyntaxError      = "TTL_SYNTAX_ERROR"
	IRISyntax              = "IRI_SYNTAX"
	EmptyGraph             = "SEM_EMPTY_GRAPH"
	RDFTypeLiteral         = "SEM_RDF_TYPE_LITERAL"
	ObjectPropertyLiteral  = "SEM_OBJECT_PROPERTY_LITERAL"
	DatetimeNotLiteral     = "SEM_DATETIME_NOT_LITERAL"
	DatetimeWrongDatatype  = "SEM_DATETIME_WRONG_DATATYPE"
	DatetimeInvalidLexical = "SEM_DATETIME_INVALID_LEXICAL"
	IntensityNotLiteral    = "SEM_INTENSITY_NOT_LITERAL"
	IntensityNotNumeric    = "SEM_INTENSITY_NOT_NUMERIC"
	IntensityOutOfRange    = "SEM_INTENSITY_OUT_OF_RANGE"
	EmotionCategoryLiteral = "SEM_EMOTION_CATEGORY_LITERAL"
	SubjectWithoutType     = "SEM_SUBJECT_WITHOUT_TYPE"
)

// Issue is one thing that is wrong. A member that does not apply is nil: null in JSON.
type Issue struct {
	Severity  string  `json:"severity"`
	Code      string  `json:"code"`
	Message   string  `json:"message"`
	FocusNode *string `json:"focus_node"` // an IRI, or a blank node with its "_:"
	Predicate *string `json:"predicate"`  // an IRI
	Value     *string `json:"value"`      // an IRI, a blank node, or a lexical form, cut at MaxValue
	Line      *int    `json:"line"`       // from 1; see Locate
	Column    *int    `json:"column"`     // from 1, in characters
}

// MaxValue is the greatest length of an issue's value in characters.
const MaxValue = 1000

// Report is what Check finds.
type Report struct {
	Issues []Issue // the first ones, by subject
	Errors int     // how many errors there are, also among those left out
	Total  int     // how many issues there are, also those left out
}

// Check judges a document whose quads are distinct and sorted, as Document.Distinct leaves
// them. It gives at most limit issues and counts all.
func Check(d *store.Document, limit int) Report {
	c := checker{document: d, limit: limit, report: Report{Issues: []Issue{}}}
	if len(d.Quads) == 0 {
		c.add(Issue{Severity: Error, Code: EmptyGraph, Message: "The Turtle document has no triples."})
		return c.report
	}
	rules := rulesOf(d.Terms)
	for from, to := 0, 0; from < len(d.Quads); from = to {
		subject := d.Quads[from][0]
		typed, relevant := false, false
		for to = from; to < len(d.Quads) && d.Quads[to][0] == subject; to++ {
			switch r := rules[d.Quads[to][1]]; r {
			case none:
			case isType:
				typed = true
				c.check(d.Quad(to), r)
			default:
				relevant = true
				c.check(d.Quad(to), r)
			}
		}
		if relevant && !typed {
			c.add(untyped(d.Terms[subject]))
		}
	}
	return c.report
}

// untyped returns the warning about a subject without a type.
func untyped(subject rdf.Term) Issue {
	return Issue{Severity: Warning, Code: SubjectWithoutType,
		Message:   "This node has properties of the vocabulary and no rdf:type.",
		FocusNode: text(subject)}
}

// rule is what the vocabulary wants of a property's values.
type rule uint8

const (
	none rule = iota
	isType
	isResource
	isDateTime
	isIntensity
	isCategory
)

// rulesOf returns the rule of every term as a predicate.
func rulesOf(terms []rdf.Term) []rule {
	rules := make([]rule, len(terms))
	for i, t := range terms {
		if t.IsIRI() {
			rules[i] = ruleOf(t.Value())
		}
	}
	return rules
}

func ruleOf(predicate string) rule {
	switch predicate {
	case rdf.RDFType:
		return isType
	case vocabulary.ProvWasAssociatedWith, vocabulary.ProvUsed, vocabulary.ProvWasInfluencedBy,
		vocabulary.ProvWasGeneratedBy, vocabulary.ProvGenerated, vocabulary.ProvSpecializationOf,
		vocabulary.SegbTriggeredByActivity, vocabulary.SegbProducedEntityResult:
		return isResource
	case vocabulary.ProvStartedAtTime, vocabulary.ProvEndedAtTime, vocabulary.ProvGeneratedAtTime:
		return isDateTime
	case vocabulary.OnyxHasEmotionIntensity:
		return isIntensity
	case vocabulary.OnyxHasEmotionCategory:
		return isCategory
	}
	return none
}

type checker struct {
	document *store.Document
	limit    int
	report   Report
}

func (c *checker) add(i Issue) {
	c.report.Total++
	if i.Severity == Error {
		c.report.Errors++
	}
	if len(c.report.Issues) < c.limit {
		c.report.Issues = append(c.report.Issues, i)
	}
}

// check holds one triple to the rule of its predicate.
func (c *checker) check(q rdf.Quad, r rule) {
	code, message := judge(q.O, r)
	if code == "" {
		return
	}
	c.add(Issue{Severity: Error, Code: code, Message: message,
		FocusNode: text(q.S), Predicate: text(q.P), Value: text(q.O)})
}

func judge(o rdf.Term, r rule) (code, message string) {
	switch r {
	case isType:
		if o.IsLiteral() {
			return RDFTypeLiteral, "The object of rdf:type must be a class, not a literal."
		}
	case isResource:
		if o.IsLiteral() {
			return ObjectPropertyLiteral, "This property must point to a resource (an IRI or a blank node), not to a literal."
		}
	case isCategory:
		if o.IsLiteral() {
			return EmotionCategoryLiteral, "The category of an emotion must be a resource, not a literal."
		}
	case isDateTime:
		return judgeDateTime(o)
	case isIntensity:
		return judgeIntensity(o)
	}
	return "", ""
}

func judgeDateTime(o rdf.Term) (code, message string) {
	if !o.IsLiteral() {
		return DatetimeNotLiteral, "This property must have a literal of datatype xsd:dateTime."
	}
	if o.Datatype() != rdf.XSDDateTime {
		return DatetimeWrongDatatype, "This literal must have the datatype xsd:dateTime."
	}
	if valid, _ := rdf.ValidLexical(o.Value(), rdf.XSDDateTime); !valid {
		return DatetimeInvalidLexical, "This is not a valid xsd:dateTime, such as 2026-06-04T11:53:18.5+00:00."
	}
	return "", ""
}

// judgeIntensity takes plain text that is a number, too: robots send "0.5" so, and have
// been told that it is valid. Text in a language, and a number of another kind, is none.
func judgeIntensity(o rdf.Term) (code, message string) {
	if !o.IsLiteral() {
		return IntensityNotLiteral, "The intensity of an emotion must be a number, not a resource."
	}
	number, ok := rdf.ParseDouble(o.Value())
	switch datatype := o.Datatype(); {
	case rdf.IsNumeric(datatype):
		if valid, _ := rdf.ValidLexical(o.Value(), datatype); !valid {
			ok = false
		}
	case datatype != rdf.XSDString:
		ok = false
	}
	if !ok {
		return IntensityNotNumeric, "The intensity of an emotion must be a number."
	}
	if !(0 <= number && number <= 1) { // so written, NaN is out of range
		return IntensityOutOfRange, "The intensity of an emotion must be between 0 and 1."
	}
	return "", ""
}

// text returns a term as an issue shows it.
func text(t rdf.Term) *string {
	s := t.Value()
	if t.IsBlank() {
		s = "_:" + s
	}
	if utf8.RuneCountInString(s) > MaxValue {
		s = string([]rune(s)[:MaxValue]) + "…"
	}
	return &s
}
