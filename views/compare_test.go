package views

import (
	"strings"
	"testing"
)

func TestWordsThatDifferAreMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, left, right string }{
		{"Hello there.", "hello there", "Hello there.", "hello there"},
		{"show me the news", "show the old news", "show [me] the news", "show the [old] news"},
		{"", "hello", "", "[hello]"},
		{"yes", "no", "[yes]", "[no]"},
	} {
		left, right := Compare(c.a, c.b)
		if got := [2]string{written(left), written(right)}; got != [2]string{c.left, c.right} {
			t.Errorf("%q, %q: %q", c.a, c.b, got)
		}
	}
}

func written(spans []Span) (out string) {
	for i, s := range spans {
		if i > 0 {
			out += " "
		}
		if s.Marked {
			out += "[" + s.Text + "]"
		} else {
			out += s.Text
		}
	}
	return out
}

// Each word is made plain once, not once for each word of the other text.
func TestLongWordsAreComparedQuickly(t *testing.T) {
	long := strings.Repeat(strings.Repeat("Ab", 50)+" ", 400)
	if n := testing.AllocsPerRun(1, func() { Compare(long, long+"c") }); n > 10_000 {
		t.Errorf("it allocates %.0f times", n)
	}
}
