package viewstest

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

// Shown is a rendered page or component.
type Shown struct {
	t      *testing.T
	markup string
}

// Show renders a page or a component, and checks the rules for the markup of every page.
func Show(t *testing.T, c templ.Component) *Shown {
	t.Helper()
	return &Shown{t, render(t, c)}
}

// Reads checks the facts of a component, or of the content of a page: its frame has tests of its own. A line
// of facts is a fact, as read writes it; the line "…" stands for any number of others.
func (s *Shown) Reads(facts string) *Shown {
	s.t.Helper()
	markup := s.markup
	if _, content, whole := strings.Cut(markup, "<main "); whole {
		content, _, _ = strings.Cut(content, "</main>")
		markup = "<main " + content + "</main>"
	}
	got, rest := read(s.t, markup), strings.Split(strings.TrimSpace(facts), "\n")
	from, free := 0, false
	for len(rest) > 0 {
		if rest[0] == "…" {
			rest, free = rest[1:], true
			continue
		}
		n := slices.Index(append(rest, "…"), "…")
		part, at := rest[:n], from
		if free && n == len(rest) {
			at = max(from, len(got)-n)
		}
		for free && at+n < len(got) && !slices.Equal(got[at:at+n], part) {
			at++
		}
		for i, fact := range part {
			if at+i >= len(got) || got[at+i] != fact {
				s.t.Errorf("%q is missing or not in its place in\n%s", fact, strings.Join(got, "\n"))
				return s
			}
		}
		from, free, rest = at+n, false, rest[n:]
	}
	if !free && from < len(got) {
		s.t.Errorf("nobody expects %q in\n%s", got[from], strings.Join(got, "\n"))
	}
	return s
}

// Golden compares the first element whose tag contains mark, such as `id="people"`, with testdata/NAME.html.
func (s *Shown) Golden(name, mark string) *Shown {
	s.t.Helper()
	golden(s.t, name, s.element(mark))
	return s
}

// Holds checks that the markup contains each of the lines, such as the tags that a script or a style needs.
func (s *Shown) Holds(lines string) *Shown {
	s.t.Helper()
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		if line = strings.TrimSpace(line); !strings.Contains(s.markup, line) {
			s.t.Errorf("%s is missing in\n%s", line, s.markup)
		}
	}
	return s
}

// Lacks checks that the markup contains none of the texts.
func (s *Shown) Lacks(texts ...string) *Shown {
	s.t.Helper()
	for _, text := range texts {
		if strings.Contains(s.markup, text) {
			s.t.Errorf("%q is in\n%s", text, s.markup)
		}
	}
	return s
}

// element returns the markup of the first element whose tag contains mark.
func (s *Shown) element(mark string) string {
	s.t.Helper()
	d, depth, start := decoder(s.markup), 0, -1
	for {
		from := int(d.InputOffset())
		token, err := d.RawToken()
		if err != nil {
			s.t.Fatalf("no element has %s: %v in\n%s", mark, err, s.markup)
		}
		to := int(d.InputOffset())
		switch x := token.(type) {
		case xml.StartElement:
			switch {
			case start < 0 && strings.Contains(s.markup[from:to], mark):
				start, depth = from, 1
			case !void(x.Name.Local):
				depth++
			}
		case xml.EndElement:
			if depth--; start >= 0 && depth == 0 {
				return s.markup[start:to] + "\n"
			}
		}
	}
}

func decoder(markup string) *xml.Decoder {
	d := xml.NewDecoder(strings.NewReader(markup))
	d.Strict, d.Entity = false, xml.HTMLEntity
	return d
}

// void reports whether an element has no end tag.
func void(tag string) bool { return slices.Contains(xml.HTMLAutoClose, tag) }

// reader turns markup into facts.
type reader struct {
	lines  []string
	line   strings.Builder
	open   []element
	hidden int // of the open elements, how many are hidden or within hidden ones
	rows   int // of the open elements, how many are rows of tables
}

// element is an open element.
type element struct{ tag, after string }

// read returns what people learn from markup and can do there. A block of text, a row of a table, or an entry of
// a list of facts is a line. A heading begins with "#", a link is "text → address", a button "[text]" or
// "[text: name=value]", a field "[name=value]", with * before the chosen of several values, and a form begins
// with "form", its method and action. Hidden elements are left out.
func read(t *testing.T, markup string) []string {
	t.Helper()
	r, d := &reader{}, decoder(markup)
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			r.end()
			return r.lines
		} else if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			r.start(x)
		case xml.EndElement:
			r.stop()
		case xml.CharData:
			if r.hidden == 0 {
				r.line.Write(x)
			}
		}
	}
}

// inline are the elements that do not begin a line, besides all those in a row.
var inline = strings.Fields("a b bdi br button circle code dd em g i input kbd label line mark option path rect select span strong svg td textarea th time u use")

// tidy removes spaces that depend on the markup, and shows the character that turns the direction of text.
var tidy = strings.NewReplacer("[ ", "[", " ]", "]", " :", ":", "; ]", "]", ";]", "]", "\u202e", `\u202e`)

func (r *reader) end() {
	if line := strings.TrimSuffix(strings.Join(strings.Fields(r.line.String()), " "), " |"); strings.Trim(line, " |") != "" {
		r.lines = append(r.lines, tidy.Replace(line))
	}
	r.line.Reset()
}

// start begins an element. Those that are not inline end the line, except in a row of a table.
func (r *reader) start(x xml.StartElement) {
	tag, attr := x.Name.Local, map[string]string{}
	for _, a := range x.Attr {
		attr[a.Name.Local] = a.Value
	}
	_, hide := attr["hidden"]
	if r.rows == 0 && !slices.Contains(inline, tag) {
		r.end()
	}
	before, after := words(tag, attr)
	if r.hidden == 0 && !hide {
		r.line.WriteString(before)
	}
	if void(tag) {
		return
	}
	if hide || r.hidden > 0 {
		r.hidden++
	}
	if tag == "tr" {
		r.rows++
	}
	r.open = append(r.open, element{tag, after})
}

// stop ends the innermost element.
func (r *reader) stop() {
	e := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if r.hidden > 0 {
		r.hidden--
	} else {
		r.line.WriteString(e.after)
	}
	if e.tag == "tr" {
		r.rows--
	}
	if r.rows == 0 && e.tag != "dt" && !slices.Contains(inline, e.tag) {
		r.end()
	}
}

// words returns what read writes before and after the content of an element.
func words(tag string, attr map[string]string) (before, after string) {
	named := attr["name"] + "=" + attr["value"]
	_, checked := attr["checked"]
	_, selected := attr["selected"]
	switch tag {
	case "h1", "h2", "h3":
		return "# ", ""
	case "a":
		return " ", " → " + attr["href"] + " "
	case "form":
		return " form " + attr["method"] + " " + attr["action"] + " ", ""
	case "input":
		return " [" + star(checked) + named + "] ", ""
	case "textarea", "select":
		return " [" + attr["name"] + "=", "] "
	case "option":
		return " " + star(selected), ";"
	case "button":
		if attr["name"] != "" {
			return " [", ": " + named + "] "
		}
		return " [", "] "
	case "dt":
		return "", ": "
	case "td", "th":
		return "", " | "
	}
	return "", ""
}

func star(chosen bool) string {
	if chosen {
		return "*"
	}
	return ""
}
