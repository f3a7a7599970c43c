package cli

import (
	"fmt"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/turtle"
)

// formatOf returns the format named by --format or, without it, by the extension of the
// file. Stdin and stdout, named -, have no extension.
func formatOf(name, path string) (turtle.Format, error) {
	switch name {
	case "turtle":
		return turtle.Turtle, nil
	case "ntriples":
		return turtle.NTriples, nil
	case "trig":
		return turtle.TriG, nil
	case "nquads":
		return turtle.NQuads, nil
	case "rdfxml":
		return turtle.RDFXML, nil
	case "jsonld":
		return turtle.JSONLD, nil
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
