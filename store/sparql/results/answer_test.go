package results_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite/answers"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql/results"
)

// answer is a whole answer.
type answer struct {
	vars            []string
	rows            [][]rdf.Term
	boolean, isBool bool
}

func (a answer) equal(b answer) bool {
	return slices.Equal(a.vars, b.vars) && a.boolean == b.boolean && a.isBool == b.isBool &&
		slices.EqualFunc(a.rows, b.rows, slices.Equal[[]rdf.Term])
}

func (a answer) String() string {
	var b strings.Builder
	if a.isBool && a.boolean {
		return "true"
	} else if a.isBool {
		return "false"
	}
	b.WriteString(strings.Join(a.vars, " "))
	for _, row := range a.rows {
		b.WriteString("\n|")
		for _, t := range row {
			b.WriteString(" " + t.String() + " |")
		}
	}
	return b.String()
}

// read reads a whole answer. After an error, it returns the part before it.
func read(in io.Reader, f results.Format) (a answer, err error) {
	got, err := answers.Read(in, f)
	return answerOf(got), err
}

func answerOf(a *answers.Answer) answer {
	if a == nil {
		return answer{}
	}
	return answer{vars: a.Vars, rows: a.Rows, boolean: a.Boolean, isBool: a.IsBoolean}
}

// write writes a whole answer.
func write(a answer, f results.Format, options ...func(*results.Writer)) (string, error) {
	var out bytes.Buffer
	w := results.NewWriter(&out, f)
	for _, set := range options {
		set(w)
	}
	if a.isBool {
		if err := w.Boolean(a.boolean); err != nil {
			return out.String(), err
		}
		err := w.Close()
		return out.String(), err
	}
	if err := w.Head(a.vars); err != nil {
		return out.String(), err
	}
	for _, row := range a.rows {
		if err := w.Row(row); err != nil {
			return out.String(), err
		}
	}
	err := w.Close()
	return out.String(), err
}

// mustWrite is write, but fails the test at an error.
func mustWrite(t testing.TB, a answer, f results.Format) string {
	t.Helper()
	text, err := write(a, f)
	if err != nil {
		t.Fatalf("writing %s: %v", f, err)
	}
	return text
}

func guarded(w *results.Writer) { w.Guard = true }

// one returns an answer of one row and one column.
func one(t rdf.Term) answer { return answer{vars: []string{"x"}, rows: [][]rdf.Term{{t}}} }
