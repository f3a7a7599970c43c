// Package virtuoso describes how OpenLink Virtuoso 7 deviates from the standards, for
// package remote. The comments record observations; docs/graph-stores.md lists the
// effects for users.
package virtuoso

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/segraph/segraph/store/follow/remote"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Product is the name of the graph store.
const Product = "Virtuoso"

// Configure returns what a configuration of a Virtuoso has beside its addresses and user.
// Queries are sent without the password, so they can only read.
func Configure() remote.Config {
	return remote.Config{
		Product: Product,
		Dialect: remote.Dialect{
			Blank: blank, IsBlank: isBlank, BlankIsIRI: true,
			Alien: alien, Shown: shown, Refuse: refuse,
			Introduce: introduce, Passing: passing, Rejects: refusedWith.MatchString,
			LoginAdvice: loginAdvice,
			Older:       []string{"http://amor-segb/events"}, // SEGB's default; VIRTUOSO_GRAPH_URI overrides it
			Distrust:    distrust, Ask: ask, Complete: complete,
			// In a single transaction, clearing a large graph exceeds
			// MaxQueryExecutionTime and is rolled back.
			Clear: func(graph string) string { return "DEFINE sql:log-enable 3 CLEAR SILENT GRAPH <" + graph + ">" },
			// INSERT DATA of 4,990 triples fails with "memory exhausted". Well below
			// that, compiling it takes longer than loading.
			MaxInsert: 500, MaxInsertBytes: 256 << 10,
			GraphParameter: "graph-uri",
			ShortFloats:    true, // six digits
			NothingStored:  http.StatusNoContent,
			// Without a directive at its start, Virtuoso takes a document that begins
			// with a long line for text/plain, whatever its Content-Type.
			TurtleHead: "@prefix segraph: <urn:segraph:> .\n",
		},
	}
}

// maxPassword is the number of characters that Virtuoso keeps of the password with which
// a database is created (openlink/virtuoso-opensource#1369). Virtuoso 7.2.5 then accepts
// only these first 20. A longer password that is set later, with SQL, works.
const maxPassword = 20

// loginAdvice returns advice for a password that Virtuoso rejects.
func loginAdvice(password string) string {
	if len(password) > maxPassword {
		return fmt.Sprintf("It has %d characters. A Virtuoso that was created with a password of more than %d keeps only the first %[2]d "+
			"(openlink/virtuoso-opensource#1369). Set the password to its first %[2]d characters. If these are refused too, "+
			"remove Virtuoso's volume and create it again with a password of at most %[2]d; segraph then copies everything to it",
			len(password), maxPassword)
	}
	return "Virtuoso takes its password from this setting only when its volume is first created. Set that password, " +
		"or remove Virtuoso's volume and create it again; segraph then copies everything to it"
}

// Blank nodes have names in Virtuoso, and keep a name given as the IRI nodeID://b….
// Virtuoso numbers its own from 10,000.
const (
	nodeSpace  = "nodeID://b"
	firstBlank = 1 << 40
)

func blank(number string) string {
	n, _ := strconv.ParseUint(number, 10, 64)
	return nodeSpace + strconv.FormatUint(firstBlank+n, 10)
}

// isBlank returns the number in an IRI that Virtuoso gave a blank node.
func isBlank(value string) (number string, ok bool) {
	text, ok := strings.CutPrefix(value, nodeSpace)
	n, err := strconv.ParseUint(text, 10, 64)
	if !ok || err != nil || n < firstBlank {
		return "", false
	}
	return strconv.FormatUint(n-firstBlank, 10), true
}

// alienTypes holds the datatypes whose literals Virtuoso always changes.
var alienTypes = map[string]bool{
	rdf.XSDDuration:                                         true, // P1D becomes 86400.0
	rdf.XSDDayTimeDuration:                                  true,
	rdf.XSDYearMonthDuration:                                true,
	"http://www.opengis.net/ont/geosparql#wktLiteral":       true, // becomes its own datatype
	"http://www.openlinksw.com/schemas/virtrdf#Geometry":    true,
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON":       true, // 500
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral": true, // parsed
}

