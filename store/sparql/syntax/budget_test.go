package syntax_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/syntax"
)

// TestAPrefixCannotMakeGigabytesOfIRIs has queries of some 100 KB whose IRIs would have
// 20 MB.
func TestAPrefixCannotMakeGigabytesOfIRIs(t *testing.T) {
	long := "http://e/" + strings.Repeat("x", 20_000) + "/"
	for _, query := range []string{
		"PREFIX p: <" + long + "> SELECT * { VALUES ?x {" + strings.Repeat(" p:a", 1000) + " } }",
		"BASE <" + long + "> SELECT * { VALUES ?x {" + strings.Repeat(" <a>", 1000) + " } }",
		"BASE <" + long + "> " + strings.Repeat("BASE <a> ", 1000) + "ASK {}",
		"BASE <" + long + "> " + strings.Repeat("PREFIX p: <a> ", 1000) + "ASK {}",
	} {
		b := budget.New(context.Background(), budget.Limits{Memory: 10 << 20})
		var limit *budget.LimitError
		if _, err := syntax.ParseQuery(query, syntax.Options{Budget: b}); !errors.As(err, &limit) {
			t.Errorf("%.20s: %v", query, err)
		}
		b.Close()
	}
}
