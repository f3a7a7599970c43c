package results

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/segraph/segraph/store/rdf"
)

// open reads up to the first row. If the results come before the head, it notes where they are,
// reads the head, and goes back.
func (j *Reader) open() error {
	if err := j.expect('{', `"{"`); err != nil {
		return err
	}
	more, err := j.top(true)
	if err == nil && !more {
		err = j.complete()
	}
	if err == nil && j.held > 0 {
		j.at = j.held
		err = j.enter()
	}
	return err
}

// complete returns an error if a required member is missing at the end of an answer.
func (j *Reader) complete() error {
	switch {
	case !j.seenHead:
		return j.errorf(0, `the answer has no member "head"`)
	case !j.seenRows && !j.seenBoolean:
		return j.errorf(0, `the answer has neither "results" nor "boolean"`)
	}
	return nil
}

// top reads members of the outermost object, from the first one or a later one. more is true
// before the first row, and false at the end of the text or with an error.
func (j *Reader) top(first bool) (more bool, err error) {
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
			err = j.once(&j.seenRows, "results")
			switch {
			case err != nil:
			case j.seenHead && !j.seenBoolean:
				err = j.enter()
				return err == nil, err
			default:
				err = j.hold()
			}
		default:
			err = j.skip()
		}
		if err == nil && j.seenRows && j.seenBoolean {
			err = j.errorf(-1, `the answer has both "results" and "boolean"`)
		}
		if err != nil {
			return false, err
		}
		if j.held == 0 { // held rows are read again, so the text from there on stays
			j.text.DropBefore(j.at)
		}
	}
	return false, j.text.CheckEnd(j.at)
}

func (j *Reader) once(seen *bool, name string) error {
	if *seen {
		return j.errorf(0, "the member %q occurs twice", name)
	}
	*seen = true
	return nil
}

// head reads the member "head" and keeps its variables.
func (j *Reader) head() error {
	seen := false
	return j.members(`the head, an object`, func(name []byte) error {
		if string(name) != "vars" {
			return j.skip()
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
			if len(j.vars) == maxColumns {
				return j.errorf(-1, "more than %d variables", maxColumns)
			}
			if err := j.add(string(name)); err != nil {
				return j.errorf(-1, "%v", err)
			}
		}
	})
}

func (j *Reader) truth() error {
	c := j.ahead()
	if j.boolean = c == 't'; !j.boolean && c != 'f' {
		return j.text.Expected(j.at, "true or false")
	}
	return j.skip()
}

// enter reads the member "results" up to its first row.
func (j *Reader) enter() error {
	if err := j.expect('{', `the results, an object`); err != nil {
		return err
	}
	for first := true; ; first = false {
		if more, err := j.item(first, '}'); err != nil {
			return err
		} else if !more {
			return j.errorf(-1, `the results have no member "bindings"`)
		}
		name, err := j.key()
		if err != nil {
			return err
		}
		if string(name) == "bindings" {
			return j.expect('[', `the rows, a list`)
		}
		if err := j.skip(); err != nil {
			return err
		}
	}
}

// hold reads the rows, which precede the head, to read them again later.
func (j *Reader) hold() error {
	j.ahead()
	j.held = j.at
	return j.skip()
}

// leave reads the rest of the member "results" after its last row.
func (j *Reader) leave() error {
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
			return j.errorf(0, `the member "bindings" occurs twice`)
		}
		if err := j.skip(); err != nil {
			return err
		}
	}
}

// next reads the next row, or returns io.EOF after it has read the rest of the text.
func (j *Reader) next(row []rdf.Term) error {
	more, err := j.item(j.first, ']')
	if err != nil {
		return err
	}
	if !more {
		if err := j.leave(); err != nil {
			return err
		}
		if j.held == 0 {
			if _, err := j.top(false); err != nil {
				return err
			}
		}
		return io.EOF
	}
	j.first = false
	j.text.DropBefore(j.at)
	return j.members("a row, an object", func(name []byte) error {
		place, err := j.cell(name, row)
		if err != nil {
			return j.errorf(-1, "%v", err)
		}
		*place, err = j.term(0)
		return err
	})
}

// term reads the value of a variable. depth is its nesting in triple terms.
func (j *Reader) term(depth int) (rdf.Term, error) {
	var triple rdf.Term
	var kind, value string
	var l literal
	var seen [5]bool // type, value, xml:lang, its:dir and datatype
	err := j.members("a term, an object", func(name []byte) error {
		var to *string
		var member int
		switch string(name) {
		case "type":
			member, to = 0, &kind
		case "value":
			member, to = 1, &value
		case "xml:lang":
			member, to = 2, &l.language
		case "its:dir":
			member, to = 3, &l.direction
		case "datatype":
			member, to = 4, &l.datatype
		default:
			return j.skip()
		}
		if seen[member] {
			return j.errorf(-1, "a term with two members of the same name")
		}
		seen[member] = true
		if member == 1 && j.ahead() == '{' {
			var err error
			triple, err = j.triple(depth)
			return err
		}
		b, err := j.str("a string")
		*to = string(b)
		return err
	})
	if err != nil {
		return rdf.Term{}, err
	}
	if !seen[0] || !seen[1] {
		return rdf.Term{}, j.errorf(-1, `a term without the members "type" and "value"`)
	}
	if nameless := seen[2] && l.language == "" || seen[4] && l.datatype == ""; nameless {
		at := j.text.Position(j.at - 1)
		return rdf.Term{}, &SyntaxError{Line: at.Line, Column: at.Column, Msg: fmt.Sprintf("%v: %.80q", ErrNameless, value), Err: ErrNameless}
	}
	if !triple.IsZero() {
		if kind != "triple" || l != (literal{}) {
			return rdf.Term{}, j.errorf(-1, "a term whose value is a triple must have the type triple, and no language or datatype")
		}
		return triple, nil
	}
	t, err := newTerm(kind, value, l)
	if err != nil {
		return t, j.errorf(-1, "%v", err)
	}
	return t, nil
}

// triple reads the value of a triple term.
func (j *Reader) triple(depth int) (rdf.Term, error) {
	if depth == maxDepth {
		return rdf.Term{}, j.errorf(0, "triple terms are nested more than %d deep", maxDepth)
	}
	var parts [3]rdf.Term
	err := j.members("a triple, an object", func(name []byte) error {
		i := slices.Index(partNames[:], string(name))
		if i < 0 {
			return j.skip()
		}
		if !parts[i].IsZero() {
			return j.errorf(-1, "a triple with two members of the same name")
		}
		var err error
		parts[i], err = j.term(depth + 1)
		return err
	})
	if err != nil {
		return rdf.Term{}, err
	}
	t, err := newTriple(parts)
	if err != nil {
		return t, j.errorf(-1, "%v", err)
	}
	return t, nil
}

// ErrNameless reports a literal with an empty language tag or datatype in an answer in
// JSON. RDF has no such literal (RDF 1.1 Concepts, section 3.3): the program that wrote
// it had lost the name, so the original literal is unknown.
var ErrNameless = errors.New("a literal whose language tag or datatype is empty")
