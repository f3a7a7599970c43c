package turtle_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/turtle"
)

// 4 MB of opening brackets, quotes and the like must end in an error with a position:
// soon, with a stack of constant depth, and without memory for each of them.
func TestReadWithstandsHostileTexts(t *testing.T) {
	suite.NotShort(t)
	size := suite.Size(4<<20, 1<<18)
	fill := func(start, unit string) string { return start + strings.Repeat(unit, size/len(unit)) }
	tests := []struct {
		name, text   string
		line, column int
	}{
		{"parentheses", fill("", "("), 1, 1001},
		{"parentheses as objects", fill("<x:s> <x:p> ", "("), 1, 1013},
		{"parentheses on lines", fill("", "(\n"), 1001, 1},
		{"brackets", fill("", "["), 1, 2},
		{"brackets with properties", fill("", "[<x:p>"), 1, 6001},
		{"both", fill("", "([<x:p>"), 1, 3501},
		{"reified triples", fill("", "<<"), 1, 101},
		{"triple terms", fill("<x:s> <x:p> ", "<<(<x:s> <x:p>"), 1, 13 + 50*14},
		{"annotations", fill("<x:s> <x:p> 1 ", "{|<x:p> 1"), 1, 15 + 1000*9},
		{"angle brackets", fill("<x:s> ", "<"), 1, 7},
		{"quotes", fill("", `"`), 1, 1},
		{"quotes as objects", fill("<x:s> <x:p> ", `"`), 1, 19},
		{"quotes in a long string", fill(`<x:s> <x:p> """a`, `""x`), 1, 16 + size/3*3 + 1},
		{"backslashes", fill(`<x:s> <x:p> "`, `\\`), 1, 13 + size + 1},
		{"one word", fill("", "a"), 1, 1},
		{"dots", fill("", "."), 1, 1},
		{"dots in a name", fill("@prefix : <x:> . :a", "."), 1, 20},
		{"percents in a name", fill("@prefix : <x:> . :a", "%"), 1, 20},
		{"semicolons", fill("<x:s> <x:p> 1 ", ";"), 1, 14 + size + 1},
		{"braces", fill("", "{"), 1, 2},
		{"one number", fill("<x:s> <x:p> ", "1"), 1, 12 + size + 1},
		{"one language", fill("<x:s> <x:p> ''@", "a"), 1, 15 + size + 1},
		{"one label", fill("_:", "a"), 1, 2 + size + 1},
		{"one comment", fill("#", "#") + "\n!", 2, 1},
		{"white space", fill("", " ") + "!", 1, size + 1},
		{"an IRI of dot segments", fill("@base <x://h/a/b> . <", "../") + "> !", 1, 22 + size/3*3 + 2},
		{"an undeclared prefix", fill("", "é") + ":x", 1, 1},
		{"a relative IRI", fill("<", "é") + ">", 1, 1},
		{"empty graphs", fill("", "{}") + "!", 1, size + 1},
		{"prefixes", fill("", "@prefix : <x:> . ") + "!", 1, size/17*17 + 1},
	}
	defer debug.SetMaxStack(debug.SetMaxStack(128 << 10)) // a deep stack would crash the test binary
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			r := turtle.NewReader(strings.NewReader(tt.text), turtle.TriG, turtle.Options{})
			var err error
			for err == nil {
				_, err = r.Read()
			}
			var syntax *turtle.SyntaxError
			if !errors.As(err, &syntax) || syntax.Line != tt.line || syntax.Column != tt.column {
				t.Errorf("got %.300s; want an error in line %d, column %d", err, tt.line, tt.column)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if len(err.Error()) > 500 {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
		})
	}
}

