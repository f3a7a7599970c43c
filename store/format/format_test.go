package format_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/turtle"
)

func TestTheFormatOfAFileIsThatOfItsExtension(t *testing.T) {
	for name, want := range map[string]turtle.Format{
		"a.ttl": turtle.Turtle, "/x.y/b.NT": turtle.NTriples, "c.trig": turtle.TriG, ".nq": turtle.NQuads, "d.rdf": turtle.RDFXML, "e.JSONLD": turtle.JSONLD,
	} {
		if f, ok := format.Of(name); !ok || f != want {
			t.Errorf("Of(%q) = %v, %v; want %v", name, f, ok, want)
		}
	}
	for _, name := range []string{"", "ttl", "a.ttl.gz", "a.xml", "a.n", "a.ttl/"} {
		if f, ok := format.Of(name); ok {
			t.Errorf("Of(%q) = %v", name, f)
		}
	}
}

// A base direction is no part of a language tag, in any format.
func TestLanguageTagsAreCheckedWithoutTheirDirection(t *testing.T) {
	for f, text := range map[turtle.Format]string{
		turtle.Turtle:   `<u:s> <u:p> "x"@LANG--rtl .`,
		turtle.NTriples: `<u:s> <u:p> "x"@LANG--rtl .`,
		turtle.JSONLD:   `{"@id": "u:s", "u:p": {"@value": "x", "@language": "LANG", "@direction": "rtl"}}`,
		turtle.RDFXML: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" rdf:version="1.2" xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0">` +
			`<rdf:Description rdf:about="u:s"><p xmlns="u:" xml:lang="LANG" its:dir="rtl">x</p></rdf:Description></rdf:RDF>`,
	} {
		for language, ok := range map[string]bool{"he": true, "a-DE": false} {
			text := strings.ReplaceAll(text, "LANG", language)
			r := format.NewReader(strings.NewReader(text), f, turtle.Options{CheckIRIs: true})
			q, err := r.Read()
			if err != nil || q.O.Direction() != "rtl" || q.O.Language() != language {
				t.Fatalf("%s: %v, %v", text, q, err)
			}
			if first, n := r.Warnings(); (n == 0) != ok {
				t.Errorf("%s: the warnings are %v", text, first)
			}
			_, err = format.NewReader(strings.NewReader(text), f, turtle.Options{StrictIRIs: true}).Read()
			var wrong *turtle.SyntaxError
			if ok && err != nil || !ok && !errors.As(err, &wrong) || err == io.EOF {
				t.Errorf("%s, strictly: %v", text, err)
			}
		}
	}
}
