// Package virtuoso says what OpenLink Virtuoso 7 does otherwise than the standards, for
// package remote, and nothing else. Each rule names what was seen; docs/graph-stores.md
// lists them for users.
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

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/remote"
	"github.com/segraph/segraph/store/sparql/eval"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// Product is its name.
const Product = "Virtuoso"

// Configure returns the configuration of a Virtuoso whose HTTP server is at base, such as
// http://localhost:8890. Queries are asked without a password, so that they have no
// rights but to read.
func Configure(base, user, password, graph string) remote.Config {
	base = strings.TrimSuffix(base, "/")
	return remote.Config{
		Product: Product, User: user, Password: password, Graph: graph,
		Query: base + "/sparql", Update: base + "/sparql-auth", GraphStore: base + "/sparql-graph-crud-auth",
		Dialect: remote.Dialect{
			Blank: blank, IsBlank: isBlank, BlankIsIRI: true,
			Alien: alien, Shown: shown, Refuse: refuse,
			Introduce: introduce, Passing: passing,
			LoginAdvice: loginAdvice,
			Older:       []string{"http://amor-segb/events"}, // SEGB's, unless its VIRTUOSO_GRAPH_URI says otherwise
			Distrust:    distrust, Ask: ask, Complete: complete,
			// In one transaction, emptying a large graph runs into MaxQueryExecutionTime
			// and is undone.
			Clear: func(graph string) string { return "DEFINE sql:log-enable 3 CLEAR SILENT GRAPH <" + graph + ">" },
			// INSERT DATA of 4,990 triples fails with "memory exhausted"; compiling takes
			// longer than loading well before that.
			MaxInsert: 500, MaxInsertBytes: 256 << 10,
			GraphParameter: "graph-uri",
			ShortFloats:    true, // six digits
			NothingStored:  http.StatusNoContent,
			// Without a directive at its head, a document that begins with a long line is
			// taken for text/plain, whatever its Content-Type.
			TurtleHead: "@prefix segraph: <urn:segraph:> .\n",
		},
	}
}

// maxPassword is how many characters of the password that a database is created with
// Virtuoso keeps (openlink/virtuoso-opensource#1369; seen in 7.2.5, which takes the first
// 20 from then on). A longer one that is set by SQL later works.
const maxPassword = 20

// loginAdvice says what to do about a password that Virtuoso refuses.
func loginAdvice(password string) string {
	if len(password) > maxPassword {
		return fmt.Sprintf("It has %d characters. A Virtuoso that was created with a password of more than %d keeps the first %[2]d alone "+
			"(openlink/virtuoso-opensource#1369). Set TRIPLESTORE_PASSWORD to its first %[2]d characters. If these are refused too, "+
			"remove Virtuoso's volume and create it again with a password of at most %[2]d; segraph then copies everything to it",
			len(password), maxPassword)
	}
	return "Virtuoso takes its password from this setting only when its volume is first created. Set the one of that time, " +
		"or remove Virtuoso's volume and create it again; segraph then copies everything to it"
}

// Blank nodes have names in Virtuoso, and keep one that they are given as the IRI
// nodeID://b…. Those that it makes itself are numbered from 10,000 on.
const (
	nodeSpace  = "nodeID://b"
	firstBlank = 1 << 40
)

func blank(number string) string {
	n, _ := strconv.ParseUint(number, 10, 64)
	return nodeSpace + strconv.FormatUint(firstBlank+n, 10)
}

func isBlank(value string) (string, bool) {
	text, ok := strings.CutPrefix(value, nodeSpace)
	n, err := strconv.ParseUint(text, 10, 64)
	if !ok || err != nil || n < firstBlank {
		return "", false
	}
	return strconv.FormatUint(n-firstBlank, 10), true
}

// Datatypes that Virtuoso reads as something else, whatever the literal.
var alienTypes = map[string]bool{
	rdf.XSDDuration:                                         true, // P1D becomes 86400.0
	rdf.XSDDayTimeDuration:                                  true,
	rdf.XSDYearMonthDuration:                                true,
	"http://www.opengis.net/ont/geosparql#wktLiteral":       true, // becomes its own datatype
	"http://www.openlinksw.com/schemas/virtrdf#Geometry":    true,
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON":       true, // 500
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral": true, // parsed
}

// alien tells the literals whose value would change.
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
	case rdf.IsInteger(datatype): // beyond 64 bits it overflows, or becomes a decimal
		return len(strings.TrimLeft(text, "+-0")) > 18
	case datatype == rdf.XSDDecimal: // cut to 15 digits
		return digits(text) > 15
	case datatype == rdf.XSDDouble || datatype == rdf.XSDFloat:
		return strings.Contains(text, "N") // INF and NaN compare as no number does
	case datatype == rdf.XSDDateTime || datatype == rdf.XSDDate:
		return alienTime(text, datatype)
	}
	return false
}

// digits counts the significant digits of a number.
func digits(text string) int {
	mantissa, _, _ := strings.Cut(strings.ToUpper(text), "E")
	mantissa = strings.TrimLeft(mantissa, "+-0.")
	if whole, fraction, ok := strings.Cut(mantissa, "."); ok {
		mantissa = whole + strings.TrimRight(fraction, "0")
	} else if strings.Contains(text, ".") { // 0.00012: zeros at its end say nothing
		mantissa = strings.TrimRight(mantissa, "0")
	}
	return len(mantissa)
}