// alien reports whether Virtuoso would change the value of a literal.
func alien(t rdf.Term) bool {
	datatype, text := t.Datatype(), t.Value()
	switch {
	case alienTypes[datatype]:
		return true
	case datatype == rdf.XSDString:
		return false
	}
	valid, known := rdf.ValidLexical(text, datatype)
	switch {
	case !known:
		return false
	case !valid: // "abc"^^xsd:integer becomes 0
		return true
	case rdf.IsInteger(datatype): // overflows beyond 64 bits, or becomes a decimal
		return len(strings.TrimLeft(text, "+-0")) > 18
	case datatype == rdf.XSDDecimal: // cut to 15 digits
		return digits(text) > 15
	case datatype == rdf.XSDDouble || datatype == rdf.XSDFloat:
		return strings.Contains(text, "N") // INF and NaN compare unlike numbers
	case datatype == rdf.XSDDateTime || datatype == rdf.XSDDate:
		return alienTime(text, datatype)
	}
	return false
}

// digits returns the number of significant digits of a number.
func digits(text string) int {
	mantissa, _, _ := strings.Cut(strings.ToUpper(text), "E")
	mantissa = strings.TrimLeft(mantissa, "+-0.")
	if whole, fraction, ok := strings.Cut(mantissa, "."); ok {
		mantissa = whole + strings.TrimRight(fraction, "0")
	} else if strings.Contains(text, ".") { // 0.00012: trailing zeros are not significant
		mantissa = strings.TrimRight(mantissa, "0")
	}
	return len(mantissa)
}

// alienTime reports whether Virtuoso would change a time. It changes a year before 1 or
// after 9999, and a fraction of a second beyond microseconds. It turns 24:00:00 into a
// text that compares with no time.
func alienTime(text, datatype string) bool {
	d, ok := rdf.ParseDateTime(text, datatype)
	if !ok || d.Year() < 1 || d.Year() > 9999 || strings.Contains(text, "T24:") {
		return true
	}
	_, fraction, ok := strings.Cut(text, ".")
	fraction = fraction[:len(fraction)-len(strings.TrimLeft(fraction, "0123456789"))]
	return ok && len(strings.TrimRight(fraction, "0")) > 6
}

// shown returns the usual form of booleans, which Virtuoso returns as 0 and 1.
func shown(t rdf.Term) rdf.Term {
	if t.Datatype() == rdf.XSDBoolean && (t.Value() == "0" || t.Value() == "1") {
		return rdf.NewLiteral(rdf.FormatBoolean(t.Value() == "1"), rdf.XSDBoolean)
	}
	return t
}

// Limits of Virtuoso. Beyond them it answers 500. It takes 6 to 18 s for a literal of 4
// MB.
const (
	maxLiteral  = 1 << 20
	maxIRI      = 4000
	maxDatatype = 1000
	maxLanguage = 100
)

