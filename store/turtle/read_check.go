package turtle

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Limits on the warnings about a text.
const (
	maxWarnings    = 100
	maxWarningText = 1000 // bytes that tell an IRI or a tag from others
	maxQuoted      = 200  // bytes of these in a warning
)

// Messages of warnings: a text, and why.
const (
	notIRI      = "<%s> is not an IRI (RFC 3987): %v"
	notLanguage = "@%s is not a language tag (BCP 47)%v"
)

// Warning reports an IRI that RFC 3987 does not allow, or a language tag that BCP 47 does
// not. Other programs may reject a document because of it.
type Warning struct {
	Line, Column int    // start of the IRI or the tag, as in SyntaxError
	Text         string // the IRI, resolved, or the tag; cut if very long
	Msg          string // the problem
}

// Warnings returns the first 100 warnings about the text read so far, in text order, and
// the total number. A repeated IRI or tag is reported once; after the first 100 it may be
// counted again. Without Options.CheckIRIs there are none.
func (r *Reader) Warnings() (first []Warning, total int) { return r.warnings.first, r.warnings.total }

// makeIRI returns the IRI b, from the token just taken. It checks it if warnings are
// enabled.
func (r *Reader) makeIRI(b []byte) (string, error) {
	s, place := r.terms.find(b)
	if !r.warnings.wanted || place != nil && place.iri {
		return s, nil
	}
	if place != nil {
		place.iri = true // also if it is wrong, to warn once
	}
	if err := rdf.CheckIRI(s); err != nil {
		return s, r.warn(s, notIRI, err)
	}
	return s, nil
}

// checkReference checks a relative IRI before it is resolved, if warnings are enabled. good is false if it is wrong.
func (r *Reader) checkReference(b []byte) (good bool, err error) {
	if !r.warnings.wanted {
		return true, nil
	}
	ref := string(b)
	if err := rdf.CheckReference(ref); err != nil {
		return false, r.warn(ref, "<%s> is not a relative IRI (RFC 3987): %v", err)
	}
	return true, nil
}

// checkLanguage checks a language tag, if warnings are enabled.
func (r *Reader) checkLanguage(tag string) error {
	if !r.warnings.wanted {
		return nil
	}
	language, _, _ := strings.Cut(tag, "--") // without a base direction
	if rdf.ValidLanguage(language) {
		return nil
	}
	return r.warn(tag, notLanguage, "; one is written as in @en or @en-GB")
}

// warn records a warning about the token just taken. In strict mode, it returns it as an
// error.
func (r *Reader) warn(text, format string, why any) error {
	return r.warnings.add(text, format, why, func() (line, column int) { return r.window.place(r.start - r.pos) })
}
