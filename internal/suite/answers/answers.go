// Package answers reads answers of SELECT and ASK in every format of package results, for
// tests: those of the W3C, and those of what a Writer has written. It holds an answer in
// memory, and checks only what helps to read an error.
package answers

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// Answer is a whole answer.
type Answer struct {
	Vars               []string
	Rows               [][]rdf.Term // a term for each variable; the zero Term is unbound
	Boolean, IsBoolean bool
}

// Read reads an answer. After an error in JSON, it returns the rows before it.
//
// CSV loses the types of terms: every cell, also of an IRI or a label ("_:b0"), is read
// as a literal of type xsd:string, and an empty cell without quotes is unbound. A CSV
// text that is the single word true or false is an answer to ASK.
func Read(in io.Reader, f results.Format) (*Answer, error) {
	if f == results.JSON {
		return readJSON(in)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	switch f {
	case results.XML:
		return readXML(text)
	case results.CSV:
		return readCSV(string(text))
	case results.TSV:
		return readTSV(string(text))
	case results.Turtle:
		return readTurtle(text)
	}
	return nil, fmt.Errorf("there is no %s", f)
}

// readJSON reads an answer in JSON. With an error, it returns the rows before it.
func readJSON(in io.Reader) (*Answer, error) {
	r, err := results.NewReader(in)
	if err != nil {
		return nil, err
	}
	a := &Answer{Vars: r.Vars()}
	a.Boolean, a.IsBoolean = r.Boolean()
	for {
		row, err := r.Next()
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		a.Rows = append(a.Rows, append([]rdf.Term(nil), row...))
	}
}

// add adds a row of values by variable.
func (a *Answer) add(values map[string]rdf.Term) error {
	row := make([]rdf.Term, len(a.Vars))
	for i, name := range a.Vars {
		row[i] = values[name]
		delete(values, name)
	}
	for name := range values {
		return fmt.Errorf("the variable %q is not in the head", name)
	}
	a.Rows = append(a.Rows, row)
	return nil
}

type xmlAnswer struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/sparql-results# sparql"`
	Vars    []struct {
		Name string `xml:"name,attr"`
	} `xml:"head>variable"`
	Boolean *string `xml:"boolean"`
	Rows    []struct {
		Bindings []struct {
			Name string `xml:"name,attr"`
			xmlTerm
		} `xml:"binding"`
	} `xml:"results>result"`
}

type xmlTerm struct {
	IRI     *string `xml:"uri"`
	Blank   *string `xml:"bnode"`
	Literal *struct {
		Text      string `xml:",chardata"`
		Language  string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
		Direction string `xml:"http://www.w3.org/2005/11/its dir,attr"`
		Datatype  string `xml:"datatype,attr"`
	} `xml:"literal"`
	Triple *struct {
		S xmlTerm `xml:"subject"`
		P xmlTerm `xml:"predicate"`
		O xmlTerm `xml:"object"`
	} `xml:"triple"`
}

// xmlSpace is what XML takes for white space.
const xmlSpace = " \t\r\n"

// term returns the term, or the zero Term if it is none.
func (t xmlTerm) term() rdf.Term {
	switch l := t.Literal; {
	case t.IRI != nil:
		return rdf.NewIRI(strings.Trim(*t.IRI, xmlSpace))
	case t.Blank != nil:
		return rdf.NewBlank(strings.Trim(*t.Blank, xmlSpace))
	case t.Triple != nil:
		return rdf.NewTripleTerm(rdf.Triple{S: t.Triple.S.term(), P: t.Triple.P.term(), O: t.Triple.O.term()})
	case l == nil:
		return rdf.Term{}
	case l.Direction != "":
		return rdf.NewDirLang(l.Text, l.Language, l.Direction)
	case l.Language != "":
		return rdf.NewLang(l.Text, l.Language)
	case l.Datatype != "":
		return rdf.NewLiteral(l.Text, l.Datatype)
	default:
		return rdf.NewString(l.Text)
	}
}

