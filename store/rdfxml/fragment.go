package rdfxml

import (
	"cmp"
	"slices"
	"strings"
)

// fragment writes the content of an element as Exclusive Canonical XML 1.0 with comments
// (https://www.w3.org/TR/xml-exc-c14n/), which is the lexical form of an rdf:XMLLiteral.
type fragment struct {
	text     []byte
	open     []opened
	rendered bindings // declarations written in the open elements
}

// opened is an open element in a fragment.
type opened struct {
	name               string
	bindings, rendered int // lengths outside the element
}

// ends reports whether a token ends the element whose content the fragment is.
func (x *fragment) ends(t token) bool {
	return len(x.open) == 0 && (t.kind == endTag || t.kind == endOfText)
}

// inLiteral adds a token to the fragment of f.
func (r *Reader) inLiteral(f *openElement, t token) error {
	x := f.xml
	if len(x.text) > r.scan.maxToken {
		return r.scan.errorf("a literal is longer than %d bytes", r.scan.maxToken)
	}
	switch t.kind {
	case text:
		x.text = escape(x.text, t.text, false)
	case comment:
		x.text = append(append(append(x.text, "<!--"...), t.text...), "-->"...)
	case instruction:
		x.text = append(append(x.text, "<?"...), t.name...)
		if t.text != "" {
			x.text = append(append(x.text, ' '), t.text...)
		}
		x.text = append(x.text, "?>"...)
	case startTag:
		if err := r.startFragment(x, t); err != nil {
			return err
		}
		if t.empty {
			return r.endFragment(x, t.name)
		}
	case endTag:
		return r.endFragment(x, t.name)
	case endOfText:
		return r.scan.errorf("expected </%s>, found the end of the document", x.open[len(x.open)-1].name)
	}
	return nil
}

// startFragment writes the start tag of an element in an XML literal, in Exclusive Canonical XML:
// declarations of the prefixes that it uses, and then its attributes, each sorted.
func (r *Reader) startFragment(x *fragment, t token) error {
	if len(r.elements)+len(x.open) > r.maxDepth {
		return r.scan.errorf("elements are nested more than %d deep", r.maxDepth)
	}
	x.open = append(x.open, opened{t.name, len(r.bindings.all), len(x.rendered.all)})
	if err := r.declare(t); err != nil {
		return err
	}
	if _, err := r.resolveTag(t.name); err != nil {
		return err
	}
	type named struct {
		expanded
		attr
	}
	var attrs []named
	prefix, _, _ := splitName(t.name)
	used := []string{prefix}
	for _, a := range t.attrs {
		if isDeclaration(a.name) {
			continue
		}
		name, err := r.resolveAttribute(a.name)
		if err != nil {
			return err
		}
		attrs = append(attrs, named{name, a})
		if prefix, _, _ := splitName(a.name); prefix != "" {
			used = append(used, prefix)
		}
	}
	x.text = append(append(x.text, '<'), t.name...)
	slices.Sort(used)
	for _, prefix := range slices.Compact(used) {
		x.declare(prefix, &r.bindings)
	}
	slices.SortFunc(attrs, func(a, b named) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.local, b.local))
	})
	for i, a := range attrs {
		if i > 0 && a.expanded == attrs[i-1].expanded {
			return r.scan.errorf("the attribute %s occurs twice", a.name)
		}
		x.attribute(a.name, a.value)
	}
	x.text = append(x.text, '>')
	return nil
}

// declare writes the declaration of a prefix unless an open element has written it.
func (x *fragment) declare(prefix string, all *bindings) {
	if prefix == "xml" {
		return
	}
	namespace, _ := all.namespace(prefix)
	if written, ok := x.rendered.namespace(prefix); ok && written == namespace {
		return
	}
	x.rendered.add(prefix, namespace)
	if prefix == "" {
		x.attribute("xmlns", namespace)
	} else {
		x.attribute("xmlns:"+prefix, namespace)
	}
}

func (x *fragment) attribute(name, value string) { x.text = attributeTo(x.text, name, value) }

// attributeTo appends an attribute, after a space.
func attributeTo(b []byte, name, value string) []byte {
	b = append(append(append(b, ' '), name...), `="`...)
	return append(escape(b, value, true), '"')
}

// endFragment writes the end tag of an element in an XML literal, and forgets its prefixes.
func (r *Reader) endFragment(x *fragment, name string) error {
	last := x.open[len(x.open)-1]
	if last.name != name {
		return r.scan.errorf("expected </%s>, found </%s>", last.name, name)
	}
	x.text = append(append(append(x.text, "</"...), name...), '>')
	x.open = x.open[:len(x.open)-1]
	x.rendered.cut(last.rendered)
	r.bindings.cut(last.bindings)
	return nil
}

// escape appends a text, or the value of an attribute in double quotes, as Canonical XML
// writes it (https://www.w3.org/TR/xml-c14n, section 2.3).
func escape(b []byte, s string, attribute bool) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '&':
			b = append(b, "&amp;"...)
		case c == '<':
			b = append(b, "&lt;"...)
		case c == '\r':
			b = append(b, "&#xD;"...)
		case c == '>' && !attribute:
			b = append(b, "&gt;"...)
		case c == '"' && attribute:
			b = append(b, "&quot;"...)
		case c == '\t' && attribute:
			b = append(b, "&#x9;"...)
		case c == '\n' && attribute:
			b = append(b, "&#xA;"...)
		default:
			b = append(b, c)
		}
	}
	return b
}
