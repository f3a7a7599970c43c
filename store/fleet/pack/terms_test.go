package pack

import (
	"bytes"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/varint"
)

// What logs said comes back byte for byte, whether it is lines of N-Quads or not.
func TestContentsComeBackExactly(t *testing.T) {
	var want []string
	for _, text := range []string{
		"<a> <p> \"x y .\" .\n<a> <p> <b> .\n<b> <p> <b> <g> .\n",
		"<c> <p> <<( <a> <p> \"z\" )>> .\n_:b <p> \"\\n\"@en .\n",
		"", "no line", "<a> <p> <b> .", "<a> <p> <b>.\n", "<a> .\n", " .\n", "\n", "  .\n", "<a>  <b> .\n", "a b c .\n\n", "a \xff c .\n",
	} {
		want = append(want, text, text)
	}
	p := &Pack{Entries: make([]Entry, len(want)+1)}
	for i, text := range want {
		p.Entries[i] = Entry{JSON: []byte("{}"), Content: []byte(text)}
	}
	sent, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(sent)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range want {
		if c := got.Entries[i].Content; c == nil || string(c) != text {
			t.Errorf("%q came back as %q", text, c)
		}
	}
	if c := got.Entries[len(want)].Content; c != nil {
		t.Errorf("no content came back as %q", c)
	}
}

// A few bytes can't become more than a pack may hold, and columns that lack something are no pack.
func TestColumnsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		texts   string
		columns [3]string
		lines   uint64
	}{
		"too long":     {strings.Repeat("x", 1<<16) + "\n", [3]string{"\x00" + strings.Repeat("\x01", 2000), strings.Repeat("\x02", 2001), strings.Repeat("\x02", 2001)}, 2001},
		"too many":     {strings.Repeat("\n", maxTerms+1), [3]string{strings.Repeat("\x00", maxTerms+1), strings.Repeat("\x01", maxTerms+1), strings.Repeat("\x01", maxTerms+1)}, maxTerms + 1},
		"no text":      {"", [3]string{"\x00", "\x01", "\x01"}, 1},
		"unknown":      {"a\n", [3]string{"\x00", "\x03", "\x01"}, 1},
		"too few":      {"a\n", [3]string{"\x00", "\x02", ""}, 1},
		"endless text": {"a", [3]string{"\x00", "\x01", "\x01"}, 1},
	} {
		b := varint.AppendString(nil, c.texts)
		for _, column := range c.columns {
			b = varint.AppendString(b, column)
		}
		r := varint.NewReader(b)
		if content, ok := newReading(&r).content(c.lines); ok {
			t.Errorf("%s: read %d bytes, %.100q", name, len(content), bytes.TrimSpace(content))
		}
	}
}
