package turtle

import (
	"fmt"

	"github.com/segraph/segraph/store/rdf"
)

// warnings collects the warnings about a text.
type warnings struct {
	wanted, strict bool
	first          []Warning
	seen           map[string]bool // their texts
	total          int
}

// add records a warning about a text at a place. In strict mode, it returns it as an
// error.
func (w *warnings) add(text, format string, why any, place func() (line, column int)) error {
	quoted := string(shortenTo([]byte(text), maxQuoted))
	msg := fmt.Sprintf(format, quoted, why)
	if w.strict {
		line, column := place()
		return &SyntaxError{Line: line, Column: column, Msg: msg}
	}
	text = string(shortenTo([]byte(text), maxWarningText))
	if w.seen[text] {
		return nil
	}
	if w.total++; len(w.first) == maxWarnings {
		return nil
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[text] = true
	line, column := place()
	w.first = append(w.first, Warning{line, column, quoted, msg})
	return nil
}

// Checker checks the IRIs and language tags of quads, as a Reader does with
// Options.CheckIRIs and StrictIRIs. It is for readers of other formats.
type Checker struct {
	warnings warnings
	last     [4]rdf.Term
	checked  map[string]struct{} // IRIs, recently
}

// NewChecker returns a Checker with the CheckIRIs and StrictIRIs of o.
func NewChecker(o Options) *Checker {
	return &Checker{warnings: warnings{wanted: o.CheckIRIs || o.StrictIRIs, strict: o.StrictIRIs}, checked: make(map[string]struct{})}
}

// Check checks a quad that was read at a place. Only StrictIRIs makes it return an error,
// a *SyntaxError.
func (c *Checker) Check(q rdf.Quad, line, column int) error {
	if !c.warnings.wanted {
		return nil
	}
	place := func() (int, int) { return line, column }
	for i, t := range [...]rdf.Term{q.S, q.P, q.O, q.G} {
		if t == c.last[i] {
			continue
		}
		c.last[i] = t
		iri := t.Datatype()
		if t.IsIRI() {
			iri = t.Value()
		}
		if language := t.Language(); language != "" && !rdf.ValidLanguage(language) {
			if err := c.warnings.add(language, notLanguage, "", place); err != nil {
				return err
			}
		}
		if _, ok := c.checked[iri]; ok || iri == "" {
			continue
		}
		if len(c.checked) == fullCache {
			clear(c.checked)
		}
		c.checked[iri] = struct{}{} // also if it is wrong, to warn once
		if err := rdf.CheckIRI(iri); err != nil {
			if err := c.warnings.add(iri, notIRI, err, place); err != nil {
				return err
			}
		}
	}
	return nil
}

// Warnings returns the first 100 warnings and their total number: see Reader.Warnings.
func (c *Checker) Warnings() (first []Warning, total int) { return c.warnings.first, c.warnings.total }
