package cli

import (
	"fmt"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/turtle"
)

// formatNames are the values of --format that name a format of RDF.
var formatNames = map[string]turtle.Format{
	"turtle":   turtle.Turtle,
	"ntriples": turtle.NTriples,
	"trig":     turtle.TriG,
	"nquads":   turtle.NQuads,
	"rdfxml":   turtle.RDFXML,
	"jsonld":   turtle.JSONLD,
}

// formatOf returns the format named by --format or, without it, by the extension of the
// file. Stdin and stdout, named -, have no extension.
func formatOf(name, path string) (turtle.Format, error) {
	if f, ok := formatNames[name]; ok {
		return f, nil
	}
	if f, ok := format.Of(path); ok && name == "" {
		return f, nil
	}
	if name != "" {
		return 0, &config.Error{Msg: name + " is a format for query answers", Hint: "Give --format turtle, ntriples, trig, nquads, rdfxml or jsonld."}
	}
	if path == "-" {
		path = "stdin"
	}
	return 0, &config.Error{
		Msg:  fmt.Sprintf("can't tell the format of %s from its name", path),
		Hint: "Add --format turtle, ntriples, trig, nquads, rdfxml or jsonld.",
	}
}
