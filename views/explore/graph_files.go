package explore

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
	"github.com/segraph/segraph/views"
)

// getPictureSVG returns the picture as a self-contained SVG file.
func (u *handlers) getPictureSVG(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	st, names := readGraphState(r.URL.Query()), u.Prefixes(nil)
	p, err := u.loadGraph(r, st, names)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := GraphFile(draw(p, st, &views.Visit{Zone: v.Zone}, names)).Render(r.Context(), &out); err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	return giveFile(w, v, "image/svg+xml", "svg", bytes.Map(inXML, out.Bytes()))
}

// inXML returns r, or U+FFFD if XML can't contain it (XML 1.0, section 2.2).
func inXML(r rune) rune {
	if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF' {
		return '\uFFFD'
	}
	return r
}

// getPictureTurtle returns the visible triples: the edges, and the types and labels of
// the nodes.
func (u *handlers) getPictureTurtle(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	names := u.Prefixes(nil)
	p, err := u.loadGraph(r, readGraphState(r.URL.Query()), names)
	if err != nil {
		return err
	}
	var triples []rdf.Triple
	for _, e := range p.edges {
		if e.told == "" {
			triples = append(triples, e.Triple)
		}
	}
	for _, n := range p.nodes {
		for _, t := range slices.Concat(n.out, n.own) {
			if t.P.Value() == rdf.RDFType || t.O.IsLiteral() {
				triples = append(triples, t)
			}
		}
	}
	var rows [][]rdf.Term
	for _, t := range triples {
		rows = append(rows, []rdf.Term{t.S, t.P, t.O})
	}
	var out bytes.Buffer
	if err := turtle.WriteGraph(&out, turtle.NewMemorySource(triples), views.UsedPrefixes(names, rows)); err != nil {
		return fmt.Errorf("write a picture as Turtle: %w", err)
	}
	return giveFile(w, v, "text/turtle; charset=utf-8", "ttl", out.Bytes())
}

func giveFile(w http.ResponseWriter, v *views.Visit, contentType, extension string, content []byte) error {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="graph-%s.%s"`, v.Now.UTC().Format("20060102-150405"), extension))
	h.Set("Content-Length", fmt.Sprint(len(content)))
	_, _ = w.Write(content) // if the client is gone, reading its next request fails
	return nil
}
