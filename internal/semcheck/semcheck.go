// Package semcheck checks whether a document uses the vocabulary of robot logs as
// intended. It reads only the document, never a store, and checks only the vocabulary:
// other RDF always passes.
package semcheck

import (
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/vocabulary"
)

// Severities of issues. A document is valid if it has no error; it may have warnings.
const (
	Error   = "error"
	Warning = "warning"
)

// Codes of issues. They are part of the API.
const (
	TurtleSyntaxError      = "TTL_SYNTAX_ERROR"
	IRISyntax              = "IRI_SYNTAX"
	OneLineComment         = "TTL_ONE_LINE_COMMENT"
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
	UnknownTerm            = "SEM_UNKNOWN_TERM"
)

// Issue is one problem. Fields that do not apply are nil, which is null in JSON. Terms are cut at MaxValue characters.
type Issue struct {
	Severity  string  `json:"severity"`
	Code      string  `json:"code"`
	Message   string  `json:"message"`
	FocusNode *string `json:"focus_node"` // an IRI, or a blank node with "_:"
	Predicate *string `json:"predicate"`  // an IRI
	Value     *string `json:"value"`      // an IRI, a blank node, or a lexical form
	Line      *int    `json:"line"`       // from 1, where the triple ends
	Column    *int    `json:"column"`     // from 1, in characters
}

// MaxValue is the maximum length of a term of an issue in characters.
const MaxValue = 200

// Report is the result of Check.
type Report struct {
	Issues []Issue // the first ones, in document order, warnings last
	Errors int     // number of errors, including those beyond the limit
	Total  int     // number of issues, including those beyond the limit
}

// untyped returns the warning about a subject without a type.
func untyped(subject rdf.Term) Issue {
	return Issue{Severity: Warning, Code: SubjectWithoutType,
		Message:   "This node has properties of the vocabulary and no rdf:type.",
		FocusNode: text(subject)}
}

// rule is a constraint on the values of a property.
type rule uint8

const (
	none rule = iota
	isType
	isResource
	isDateTime
	isIntensity
	isCategory
)

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

// add counts an issue, and keeps it unless there are c.limit.
func (c *checker) add(i Issue) {
	c.report.Total++
	if i.Severity == Error {
		c.report.Errors++
	}
	if len(c.report.Issues) < c.limit {
		c.report.Issues = append(c.report.Issues, i)
	}
}

// check checks a triple against the rule of its predicate.
func (c *checker) check(q rdf.Quad, r rule) {
	code, message := judge(q.O, r)
	if code == "" {
		return
	}
	c.add(Issue{Severity: Error, Code: code, Message: message,
		FocusNode: text(q.S), Predicate: text(q.P), Value: text(q.O)})
}

// judge returns what is wrong with an object by a rule: a code and words, or "".
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

// judgeDateTime is judge for times.
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

// judgeIntensity also accepts a plain string with a number: robots send "0.5", and the
// check has always accepted that. It refuses language-tagged strings and other datatypes.
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
	if !(0 <= number && number <= 1) { // in this form, NaN is out of range
		return IntensityOutOfRange, "The intensity of an emotion must be between 0 and 1."
	}
	return "", ""
}

// text returns a term as shown in an issue.
func text(t rdf.Term) *string {
	s := t.Value()
	if t.IsBlank() {
		s = "_:" + s
	}
	s = cut(s)
	return &s
}

// cut returns the first MaxValue characters of a text.
func cut(s string) string {
	n := 0
	for i := range s {
		if n == MaxValue {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
