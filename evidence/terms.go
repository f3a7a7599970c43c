package evidence

import (
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// prefixes shorten names on the page. They belong to the bundle's format.
var prefixes = [...]struct{ label, namespace string }{
	{"amor", "http://www.gsi.upm.es/ontologies/amor/ns#"},
	{"emoml", "http://www.gsi.upm.es/ontologies/onyx/vocabularies/emotionml/ns#"},
	{"foaf", "http://xmlns.com/foaf/0.1/"},
	{"mls", "http://www.w3.org/ns/mls#"},
	{"oa", "http://www.w3.org/ns/oa#"},
	{"onyx", "http://www.gsi.upm.es/ontologies/onyx/ns#"},
	{"oro", "http://kb.openrobots.org#"},
	{"owl", "http://www.w3.org/2002/07/owl#"},
	{"prov", "http://www.w3.org/ns/prov#"},
	{"rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"},
	{"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
	{"schema", "http://schema.org/"},
	{"segb", "http://www.gsi.upm.es/ontologies/segb/ns#"},
	{"sosa", "http://www.w3.org/ns/sosa/"},
	{"xsd", "http://www.w3.org/2001/XMLSchema#"},
}

// cells returns the cells of a triple in canonical N-Triples.
func (w *writer) cells(line string) string {
	rest := strings.TrimSuffix(line, " .")
	var terms []string
	for len(terms) < 2 {
		term, after, ok := strings.Cut(rest, " ")
		if !ok || strings.HasPrefix(term, `"`) || strings.HasPrefix(term, "<<") {
			break
		}
		terms, rest = append(terms, term), after
	}
	if len(terms) < 2 {
		return `<td colspan="3"><bdi>` + esc(line) + "</bdi>"
	}
	return "<td>" + w.term(terms[0]) + "<td>" + w.term(terms[1]) + "<td>" + w.term(rest)
}

// term returns a term, with a prefix if it is an IRI with one.
func (w *writer) term(t string) string {
	if t == "<"+rdf.RDFType+">" {
		return "a"
	}
	literal, datatype := t, ""
	if strings.HasPrefix(t, `"`) {
		if i := strings.LastIndex(t, `"^^<`); i > 0 {
			literal, datatype = t[:i+1], t[i+3:]
		}
	} else if strings.HasPrefix(t, "<") {
		literal, datatype = "", t
	}
	out := ""
	if literal != "" {
		out = "<bdi>" + esc(literal) + "</bdi>"
		if datatype != "" {
			out += "^^"
		}
	}
	return out + esc(w.short(datatype))
}

// short returns an IRI with a prefix if the page has one for it and the rest is a plain word, or unchanged.
func (w *writer) short(iri string) string {
	for i, p := range prefixes {
		local, ok := strings.CutPrefix(iri, "<"+p.namespace)
		local = strings.TrimSuffix(local, ">")
		if ok && local != "" && !strings.ContainsFunc(local, func(r rune) bool {
			return !(r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		}) {
			w.used[i] = true
			return p.label + ":" + local
		}
	}
	return iri
}

// writePrefixes lists the prefixes of the names on the page.
func (w *writer) writePrefixes() {
	w.line("<section>\n<h2>Prefixes</h2>\n<ul>")
	for i, used := range w.used {
		if used || prefixes[i].label == "rdf" {
			w.line("<li>%s: <code>%s</code>", prefixes[i].label, prefixes[i].namespace)
		}
	}
	w.line("</ul>\n</section>")
}
