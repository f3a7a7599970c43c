package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results/internal/scan"
)

// jsonReader reads SPARQL 1.2 Query Results JSON, which includes the format of SPARQL
// 1.1. It skips unknown members.
type jsonReader struct {
	jsonLexer
	scan.Columns
	texts *scan.Texts

	seenHead, seenRows, seenBoolean bool
	boolean                         bool

	first     bool // no row was read yet
	replaying bool // the rows preceded the head; now they are read from memory
	// position of these rows in the text, from 0
	heldLine, heldColumn int
}

func (r *Reader) openJSON(in io.Reader) error {
	j := &jsonReader{texts: scan.NewTexts(), first: true}
	j.Input = scan.NewInput(in, 0, 0, fault)
	if err := j.expect('{', `"{"`); err != nil {
		return err
	}
	more, err := j.top(true)
	if err != nil {
		return err
	}
	if !more {
		if err := j.complete(); err != nil {
			return err
		}
	}
	if j.replaying {
		j.Input = scan.NewInput(bytes.NewReader(j.Held()), j.heldLine, j.heldColumn, fault)
		if err := j.enter(); err != nil {
			return err
		}
	}
	if r.boolean, r.isBoolean = j.boolean, j.seenBoolean; r.isBoolean {
		return nil // ignore variables in the head
	}
	r.vars, r.next = j.Vars, j.next
	return nil
}

// complete returns an error if a required member is missing at the end of an answer.
func (j *jsonReader) complete() error {
	switch {
	case !j.seenHead:
		return j.Errorf(0, `the answer has no member "head"`)
	case !j.seenRows && !j.seenBoolean:
		return j.Errorf(0, `the answer has neither "results" nor "boolean"`)
	}
	return nil
}

// top takes members of the outermost object. It stops before the first row, and then
// returns true, or at the end of the text.
func (j *jsonReader) top(first bool) (more bool, err error) {
	for ; ; first = false {
		more, err := j.item(first, '}')
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		name, err := j.key()
		if err != nil {
			return false, err
		}
		switch string(name) {
		case "head":
			if err = j.once(&j.seenHead, "head"); err == nil {
				err = j.head()
			}
		case "boolean":
			if err = j.once(&j.seenBoolean, "boolean"); err == nil {
				err = j.truth()
			}
		case "results":
			if err = j.once(&j.seenRows, "results"); err == nil && j.seenHead && !j.seenBoolean {
				return true, j.enter()
			}
			if err == nil {
				err = j.hold()
			}
		default:
			err = j.skip(0)
		}
		if err == nil && j.seenRows && j.seenBoolean {
			err = j.Errorf(-1, `the answer has both "results" and "boolean"`)
		}
		if err != nil {
			return false, err
		}
	}
	if c, err := j.ahead(); err != nil {
		return false, err
	} else if c != 0 || j.Pos < j.End {
		return false, j.Errorf(0, "expected the end of the text, found %s", j.Found(0))
	}
	return false, nil
}

func (j *jsonReader) once(seen *bool, name string) error {
	if *seen {
		return j.Errorf(0, "the member %q occurs twice", name)
	}
	*seen = true
	return nil
}

func (j *jsonReader) head() error {
	seen := false
	return j.members(`the head, an object`, func(name []byte) error {
		if string(name) != "vars" {
			return j.skip(0)
		}
		if err := j.once(&seen, "vars"); err != nil {
			return err
		}
		if err := j.expect('[', `the variables, a list`); err != nil {
			return err
		}
		for first := true; ; first = false {
			if more, err := j.item(first, ']'); err != nil || !more {
				return err
			}
			name, err := j.str("the name of a variable, a string")
			if err != nil {
				return err
			}
			if err := j.Add(name); err != nil {
				return j.Errorf(-1, "%v", err)
			}
		}
	})
}

func (j *jsonReader) truth() error {
	if _, err := j.ahead(); err != nil {
		return err
	}
	word, err := j.word()
	if err != nil {
		return err
	}
	if j.boolean = string(word) == "true"; !j.boolean && string(word) != "false" {
		return j.Errorf(-len(word), "expected true or false, found %.40q", word)
	}
	return nil
}

// enter takes the member "results" up to its first row.
func (j *jsonReader) enter() error {
	if err := j.expect('{', `the results, an object`); err != nil {
		return err
	}
	for first := true; ; first = false {
		if more, err := j.item(first, '}'); err != nil {
			return err
		} else if !more {
			return j.Errorf(-1, `the results have no member "bindings"`)
		}
		name, err := j.key()
		if err != nil {
			return err
		}
		if string(name) == "bindings" {
			return j.expect('[', `the rows, a list`)
		}
		if err := j.skip(0); err != nil {
			return err
		}
	}
}