func readXML(text []byte) (*Answer, error) {
	var x xmlAnswer
	if err := xml.Unmarshal(text, &x); err != nil {
		return nil, err
	}
	a := &Answer{}
	if x.Boolean != nil {
		a.IsBoolean, a.Boolean = true, strings.Trim(*x.Boolean, xmlSpace) == "true"
		return a, nil
	}
	for _, v := range x.Vars {
		a.Vars = append(a.Vars, v.Name)
	}
	for _, row := range x.Rows {
		values := map[string]rdf.Term{}
		for _, b := range row.Bindings {
			values[b.Name] = b.term()
		}
		if err := a.add(values); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// readCSV reads an answer in CSV. Package encoding/csv would skip empty lines, and not tell an
// empty text from an unbound variable.
func readCSV(text string) (*Answer, error) {
	var lines [][]rdf.Term
	for text != "" {
		var line []rdf.Term
		for {
			cell := text[:strings.IndexAny(text+"\n", ",\r\n")]
			text = text[len(cell):]
			value := rdf.NewString(cell)
			switch {
			case cell == "":
				value = rdf.Term{}
			case cell[0] == '"':
				var quoted string
				quoted, text = unquote((cell + text)[1:])
				value = rdf.NewString(quoted)
			}
			line = append(line, value)
			if !strings.HasPrefix(text, ",") {
				break
			}
			text = text[1:]
		}
		text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil, errors.New("CSV without a head")
	}
	a := &Answer{}
	for _, name := range lines[0] {
		a.Vars = append(a.Vars, name.Value())
	}
	return a.table(lines[1:])
}

// unquote returns the value of a quoted cell, whose opening quote was taken, and the text
// after it.
func unquote(text string) (value, rest string) {
	for {
		part, after, _ := strings.Cut(text, `"`)
		value += part
		if !strings.HasPrefix(after, `"`) {
			return value, after
		}
		value += `"`
		text = after[1:]
	}
}

// table adds the rows of an answer in CSV or TSV to its head.
func (a *Answer) table(rows [][]rdf.Term) (*Answer, error) {
	if len(a.Vars) == 1 && len(rows) == 0 && (a.Vars[0] == "true" || a.Vars[0] == "false") {
		return &Answer{IsBoolean: true, Boolean: a.Vars[0] == "true"}, nil
	}
	if len(a.Vars) == 1 && a.Vars[0] == "" {
		a.Vars = nil
	}
	for i, row := range rows {
		if len(a.Vars) == 0 && len(row) == 1 && row[0].IsZero() {
			row = nil
		}
		if len(row) != len(a.Vars) {
			return nil, fmt.Errorf("row %d has %d cells, and there are %d variables", i+1, len(row), len(a.Vars))
		}
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// readTSV reads an answer in TSV. A single variable named true is told from an answer of ASK by its
// question mark.
func readTSV(text string) (*Answer, error) {
	head, rest, _ := strings.Cut(text, "\n")
	a := &Answer{}
	for name := range strings.SplitSeq(strings.TrimSuffix(head, "\r"), "\t") {
		if name == "true" || name == "false" {
			return &Answer{IsBoolean: true, Boolean: name == "true"}, nil
		}
		a.Vars = append(a.Vars, strings.TrimPrefix(name, "?"))
	}
	var rows [][]rdf.Term
	for line := range strings.Lines(rest) {
		var row []rdf.Term
		for cell := range strings.SplitSeq(strings.TrimRight(line, "\r\n"), "\t") {
			term, err := parseTerm(cell)
			if err != nil {
				return nil, err
			}
			row = append(row, term)
		}
		rows = append(rows, row)
	}
	if len(a.Vars) == 1 && a.Vars[0] == "true" && len(rows) == 0 {
		return a, nil // ?true
	}
	return a.table(rows)
}

// parseTerm returns the term of a field of TSV, which is written as in Turtle.
func parseTerm(field string) (rdf.Term, error) {
	if field == "" {
		return rdf.Term{}, nil
	}
	quads, err := turtle.Parse([]byte("<x:s> <x:p> "+field+" ."), turtle.Turtle, turtle.Options{})
	if err != nil {
		return rdf.Term{}, fmt.Errorf("%.80q: %w", field, err)
	}
	return asWritten(quads[len(quads)-1].O), nil // after what a reified triple states
}

// relabelled matches the labels that turtle.Reader makes from labels such as a0.
var relabelled = regexp.MustCompile(`^_+a[0-9]+$`)

// asWritten returns a term of a turtle.Reader with the labels of blank nodes in its text.
func asWritten(t rdf.Term) rdf.Term {
	if t.IsTriple() {
		x := t.Triple()
		return rdf.NewTripleTerm(rdf.Triple{S: asWritten(x.S), P: x.P, O: asWritten(x.O)})
	}
	if t.IsBlank() && relabelled.MatchString(t.Value()) {
		return rdf.NewBlank(t.Value()[1:])
	}
	return t
}
