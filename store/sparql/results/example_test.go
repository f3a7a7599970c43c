package results_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
)

func ExampleWriter() {
	w := results.NewWriter(os.Stdout, results.TSV)
	err := errors.Join(
		w.Head([]string{"robot", "score"}),
		w.Row([]rdf.Term{rdf.NewIRI("http://example.org/robot/7"), rdf.NewLiteral("0.8", rdf.XSDDecimal)}),
		w.Row([]rdf.Term{rdf.NewIRI("http://example.org/robot/8"), {}}),
		w.Close(),
	)
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// ?robot	?score
	// <http://example.org/robot/7>	0.8
	// <http://example.org/robot/8>
}

func ExampleReader() {
	const text = `{"head":{"vars":["name"]},"results":{"bindings":[{"name":{"type":"literal","value":"Ari","xml:lang":"en"}},{}]}}`
	r, err := results.NewReader(strings.NewReader(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		row, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Vars()[0], "is bound:", !row[0].IsZero(), row[0])
	}
	// Output:
	// name is bound: true "Ari"@en
	// name is bound: false
}
