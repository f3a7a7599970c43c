package service

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/turtle"
)

// TestALongIRIThatRepeatsIsReadInTime has IRIs that are written once, and belong to very many triples.
func TestALongIRIThatRepeatsIsReadInTime(t *testing.T) {
	n := suite.Size(1<<20, 1<<17)
	const long = "an IRI is longer than 65536 bytes"
	ones := strings.Repeat(",1", n)
	xs := func(n int) string { return "u:" + strings.Repeat("x", n) }
	for _, c := range []struct {
		name, text string
		f          turtle.Format
		refused    string // why
	}{
		{"4 MB of Turtle", "<u:s> <" + xs(4<<20) + "> 1" + ones + " .", turtle.Turtle, long},
		{"4 MB of JSON-LD", `{"@id":"u:s","` + xs(4<<20) + `":[1` + ones + `]}`, turtle.JSONLD, long},
		{"a datatype of 4 MB", `<u:s> <u:p> "1"^^<` + xs(4<<20) + "> .", turtle.Turtle, long},
		{"60 KB of Turtle", "<u:s> <" + xs(60_000) + "> 1" + ones + " .", turtle.Turtle, ""},
		{"60 KB that is no IRI", `{"@id":"u:s","` + xs(60_000) + `%zz":[1` + ones + `]}`, turtle.JSONLD, ""},
		{"60 KB in many objects", `{"@context":{"t":"` + xs(60_000) + `"},"@graph":[{}` + strings.Repeat(`,{"@id":"u:s","t":1}`, n) + `]}`, turtle.JSONLD, ""},
		{"two of 60 KB", `{"@context":{"t":"` + xs(60_000) + `%za","v":"` + xs(60_000) + `%zb"},"@graph":[{}` +
			strings.Repeat(`,{"@id":"u:s","t":1},{"@id":"u:s","v":1}`, n/10) + `]}`, turtle.JSONLD, "far longer than"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := readDocument(ctx, []byte(c.text), c.f, turtle.Options{CheckIRIs: true})
		cancel()
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %.200v", c.name, err)
		}
	}
}
