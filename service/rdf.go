package service

import (
	"slices"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Media types of RDF.
const (
	MediaTurtle   = "text/turtle"
	MediaNTriples = "application/n-triples"
	MediaRDFXML   = "application/rdf+xml"
	MediaJSONLD   = "application/ld+json"
	MediaTriG     = "application/trig"
	MediaNQuads   = "application/n-quads"
)

// RDF is a format of RDF in HTTP.
type RDF struct {
	Format turtle.Format
	Media  string
	// IRI is its name in service descriptions (https://www.w3.org/ns/formats/).
	IRI string
	// Published reports whether logs may be in this format. Logs have no named graphs, so
	// formats of datasets are out.
	Published bool
	// Versions reports whether its media type has the parameter version (RDF 1.2 Turtle,
	// N-Triples, TriG and N-Quads).
	Versions bool

	name string   // its value of the parameter format
	more []string // other accepted values, which known clients send
}

// Formats are the formats of RDF that HTTP accepts or sends, the preferred one first.
var Formats = []RDF{
	{turtle.Turtle, MediaTurtle, formatNS + "Turtle", true, true, "ttl", []string{"turtle", "n3"}},
	{turtle.NTriples, MediaNTriples, formatNS + "N-Triples", true, true, "nt", []string{"ntriples", "n-triples"}},
	{turtle.RDFXML, MediaRDFXML, formatNS + "RDF_XML", true, false, "rdfxml", []string{"xml", "rdf", "rdf+xml", "rdf-xml", "pretty-xml"}},
	{turtle.JSONLD, MediaJSONLD, formatNS + "JSON-LD", true, false, "json", []string{"jsonld", "json-ld"}},
	{turtle.TriG, MediaTriG, formatNS + "TriG", false, true, "trig", nil},
	{turtle.NQuads, MediaNQuads, formatNS + "N-Quads", false, true, "nq", []string{"nquads", "n-quads"}},
}

// ContentType returns the value of Content-Type.
func (f RDF) ContentType() string {
	if strings.HasPrefix(f.Media, "text/") {
		return f.Media + "; charset=utf-8"
	}
	return f.Media
}

// ContentTypeOf returns the value of Content-Type for a text that needs a version, for a
// client that accepts all up to another version. The version of the text is named if RDF
// 1.1 can't hold it: clients of RDF 1.1 may not know the parameter.
func (f RDF) ContentTypeOf(text, accepted rdf.Version) string {
	if !f.Versions || text == rdf.RDF11 {
		return f.ContentType()
	}
	return f.ContentType() + inVersion(accepted)
}

// inVersion returns the parameter of a media type that names the version of a text that
// RDF 1.1 can't hold. Every such text is of RDF 1.2, but a client that accepts only RDF
// 1.2 Basic gets the label that it knows.
func inVersion(accepted rdf.Version) string {
	if accepted == rdf.RDF12Basic {
		return "; version=1.2-basic"
	}
	return "; version=1.2"
}

const formatNS = "http://www.w3.org/ns/formats/"

// PublishedFormats returns the formats that logs may have.
func PublishedFormats() []RDF {
	return slices.DeleteFunc(slices.Clone(Formats), func(f RDF) bool { return !f.Published })
}

// MediaTypes returns the media types of formats.
func MediaTypes(formats []RDF) []string {
	list := make([]string, len(formats))
	for i, f := range formats {
		list[i] = f.Media
	}
	return list
}

// RDFOf returns a format of HTTP.
func RDFOf(f turtle.Format) RDF {
	i := slices.IndexFunc(Formats, func(r RDF) bool { return r.Format == f })
	return Formats[i]
}

// FormatOf returns the format that has a media type.
func FormatOf(media string) (f RDF, ok bool) {
	i := slices.IndexFunc(Formats, func(f RDF) bool { return f.Media == media })
	if i < 0 {
		return f, false
	}
	return Formats[i], true
}
