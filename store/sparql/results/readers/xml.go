package readers

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// xmlReader reads the SPARQL Query Results XML Format. It skips unknown elements in the
// head and next to it. Elsewhere they are errors.
type xmlReader struct {
	in  *xmlInput
	dec *xml.Decoder
	scan.Columns
	texts *scan.Texts
	text  []byte // of the last element read
}

func (r *answer) openXML(in *bufio.Reader) error {
	x := &xmlReader{in: &xmlInput{src: in}, texts: scan.NewTexts()}
	x.dec = xml.NewDecoder(x.in)
	root, err := x.element()
	if err == io.EOF {
		return x.fault("expected the element <sparql>, found the end of the text")
	}
	if err != nil {
		return err
	}
	if root == nil || !isSPARQL(root.Name, "sparql") {
		return x.fault("expected the element <sparql> in the namespace %s", scan.SparqlNS)
	}
	if err := x.head(); err != nil {
		return err
	}
	for {
		e, err := x.element()
		switch {
		case err != nil:
			return err
		case e == nil:
			return x.fault("expected the element <results> or <boolean>, found </sparql>")
		case isSPARQL(e.Name, "results"):
			r.vars, r.rows = x.Vars, x
			return nil
		case isSPARQL(e.Name, "boolean"):
			r.isBoolean = true
			if r.boolean, err = x.truth(); err != nil {
				return err
			}
			return x.end()
		}
		if err := x.skip(); err != nil {
			return err
		}
	}
}

func (x *xmlReader) head() error {
	e, err := x.element()
	if err != nil {
		return err
	}
	if e == nil || !isSPARQL(e.Name, "head") {
		return x.fault("expected the element <head>")
	}
	for {
		e, err := x.element()
		if err != nil || e == nil {
			return err
		}
		if isSPARQL(e.Name, "variable") {
			name, _ := attribute(e, "", "name")
			if err := x.Add([]byte(name)); err != nil {
				return x.fault("%v", err)
			}
		}
		if err := x.skip(); err != nil {
			return err
		}
	}
}

func (x *xmlReader) truth() (bool, error) {
	if err := x.content(); err != nil {
		return false, err
	}
	switch strings.TrimSpace(string(x.text)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, x.fault("expected true or false, found %.40q", x.text)
}

func (x *xmlReader) next(row []rdf.Term) error {
	e, err := x.element()
	if err != nil {
		return err
	}
	if e == nil {
		if err := x.end(); err != nil {
			return err
		}
		return io.EOF
	}
	if !isSPARQL(e.Name, "result") {
		return x.fault("expected the element <result>, found <%.40s>", e.Name.Local)
	}
	for {
		e, err := x.element()
		if err != nil || e == nil {
			return err
		}
		if !isSPARQL(e.Name, "binding") {
			return x.fault("expected the element <binding>, found <%.40s>", e.Name.Local)
		}
		name, _ := attribute(e, "", "name")
		cell, err := x.Cell([]byte(name), row)
		if err != nil {
			return x.fault("%v", err)
		}
		if *cell, err = x.only("binding", 0); err != nil {
			return err
		}
	}
}

// only takes the term that is all that an element contains, and the element's end.
func (x *xmlReader) only(element string, depth int) (rdf.Term, error) {
	t, err := x.term(depth)
	if err != nil {
		return t, err
	}
	if e, err := x.element(); err != nil {
		return t, err
	} else if e != nil {
		return t, x.fault("expected </%s>, found <%.40s>", element, e.Name.Local)
	}
	return t, nil
}

// end takes the rest of the text after the rows or the boolean.
func (x *xmlReader) end() error {
	for {
		e, err := x.element()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if isSPARQL(e.Name, "results") || isSPARQL(e.Name, "boolean") {
			return x.fault("a second answer: <%s>", e.Name.Local)
		}
		if err := x.skip(); err != nil {
			return err
		}
	}
	e, err := x.element()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		err = x.fault("expected the end of the text, found <%.40s>", e.Name.Local)
	}
	return err
}