// hold keeps the rows, which precede the head, until the end of the text.
func (j *jsonReader) hold() error {
	if _, err := j.ahead(); err != nil {
		return err
	}
	line, column := j.Place(0)
	j.replaying, j.heldLine, j.heldColumn = true, line-1, column-1
	j.Hold(true)
	err := j.skip(0)
	j.Hold(false)
	return err
}

// leave takes the rest of the member "results" after its last row.
func (j *jsonReader) leave() error {
	for {
		more, err := j.item(false, '}')
		if err != nil || !more {
			return err
		}
		name, err := j.key()
		if err != nil {
			return err
		}
		if string(name) == "bindings" {
			return j.Errorf(0, `the member "bindings" occurs twice`)
		}
		if err := j.skip(0); err != nil {
			return err
		}
	}
}

func (j *jsonReader) next(row []rdf.Term) error {
	more, err := j.item(j.first, ']')
	if err != nil {
		return err
	}
	if !more {
		if err := j.leave(); err != nil {
			return err
		}
		if !j.replaying {
			if _, err := j.top(false); err != nil {
				return err
			}
		}
		return io.EOF
	}
	j.first = false
	return j.members("a row, an object", func(name []byte) error {
		place, err := j.Cell(name, row)
		if err != nil {
			return j.Errorf(-1, "%v", err)
		}
		*place, err = j.term(0)
		return err
	})
}

// term takes the value of a variable. depth is its nesting in triple terms.
func (j *jsonReader) term(depth int) (rdf.Term, error) {
	var triple rdf.Term
	var kind, value string
	var l scan.Literal
	var seen [5]bool
	err := j.members("a term, an object", func(name []byte) error {
		var to *string
		var member int
		switch string(name) {
		case "type":
			member, to = 0, &kind
		case "value":
			member, to = 1, &value
		case "xml:lang":
			member, to = 2, &l.Language
		case "its:dir":
			member, to = 3, &l.Direction
		case "datatype":
			member, to = 4, &l.Datatype
		default:
			return j.skip(0)
		}
		if seen[member] {
			return j.Errorf(-1, "a term with two members of the same name")
		}
		seen[member] = true
		c, err := j.ahead()
		if err != nil {
			return err
		}
		if member == 1 && c == '{' {
			triple, err = j.triple(depth)
			return err
		}
		b, err := j.str("a string")
		*to = j.texts.Text(b)
		return err
	})
	if err != nil {
		return rdf.Term{}, err
	}
	if !seen[0] || !seen[1] {
		return rdf.Term{}, j.Errorf(-1, `a term without the members "type" and "value"`)
	}
	if seen[2] && l.Language == "" || seen[4] && l.Datatype == "" {
		line, column := j.Place(-1)
		return rdf.Term{}, &SyntaxError{Line: line, Column: column, Msg: fmt.Sprintf("%v: %.80q", ErrNameless, value), Err: ErrNameless}
	}
	if !triple.IsZero() {
		if kind != "triple" || l != (scan.Literal{}) {
			return rdf.Term{}, j.Errorf(-1, "a term whose value is a triple must have the type triple, and no language or datatype")
		}
		return triple, nil
	}
	t, err := scan.NewTerm(kind, value, l)
	if err != nil {
		return t, j.Errorf(-1, "%v", err)
	}
	return t, nil
}

// triple takes the value of a triple term.
func (j *jsonReader) triple(depth int) (rdf.Term, error) {
	if depth == scan.MaxDepth {
		return rdf.Term{}, j.Errorf(0, "nested deeper than %d levels", scan.MaxDepth)
	}
	var parts [3]rdf.Term
	err := j.members("a triple, an object", func(name []byte) error {
		i := slices.Index(scan.Parts[:], string(name))
		if i < 0 {
			return j.skip(0)
		}
		if !parts[i].IsZero() {
			return j.Errorf(-1, "a triple with two members of the same name")
		}
		var err error
		parts[i], err = j.term(depth + 1)
		return err
	})
	if err != nil {
		return rdf.Term{}, err
	}
	t, err := scan.NewTriple(parts)
	if err != nil {
		return t, j.Errorf(-1, "%v", err)
	}
	return t, nil
}

// ErrNameless reports a literal with an empty language tag or datatype in an answer in
// JSON. RDF has no such literal (RDF 1.1 Concepts, section 3.3): the program that wrote
// it had lost the name, so the original literal is unknown.
var ErrNameless = errors.New("a literal whose language tag or datatype is empty")