// refuse returns why Virtuoso can't store a term, or "".
func refuse(t rdf.Term) string {
	switch {
	case t.IsIRI() && len(t.Value()) > maxIRI:
		return fmt.Sprintf("an IRI has %d bytes, but the graph store takes at most %d", len(t.Value()), maxIRI)
	case t.IsIRI() && strings.HasPrefix(t.Value(), "nodeID:"):
		return "the IRI " + t.Value() + " would be a blank node in the graph store"
	case t.IsLiteral() && len(t.Value()) > maxLiteral:
		return fmt.Sprintf("a literal has %d bytes, but the graph store takes at most %d", len(t.Value()), maxLiteral)
	case len(t.Tag()) > maxLanguage:
		return fmt.Sprintf("a language tag has %d bytes, but the graph store takes at most %d", len(t.Tag()), maxLanguage)
	case t.IsLiteral() && !ascii(t.Datatype()): // such characters come back as "?"
		return "the datatype " + t.Datatype() + " has characters beyond ASCII, which the graph store changes in a datatype"
	case t.IsLiteral() && len(t.Datatype()) > maxDatatype:
		return fmt.Sprintf("the IRI of a datatype has %d bytes, but the graph store takes at most %d", len(t.Datatype()), maxDatatype)
	}
	return ""
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// introduce returns a query that registers new language tags or datatypes, like
// Virtuoso's loader. When INSERT DATA meets a new name, its number is visible in memory
// before the transaction stores it in RDF_LANGUAGE or RDF_DATATYPE. If the transaction is
// rolled back (two conflicting writers suffice), every later literal with the name loses
// it. The functions used here commit at once and repair the number in memory. Beyond
// about 32,000 names they fail, while INSERT DATA would replace every further name by
// x-unsaved.
func introduce(words []rdf.Term) string {
	var b strings.Builder
	b.WriteString("SELECT")
	for i, w := range words {
		function := "RDF_RL_TYPE_ID"
		if w.Tag() != "" {
			function = "RDF_RL_LANG_ID"
		}
		fmt.Fprintf(&b, " (sql:%s(%v) AS ?n%d)", function, rdf.NewString(w.Value()), i)
	}
	b.WriteString(" {}")
	return b.String()
}

// refusedWith matches the SQLSTATE at the start of an error from SPARQL or from the Graph
// Store Protocol.
var refusedWith = regexp.MustCompile(`^(?:Virtuoso (\w{5}) Error|.{0,400}?<h3>Error (\w{5})</h3>)`)

// passing reports whether an error is transient: the transaction was rolled back because
// of a conflict, such as a deadlock, or because it took too long. These are class 40 and
// S1T.
func passing(said string) bool {
	m := refusedWith.FindStringSubmatch(said)
	if m == nil {
		return false
	}
	state := cmp.Or(m[1], m[2])
	return strings.HasPrefix(state, "40") || strings.HasPrefix(state, "S1T")
}

// ask sets a timeout, so that Virtuoso ends a query soon after segraph stops waiting.
func ask(form url.Values, limit time.Duration) {
	form.Set("timeout", strconv.FormatInt(max(1000, (limit+time.Second).Milliseconds()), 10))
}

// complete detects a truncated answer by one of two headers: X-SQL-State, with S1TAT
// after the timeout, and X-SPARQL-MaxRows, after ResultSetMaxRows.
func complete(h http.Header) error {
	if state := h.Get("X-SQL-State"); state != "" {
		return &remote.PartError{Detail: "it ends queries early (" + state + "; MaxQueryExecutionTime in its settings)"}
	}
	if rows := h.Get("X-SPARQL-MaxRows"); rows != "" {
		return &remote.PartError{Detail: "it cuts answers at " + rows + " rows (ResultSetMaxRows in its settings)"}
	}
	return nil
}

// distrust returns why Virtuoso may answer a query wrongly, or "". Virtuoso was seen to
// lose bindings in nested OPTIONAL. For a path of arbitrary length, it returned a node
// once for each way to it (SPARQL 1.1, section 9.3). Names in its own namespaces, without
// "//", call its functions.
func distrust(q *syntax.Query) (why string) {
	remote.Patterns(q, func(p syntax.Pattern, optionals int) {
		switch x := p.(type) {
		case *syntax.Optional:
			if optionals > 0 {
				why = "nested OPTIONAL may lose bindings in Virtuoso"
			}
		case *syntax.BGP:
			for _, t := range x.Triples {
				if repeats(t.Path) {
					why = "Virtuoso may return a node more than once for a path with * or +"
				}
				if p, ok := t.Predicate.(*syntax.Term); ok && (strings.HasPrefix(p.Value(), "bif:") || strings.HasPrefix(p.Value(), "sql:")) {
					why = "<" + p.Value() + "> is a function of Virtuoso"
				}
			}
		}
	})
	return why
}

// repeats reports whether a path contains * or +.
func repeats(p syntax.Path) bool {
	switch x := p.(type) {
	case *syntax.RepeatPath:
		return x.Op != '?' || repeats(x.Path)
	case *syntax.InversePath:
		return repeats(x.Path)
	case *syntax.SequencePath:
		return slices.ContainsFunc(x.Paths, repeats)
	case *syntax.AlternativePath:
		return slices.ContainsFunc(x.Paths, repeats)
	}
	return false
}