// stream generates a text of numbered pieces as it is read.
type stream struct {
	piece string // with %d for the number
	count int
	end   string
	made  int64
	next  int
	rest  []byte
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		switch {
		case s.next < s.count:
			s.rest = fmt.Appendf(s.rest[:0], s.piece, s.next)
			s.next++
		case s.end != "":
			s.rest, s.end = append(s.rest[:0], s.end...), ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	s.made += int64(n)
	return n, nil
}

// For 200 MB in one line in which every node is new, memory stays constant, and the
// position of the error at the end is exact.
func TestReadHasFlatMemory(t *testing.T) {
	suite.NotShort(t)
	filler := strings.Repeat("all work and no play makes é a dull robot ", 40)
	in := &stream{
		piece: "_:b%[1]d <http://example.org/p> <http://example.org/id/%[1]d> , \"literal %[1]d\" , [ <x:q> ( %[1]d ) ] ; <x:text> \"" + filler + "\"@en . ",
		count: suite.Size(110_000, 5_000),
		end:   "!",
	}
	r := turtle.NewReader(in, turtle.Turtle, turtle.Options{})
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most := heap(), uint64(0)
	n := 0
	var err error
	for ; err == nil; n++ {
		if n%100_000 == 0 {
			most = max(most, heap())
		}
		_, err = r.Read()
	}
	if grown := int64(most) - int64(before); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes over %d bytes of text", grown, in.made)
	}
	accents := int64(in.count * strings.Count(filler, "é"))
	var syntax *turtle.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 1 || int64(syntax.Column) != in.made-accents {
		t.Errorf("after %d bytes got %v; want an error in line 1, column %d", in.made, err, in.made-accents)
	}
	if want := in.count * 7; n-1 != want || in.made < int64(suite.Size(200_000_000, 9_000_000)) {
		t.Errorf("%d triples of %d bytes, want %d of 200 MB", n-1, in.made, want)
	}
	runtime.KeepAlive(r)
}

// A literal close to the limit must be held in memory, and takes time proportional to its
// length.
func TestReadTakesALongLiteral(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcde\n"), 1<<20-1)
	text := append(append([]byte(`<x:s> <x:p> """`), body...), `""" .`...)
	quads, err := turtle.Parse(text, turtle.Turtle, turtle.Options{})
	if err != nil || len(quads) != 1 || quads[0].O.Value() != string(body) {
		t.Errorf("a literal of %d bytes: %d quads, %v", len(body), len(quads), err)
	}
	body = append(body, body[:64]...)
	text = append(append([]byte(`<x:s> <x:p> """`), body...), `""" .`...)
	if _, err = turtle.Parse(text, turtle.Turtle, turtle.Options{}); err == nil || !strings.Contains(err.Error(), "line 1, column 13: this is longer than the 16777216 bytes") {
		t.Errorf("a literal of %d bytes: %v", len(body), err)
	}
}

// A short name can't expand to megabytes, because a document may contain millions of
// them.
func TestAnIRIMadeOfAPrefixOrABaseHasALimit(t *testing.T) {
	long := "http://e/" + strings.Repeat("x", 70_000) + "/"
	for _, text := range []string{
		"@prefix p: <" + long + "> . p:a p:b p:c .",
		"@base <" + long + "> . <a> <b> <c> .",
	} {
		_, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
		var syntax *turtle.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != 1 || !strings.Contains(err.Error(), "longer than 65536 bytes") {
			t.Errorf("it gives %v", err)
		}
	}
	if _, err := turtle.Parse([]byte("<"+long+"> <a:b> <a:c> ."), turtle.Turtle, turtle.Options{}); err != nil {
		t.Errorf("written in full it gives %.100v", err)
	}
}

// TestManyReifiersShareATripleTerm has a long triple that many terms reify. Its text must
// not be made again for each.
func TestManyReifiersShareATripleTerm(t *testing.T) {
	text := `<e:s> <e:p> "` + strings.Repeat("x", 100_000) + `"` + strings.Repeat(" ~ <e:r>", 2000) + " ."
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	quads, err := turtle.Parse([]byte(text), turtle.Turtle, turtle.Options{})
	runtime.ReadMemStats(&after)
	if err != nil || len(quads) != 2001 {
		t.Fatalf("%d quads, %v", len(quads), err)
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 20<<20 {
		t.Errorf("%d bytes were allocated", made)
	}
}
