package turtle_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// FuzzRead checks that, for any bytes in any format, reading does not panic, returns no
// more quads than the text can hold, gives errors a position in the text, does not depend
// on how the text is split, and returns quads that N-Quads restores.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", "\uFEFF<x:s> a 1 .", "@prefix : <x:> . :s :p 'a'@en , \"\"\"b\n\"\"\"^^:t ; :q true . # c",
		"@base <http://e/> . PREFIX a.b: <#> a.b:c\\~d%4a <../p> -1.5e3 , .5 , 1. [] <p> ( 1 ( ) [ a <x:o> ] ) .",
		"<x:g> { _:a0 <x:p> _:__a1 } GRAPH [] { } { [ <x:p> <x:o> ] }", "<x:s> <x:p> <x:o> _:g .\r\n_:b <x:p> \"\\u00e9\\U0001F600\\n\" .",
		"<< <x:s>", "((((", "[[", "\"\"\"\"", "<x:s> <x:p> '\\ud800' .", "# \xff", "\uFEFF\x97", "\xef\xbb", "_:é.b·‿ <x:p> 1e , .", "<x:s> <x:p> \"a\"@en--ltr .",
		"VERSION \"1.2\" <x:s> <x:p> 1 ~ <x:r> {| <x:q> << _:b a <<( [] <x:p> 'x'@ar--rtl )>> ~ >> |} ~ , ( <<( <x:s> <x:p> true )>> ) .",
	} {
		for format := range 4 {
			f.Add([]byte(text), uint8(format), uint64(len(text)))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, format uint8, seed uint64) {
		fm := turtle.Format(format % 4)
		quads, err := drain(bytes.NewReader(text), fm)
		if len(quads) > 2*len(text) {
			t.Fatalf("%d quads of %d bytes", len(quads), len(text))
		}
		checkPlace(t, text, err)
		random := rand.New(rand.NewPCG(seed, 0))
		for name, in := range map[string]io.Reader{
			"byte by byte": iotest.OneByteReader(bytes.NewReader(text)),
			"in pieces":    &pieces{text: text, size: func() int { return random.IntN(40) }},
			"with the end": iotest.DataErrReader(bytes.NewReader(text)),
		} {
			again, errAgain := drain(in, fm)
			if !slices.Equal(quads, again) || errAgain.Error() != err.Error() {
				t.Fatalf("%s %d quads and %v, at once %d and %v", name, len(again), errAgain, len(quads), err)
			}
		}
		checkRoundTrip(t, quads)
	})
}

// drain reads up to the first error, and returns the quads before it.
func drain(in io.Reader, f turtle.Format) (quads []rdf.Quad, err error) {
	r := turtle.NewReader(in, f, turtle.Options{Base: "http://b/c/d"})
	for {
		q, err := r.Read()
		if err != nil {
			return quads, err
		}
		quads = append(quads, q)
	}
}

// pieces returns text in pieces whose sizes come from size.
type pieces struct {
	text []byte
	size func() int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(to, p.text[:min(len(p.text), p.size())])
	p.text = p.text[n:]
	return n, nil
}

func checkPlace(t *testing.T, text []byte, err error) {
	if err == io.EOF {
		return
	}
	var syntax *turtle.SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("%T: %v", err, err)
	}
	lines := bytes.Split(text, []byte{'\n'})
	if syntax.Line < 1 || syntax.Line > len(lines) {
		t.Fatalf("%v, but there are %d lines", err, len(lines))
	}
	if characters := utf8.RuneCount(lines[syntax.Line-1]); syntax.Column < 1 || syntax.Column > characters+1 {
		t.Fatalf("%v, but the line has %d characters", err, characters)
	}
}

// checkRoundTrip writes the quads as N-Quads and reads them again. Their terms must be
// equal, up to the labels of blank nodes.
func checkRoundTrip(t *testing.T, quads []rdf.Quad) {
	var text []byte
	for _, q := range quads {
		text = append(q.AppendNQuads(text), '\n')
	}
	again, err := turtle.Parse(text, turtle.NQuads, turtle.Options{})
	if err != nil || len(again) != len(quads) {
		t.Fatalf("%d quads come back as %d, %v from\n%s", len(quads), len(again), err, text)
	}
	there, back := map[rdf.Term]rdf.Term{}, map[rdf.Term]rdf.Term{}
	var same func(a, b rdf.Term) bool
	same = func(a, b rdf.Term) bool {
		if a.IsTriple() && b.IsTriple() {
			s, t := a.Triple(), b.Triple()
			return same(s.S, t.S) && s.P == t.P && same(s.O, t.O)
		}
		if !a.IsBlank() || !b.IsBlank() {
			return a == b
		}
		if _, ok := there[a]; !ok {
			there[a] = b
		}
		if _, ok := back[b]; !ok {
			back[b] = a
		}
		return there[a] == b && back[b] == a
	}
	for i, q := range quads {
		a := again[i]
		if !same(q.S, a.S) || !same(q.P, a.P) || !same(q.O, a.O) || !same(q.G, a.G) {
			t.Fatalf("%v comes back as %v", q, a)
		}
	}
}