// alienTime tells the times that are mangled: years before 1 or after 9999, and fractions
// of a second beyond microseconds; 24:00:00 is kept as a text that compares with no time.
func alienTime(text, datatype string) bool {
	d, ok := rdf.ParseDateTime(text, datatype)
	if !ok || d.Year() < 1 || d.Year() > 9999 || strings.Contains(text, "T24:") {
		return true
	}
	_, fraction, ok := strings.Cut(text, ".")
	fraction = fraction[:len(fraction)-len(strings.TrimLeft(fraction, "0123456789"))]
	return ok && len(strings.TrimRight(fraction, "0")) > 6
}

// shown returns booleans, which Virtuoso shows as 0 and 1, their usual form.
func shown(t rdf.Term) rdf.Term {
	if t.Datatype() == rdf.XSDBoolean && (t.Value() == "0" || t.Value() == "1") {
		return rdf.NewLiteral(rdf.FormatBoolean(t.Value() == "1"), rdf.XSDBoolean)
	}
	return t
}

// Sizes that Virtuoso takes. Beyond, it answers 500; a literal of 4 MB costs it 6 to 18 s.
const (
	maxLiteral  = 1 << 20
	maxIRI      = 4000
	maxDatatype = 1000
	maxLanguage = 100
)

func refuse(t rdf.Term) string {
	switch {
	case t.IsIRI() && len(t.Value()) > maxIRI:
		return fmt.Sprintf("an IRI of %d bytes is longer than %d, which is what the graph store takes", len(t.Value()), maxIRI)
	case t.IsIRI() && strings.HasPrefix(t.Value(), "nodeID:"):
		return "the IRI " + t.Value() + " would be a blank node in the graph store"
	case t.IsLiteral() && len(t.Value()) > maxLiteral:
		return fmt.Sprintf("a literal of %d bytes is longer than %d, which is what the graph store takes", len(t.Value()), maxLiteral)
	case len(t.Language()) > maxLanguage:
		return fmt.Sprintf("a language tag of %d bytes is longer than %d, which is what the graph store takes", len(t.Language()), maxLanguage)
	case t.IsLiteral() && !ascii(t.Datatype()): // each such character comes back as "?"
		return "the datatype " + t.Datatype() + " has characters beyond ASCII, which the graph store does not keep in the name of a datatype"
	case t.IsLiteral() && len(t.Datatype()) > maxDatatype:
		return fmt.Sprintf("the IRI of a datatype, of %d bytes, is longer than %d, which is what the graph store takes", len(t.Datatype()), maxDatatype)
	}
	return ""
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// introduce calls what Virtuoso's loader calls for a name that is new to it. Where INSERT
// DATA meets one, its number is in memory, for all, before the transaction ends that puts
// it into RDF_LANGUAGE or RDF_DATATYPE: if that one is undone (two writers in each
// other's way are enough) every literal with that name is without it from then on. These
// functions commit at once, and mend the number in memory; and unlike INSERT DATA, which
// calls everything after some 32,000 names x-unsaved, they fail.
func introduce(words []rdf.Term) string {
	var b strings.Builder
	b.WriteString("SELECT")
	for i, w := range words {
		function := "RDF_RL_TYPE_ID"
		if w.Language() != "" {
			function = "RDF_RL_LANG_ID"
		}
		fmt.Fprintf(&b, " (sql:%s(%v) AS ?n%d)", function, rdf.NewString(w.Value()), i)
	}
	b.WriteString(" {}")
	return b.String()
}

// refusedWith finds the SQLSTATE at the beginning of an error by SPARQL and of one by the
// Graph Store Protocol.
var refusedWith = regexp.MustCompile(`^(?:Virtuoso (\w{5}) Error|.{0,400}?<h3>Error (\w{5})</h3>)`)

// passing tells the errors of a transaction that was undone for what others did, or for
// its time: class 40, among them deadlocks, and S1T.
func passing(said string) bool {
	m := refusedWith.FindStringSubmatch(said)
	if m == nil {
		return false
	}
	state := cmp.Or(m[1], m[2])
	return strings.HasPrefix(state, "40") || strings.HasPrefix(state, "S1T")
}

// ask has Virtuoso end a query by itself soon after segraph has given up waiting.
func ask(form url.Values, limit time.Duration) {
	form.Set("timeout", strconv.FormatInt(max(1000, (limit+time.Second).Milliseconds()), 10))
}

// complete finds the two signs of an answer that was cut: S1TAT after the time of the
// parameter timeout, and X-SPARQL-MaxRows after ResultSetMaxRows.
func complete(h http.Header) error {
	if state := h.Get("X-SQL-State"); state != "" {
		return &eval.LimitError{Limit: "time", Detail: "over (" + state + " of the graph store)"}
	}
	if rows := h.Get("X-SPARQL-MaxRows"); rows != "" {
		return &remote.PartError{Detail: "it cuts answers at " + rows + " rows (ResultSetMaxRows in its settings)"}
	}
	return nil
}

// distrust names the queries whose answers were seen to be wrong: nested OPTIONAL loses
// bindings, and paths of any length give a node once for every way to it (SPARQL 1.1,
// section 9.3). Names in Virtuoso's own namespaces, which have no "//", mean its
// functions.
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
					why = "Virtuoso gives a node of a path of any length more than once"
				}
				if p, ok := t.Predicate.(*syntax.Term); ok && (strings.HasPrefix(p.Value(), "bif:") || strings.HasPrefix(p.Value(), "sql:")) {
					why = "<" + p.Value() + "> is a function of Virtuoso's"
				}
			}
		}
	})
	return why
}

// repeats reports whether a path has a * or +.
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