// term takes the element in a binding. depth is its nesting in triple terms.
func (x *xmlReader) term(depth int) (rdf.Term, error) {
	e, err := x.element()
	switch {
	case err != nil:
		return rdf.Term{}, err
	case e == nil:
		return rdf.Term{}, x.fault("expected a term, found the end of the element around it")
	case isSPARQL(e.Name, "triple"):
		return x.triple(depth)
	}
	var l scan.Literal
	l.Language, _ = attribute(e, scan.XMLNS, "lang")
	l.Direction, _ = attribute(e, scan.ItsNS, "dir")
	l.Datatype, _ = attribute(e, "", "datatype")
	if err := x.content(); err != nil {
		return rdf.Term{}, err
	}
	kind := e.Name.Local
	if e.Name.Space != scan.SparqlNS || kind != "uri" && kind != "literal" && kind != "bnode" {
		return rdf.Term{}, x.fault("expected <uri>, <literal>, <bnode> or <triple>, found <%.40s>", kind)
	}
	text := x.texts.Text(x.text)
	if kind != "literal" {
		text = strings.Trim(text, " \t\r\n")
	}
	t, err := scan.NewTerm(kind, text, l)
	if err != nil {
		return t, x.fault("%v", err)
	}
	return t, nil
}

// triple takes the rest of the element <triple>.
func (x *xmlReader) triple(depth int) (rdf.Term, error) {
	if depth == scan.MaxDepth {
		return rdf.Term{}, x.fault("nested deeper than %d levels", scan.MaxDepth)
	}
	var parts [3]rdf.Term
	for {
		e, err := x.element()
		if err != nil {
			return rdf.Term{}, err
		}
		if e == nil {
			break
		}
		i := slices.Index(scan.Parts[:], e.Name.Local)
		if i < 0 || e.Name.Space != scan.SparqlNS || !parts[i].IsZero() {
			return rdf.Term{}, x.fault("expected <subject>, <predicate> and <object>, once each, found <%.40s>", e.Name.Local)
		}
		if parts[i], err = x.only(e.Name.Local, depth+1); err != nil {
			return rdf.Term{}, err
		}
	}
	t, err := scan.NewTriple(parts)
	if err != nil {
		return t, x.fault("%v", err)
	}
	return t, nil
}

// element takes the next tag, after white space and comments. It returns the start of an
// element, or nil for the end of the enclosing one. It returns io.EOF only at the end of
// the text, outside all elements.
func (x *xmlReader) element() (*xml.StartElement, error) {
	for {
		t, err := x.token()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return &t, nil
		case xml.EndElement:
			return nil, nil
		case xml.CharData:
			if len(strings.Trim(string(t), " \t\r\n")) > 0 {
				return nil, x.fault("expected an element, found the text %.40q", t)
			}
		}
	}
}

// content takes the rest of an element that contains only text, into x.text.
func (x *xmlReader) content() error {
	x.text = x.text[:0]
	for {
		t, err := x.token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return x.fault("expected text, found <%.40s>", t.Name.Local)
		case xml.EndElement:
			return nil
		case xml.CharData:
			if x.text = append(x.text, t...); len(x.text) > scan.MaxToken {
				return x.fault("this is longer than the %d bytes that one value may have", scan.MaxToken)
			}
		}
	}
}

// skip takes the rest of an element.
func (x *xmlReader) skip() error {
	for depth := 1; depth > 0; {
		t, err := x.token()
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			if depth++; depth > scan.MaxDepth {
				return x.fault("nested deeper than %d levels", scan.MaxDepth)
			}
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

func (x *xmlReader) token() (xml.Token, error) {
	x.in.mark(x.dec.InputOffset())
	t, err := x.dec.Token()
	var syntax *xml.SyntaxError
	switch {
	case err == nil:
		if d, ok := t.(xml.Directive); ok {
			return nil, x.fault("<!%.40s ...> is not allowed: results need no document type", d)
		}
		return t, nil
	case err == io.EOF:
		return nil, err
	case x.in.err != nil && x.in.err != io.EOF:
		return nil, x.in.err
	case errors.As(err, &syntax):
		return nil, x.in.here.errorf("%.200s", syntax.Msg) // cut, because it repeats names of any length
	}
	return nil, x.in.here.errorf("%.200s", strings.TrimPrefix(err.Error(), "xml: "))
}

// fault returns a *SyntaxError at the start of the last token.
func (x *xmlReader) fault(format string, args ...any) error {
	return x.in.start.errorf(format, args...)
}

func isSPARQL(name xml.Name, local string) bool {
	return name.Space == scan.SparqlNS && name.Local == local
}

func attribute(e *xml.StartElement, space, local string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Space == space && a.Name.Local == local {
			return a.Value, true
		}
	}
	return "", false
}
