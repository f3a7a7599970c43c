package value

import (
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/rdf"
)

// call calls a function; its name is a keyword, or xsd:… for a cast.
func call(t testing.TB, c *Context, name string, args ...string) (Value, error) {
	t.Helper()
	var values []Value
	for _, s := range args {
		values = append(values, val(t, s))
	}
	return callWith(t, c, name, values)
}

// callWith calls a function as call does.
func callWith(t testing.TB, c *Context, name string, args []Value) (Value, error) {
	t.Helper()
	f, ok := Lookup(name)
	if cast, isCast := strings.CutPrefix(name, "xsd:"); isCast {
		f, ok = LookupCast(rdf.XSD + cast)
	}
	if !ok {
		t.Fatalf("there is no function %s", name)
	}
	return f.Call(c, args)
}

type callRow struct {
	name string
	args []string
	want string
}

func checkCalls(t *testing.T, c *Context, rows []callRow) {
	t.Helper()
	for _, row := range rows {
		got, err := call(t, c, row.name, row.args...)
		if err != nil || show(got) != row.want {
			t.Errorf("%s(%s) = %s, %v; want %s", row.name, strings.Join(row.args, ", "), show(got), err, row.want)
		}
	}
}

func list(args ...string) []string { return args }

// The examples of SPARQL 1.1, section 17.4, and other statements of its text.

func TestFunctionsOnTerms(t *testing.T) {
	base, err := rdf.ParseBaseIRI("http://example/base/doc")
	if err != nil {
		t.Fatal(err)
	}
	checkCalls(t, &Context{Base: base}, []callRow{
		{"isNumeric", list("12"), "true"},
		{"isNumeric", list(`"12"`), "false"},
		{"isNumeric", list(`"12"^^xsd:nonNegativeInteger`), "true"},
		{"isNumeric", list(`"1200"^^xsd:byte`), "false"},
		{"isNumeric", list("<http://example/>"), "false"},
		{"str", list("<mailto:bob@work.example>"), `"mailto:bob@work.example"`},
		{"str", list("01.0"), `"01.0"`},
		{"str", list(`"a"@en`), `"a"`},
		{"str", list("_:a"), "err"},
		{"str", list(`"x"^^x:t`), `"x"`},
		{"lang", list(`"Roberto"@ES`), `"ES"`},
		{"lang", list(`"a"`), `""`},
		{"lang", list("1"), `""`},
		{"lang", list("<a>"), "err"},
		{"lang", list(`"a"@ar--rtl`), `"ar"`},
		{"datatype", list(`"a"`), "<" + rdf.XSDString + ">"},
		{"datatype", list("1"), "<" + rdf.XSDInteger + ">"},
		{"datatype", list(`"a"@en`), "<" + rdf.RDFLangString + ">"},
		{"datatype", list(`"a"@en--rtl`), "<" + rdf.RDFDirLangString + ">"},
		{"datatype", list(`"x"^^x:t`), "<http://example.org/t>"},
		{"datatype", list(`"x"^^xsd:integer`), "<" + rdf.XSDInteger + ">"},
		{"datatype", list("<a>"), "err"},
		{"datatype", list("_:a"), "err"},
		{"iri", list(`"http://a/b"`), "<http://a/b>"},
		{"iri", list("<x>"), "<x>"},
		{"iri", list(`"a b"`), "err"},
		{"iri", list(`"http://a/<"`), "err"},
		{"iri", list(`"x"@en`), "err"},
		{"iri", list("1"), "err"},
		{"iri", list(`""`), "<http://example/base/doc>"},
		{"strdt", list(`"123"`, "<"+rdf.XSDInteger+">"), "123"},
		{"strdt", list(`"iiii"`, "<http://example.org/roman>"), `"iiii"^^x:roman`},
		{"strdt", list(`"a"`, "<"+rdf.XSDString+">"), `"a"`},
		{"strdt", list(`"a"@en`, "<"+rdf.XSDString+">"), "err"},
		{"strdt", list("1", "<"+rdf.XSDString+">"), "err"},
		{"strdt", list(`"a"`, `"b"`), "err"},
		{"strdt", list(`"a"`, "<"+rdf.RDFLangString+">"), "err"},
		{"strdt", list(`"x"`, "<"+rdf.XSDInteger+">"), `"x"^^xsd:integer`},
		{"strlang", list(`"chat"`, `"en"`), `"chat"@en`},
		{"strlang", list(`"abc"`, `""`), "err"},
		{"strlang", list("123", `"en"`), "err"},
		{"strlang", list(`"a"@en`, `"en"`), "err"},
		{"strlang", list(`"a"`, `"e n"`), "err"},
		{"strlang", list(`"a"`, `"1x"`), "err"},
		{"strlang", list(`"a"`, `"de-1901"`), `"a"@de-1901`},
		{"langMatches", list(`"fr-BE"`, `"FR"`), "true"},
		{"langMatches", list(`"fr-BE"`, `"*"`), "true"},
		{"langMatches", list(`""`, `"*"`), "false"},
		{"langMatches", list(`"en"`, `"en-GB"`), "false"},
		{"langMatches", list(`"de-latn-de"`, `"de-de"`), "false"},
		{"langMatches", list(`"french"`, `"fr"`), "false"},
		{"langMatches", list(`"fr"@en`, `"fr"`), "err"},
		{"langMatches", list(`"en"`, `""`), "false"},
		// SPARQL 1.2.
		{"LANGDIR", list(`"a"@en`), `""`},
		{"LANGDIR", list(`"a"@en--ltr`), `"ltr"`},
		{"LANGDIR", list("1"), `""`},
		{"LANGDIR", list("<a>"), "err"},
		{"hasLang", list(`"a"@en--ltr`), "true"},
		{"hasLang", list(`"a"`), "false"},
		{"hasLang", list("<a>"), "false"},
		{"hasLangDir", list(`"a"@en--ltr`), "true"},
		{"hasLangDir", list(`"a"@en`), "false"},
		{"hasLangDir", list("<a>"), "false"},
		{"hasLangDir", list("1"), "false"},
		{"triple", list("<a>", "<p>", "01"), "<<<a> <p> 01>>"},
		{"triple", list("_:a", "<p>", "<<<a> <p> 1>>"), "<<_:a <p> <<<a> <p> 1>>>>"},
		{"triple", list("1", "<p>", "1"), "err"},
		{"triple", list("<<<a> <p> 1>>", "<p>", "1"), "err"},
		{"triple", list("<a>", "_:p", "1"), "err"},
		{"triple", list("<a>", `"p"`, "1"), "err"},
		{"triple", list("<a>", "<p>", "unbound"), "err"},
		{"str", list("<<<a> <p> 01>>"), "err"},
		{"datatype", list("<<<a> <p> 01>>"), "err"},
		{"strLangDir", list(`"abc"`, `"en"`, `"ltr"`), `"abc"@en--ltr`},
		{"strLangDir", list(`"abc"`, `"en"`, `"LTR"`), "err"},
		{"strLangDir", list(`"abc"`, `"en"`, `""`), "err"},
		{"strLangDir", list(`"abc"`, `""`, `"ltr"`), "err"},
		{"strLangDir", list("123", `"en"`, `"ltr"`), "err"},
		{"bnode", nil, "err"},
	})
	checkCalls(t, &Context{}, []callRow{{"iri", list(`"x"`), "err"}, {"iri", list(`"urn:x"`), "<urn:x>"}})
}

func TestFunctionsOnStrings(t *testing.T) {
	checkCalls(t, &Context{}, []callRow{
		{"strlen", list(`"chat"`), "4"},
		{"strlen", list(`"chat"@en`), "4"},
		{"strlen", list(`"食べ物"`), "3"},
		{"strlen", list(`"👪"`), "1"},
		{"strlen", list("1"), "err"},
		{"substr", list(`"foobar"`, "4"), `"bar"`},
		{"substr", list(`"foobar"@en`, "4"), `"bar"@en`},
		{"substr", list(`"foobar"`, "4", "1"), `"b"`},
		{"substr", list(`"foobar"@en`, "4", "1"), `"b"@en`},
		// XPath Functions and Operators 3.1, section 5.4.3.
		{"substr", list(`"motor car"`, "6"), `" car"`},
		{"substr", list(`"metadata"`, "4", "3"), `"ada"`},
		{"substr", list(`"12345"`, "1.5", "2.6"), `"234"`},
		{"substr", list(`"12345"`, "0", "3"), `"12"`},
		{"substr", list(`"12345"`, "5", "-3"), `""`},
		{"substr", list(`"12345"`, "-3", "5"), `"1"`},
		{"substr", list(`"12345"`, "NaN", "3"), `""`},
		{"substr", list(`"12345"`, "1", "NaN"), `""`},
		{"substr", list(`"12345"`, "-42", "INF"), `"12345"`},
		{"substr", list(`"12345"`, "-INF", "INF"), `""`},
		{"substr", list(`"食べ物"`, "2", "1"), `"べ"`},
		{"substr", list(`"a"`, "9"), `""`},
		{"substr", list(`"abc"`, `"1"`), "err"},
		{"substr", list("1", "1"), "err"},
		{"substr", list(`"a"`, "1", `"x"`), "err"},
		{"ucase", list(`"foo"`), `"FOO"`},
		{"ucase", list(`"foo"@en`), `"FOO"@en`},
		{"ucase", list(`"straße ﬁn"`), `"STRASSE FIN"`},
		{"ucase", list(`"և ᾳ ﬓ ẞ"`), `"ԵՒ ΑΙ ՄՆ ẞ"`},
		{"lcase", list(`"İSTANBUL ΑΣ ΑΣΑ"@tr`), `"i̇stanbul ας ασα"@tr`},
		{"ucase", list("1"), "err"},
		{"lcase", list(`"BAR"`), `"bar"`},
		{"lcase", list(`"BAR"@en`), `"bar"@en`},
		{"lcase", list("<A>"), "err"},
		{"strstarts", list(`"foobar"`, `"foo"`), "true"},
		{"strstarts", list(`"foobar"@en`, `"foo"@en`), "true"},
		{"strstarts", list(`"foobar"@en`, `"foo"`), "true"},
		{"strstarts", list(`"foobar"`, `"foo"@en`), "err"},
		{"strstarts", list(`"foobar"@en`, `"foo"@fr`), "err"},
		{"strstarts", list("1", `"1"`), "err"},
		{"strends", list(`"foobar"`, `"bar"`), "true"},
		{"strends", list(`"foobar"@en`, `"bar"@EN`), "true"},
		{"strends", list(`"foobar"@en`, `"foo"`), "false"},
		{"strends", list(`"a"`, "1"), "err"},
		{"contains", list(`"foobar"`, `"bar"`), "true"},
		{"contains", list(`"foobar"@en`, `"foo"@en`), "true"},
		{"contains", list(`"foobar"`, `"x"`), "false"},
		{"contains", list(`"abc"@en--ltr`, `"b"@en--ltr`), "true"},
		{"contains", list(`"abc"@en--ltr`, `"b"@en`), "err"},
		{"strbefore", list(`"abc"`, `"b"`), `"a"`},
		{"strbefore", list(`"abc"@en`, `"bc"`), `"a"@en`},
		{"strbefore", list(`"abc"@en`, `"b"@cy`), "err"},
		{"strbefore", list(`"abc"`, `""`), `""`},
		{"strbefore", list(`"abc"`, `"xyz"`), `""`},
		{"strbefore", list(`"abc"@en`, `"z"@en`), `""`},
		{"strbefore", list(`"abc"@en`, `"z"`), `""`},
		{"strbefore", list(`"abc"@en`, `""@en`), `""@en`},
		{"strbefore", list(`"abc"@en`, `""`), `""@en`},
		{"strbefore", list("7", `"s"`), "err"},
		{"strafter", list(`"abc"`, `"b"`), `"c"`},
		{"strafter", list(`"abc"@en`, `"ab"`), `"c"@en`},
		{"strafter", list(`"abc"@en`, `"b"@cy`), "err"},
		{"strafter", list(`"abc"`, `""`), `"abc"`},
		{"strafter", list(`"abc"`, `"xyz"`), `""`},
		{"strafter", list(`"abc"@en`, `"z"@en`), `""`},
		{"strafter", list(`"abc"@en`, `""@en`), `"abc"@en`},
		{"strafter", list("7", `"s"`), "err"},
		{"encode_for_uri", list(`"Los Angeles"`), `"Los%20Angeles"`},
		{"encode_for_uri", list(`"Los Angeles"@en`), `"Los%20Angeles"`},
		{"encode_for_uri", list(`"食~_-.9%"`), `"%E9%A3%9F~_-.9%25"`},
		{"encode_for_uri", list("1"), "err"},
		{"concat", list(`"foo"`, `"bar"`), `"foobar"`},
		{"concat", list(`"foo"@en`, `"bar"@en`), `"foobar"@en`},
		{"concat", list(`"foo"@en`, `"bar"`), `"foobar"`},
		{"concat", list(`"foo"@en`, `"bar"@de`), `"foobar"`},
		{"concat", nil, `""`},
		{"concat", list(`"a"@en`), `"a"@en`},
		{"concat", list(`"a"`, "7"), "err"},
		{"concat", list(`"a"`, "unbound"), "err"},
		{"concat", list(`"a"@en--ltr`, `"b"@en--ltr`), `"ab"@en--ltr`},
		{"concat", list(`"a"@en--ltr`, `"b"@en--rtl`), `"ab"`},
		{"concat", list(`"a"@en--ltr`, `"b"`, `"c"@en--ltr`), `"abc"`},
		{"regex", list(`"Alice"`, `"^ali"`, `"i"`), "true"},
		{"regex", list(`"Alice"@en`, `"^ali"`), "false"},
		{"regex", list("<a>", `"a"`), "err"},
		{"regex", list(`"a"`, `"a"@en`), "err"},
		{"regex", list(`"a"`, `"("`), "err"},
		{"regex", list(`"a"`, `"a"`, `"z"`), "err"},
		{"regex", list(`"a"`, `"a"`, "1"), "err"},
		{"replace", list(`"abcd"`, `"b"`, `"Z"`), `"aZcd"`},
		{"replace", list(`"abab"`, `"B"`, `"Z"`, `"i"`), `"aZaZ"`},
		{"replace", list(`"abab"@en`, `"B."`, `"Z"`, `"i"`), `"aZb"@en`},
		{"replace", list(`"a"`, `"("`, `""`), "err"},
		{"replace", list("1", `"1"`, `""`), "err"},
		{"replace", list(`"a"`, `"a"`, "1"), "err"},
	})
}

func TestHashes(t *testing.T) {
	checkCalls(t, &Context{}, []callRow{
		{"md5", list(`"abc"`), `"900150983cd24fb0d6963f7d28e17f72"`},
		{"md5", list(`"食べ物"`), `"e7ada485d13b1decf628c9211bc3a97b"`},
		{"sha1", list(`"abc"`), `"a9993e364706816aba3e25717850c26c9cd0d89d"`},
		{"sha256", list(`"abc"`), `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`},
		{"sha384", list(`"abc"`), `"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"`},
		{"sha512", list(`"abc"`), `"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"`},
		{"md5", list(`"abc"@en`), "err"},
		{"sha1", list("1"), "err"},
		{"sha256", list("<a>"), "err"},
		{"sha384", list("_:a"), "err"},
		{"sha512", list("unbound"), "err"},
	})
}

func TestUUIDsAreFreshAndOfVersion4(t *testing.T) {
	form := regexp.MustCompile("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
	seen := make(map[string]bool)
	for range 100 {
		iri, _ := call(t, &Context{}, "UUID")
		text, _ := call(t, &Context{}, "STRUUID")
		rest, ok := strings.CutPrefix(iri.Term().Value(), "urn:uuid:")
		if iri.Kind() != KindIRI || text.Kind() != KindString || !ok || !form.MatchString(rest) || !form.MatchString(text.text()) || seen[rest] || seen[text.text()] {
			t.Fatalf("%s, %s", show(iri), show(text))
		}
		seen[rest], seen[text.text()] = true, true
	}
}

type countedBlanks struct{ count int }

func (b *countedBlanks) New() rdf.Term {
	b.count++
	return rdf.NewBlank(strings.Repeat("n", b.count))
}
func (b *countedBlanks) Labelled(label string) rdf.Term { return rdf.NewBlank("l" + label) }

func TestBlankNodesComeFromTheCaller(t *testing.T) {
	checkCalls(t, &Context{Blanks: &countedBlanks{}}, []callRow{{"bnode", nil, "_:n"}, {"bnode", nil, "_:nn"}, {"bnode", list(`"x"`), "_:lx"}, {"bnode", list(`"x"`), "_:lx"}, {"bnode", list("1"), "err"}, {"bnode", list(`"x"@en`), "err"}})
}

func TestFunctionsSayHowManyArgumentsTheyTake(t *testing.T) {
	for name, f := range functions {
		if name != strings.ToUpper(f.Name) || f.Max >= 0 && f.Max < f.Min {
			t.Errorf("%s: %s, %d to %d", name, f.Name, f.Min, f.Max)
		}
		for n := range 5 {
			args := make([]Value, n)
			for i := range args {
				args[i] = Integer(1)
			}
			if v, err := f.Call(&Context{}, args); err != nil || !f.Accepts(n) && !v.IsError() {
				t.Errorf("%s of %d arguments: %s, %v", name, n, show(v), err)
			}
		}
	}
	if _, ok := Lookup("nothing"); ok {
		t.Error("an unknown name is a function")
	}
	for _, iri := range []string{rdf.XSD + "token", "http://example.org/f", "str"} {
		if _, ok := LookupCast(iri); ok {
			t.Errorf("%s is a function", iri)
		}
	}
	for _, name := range []string{"RAND", "UUID", "STRUUID", "BNODE"} {
		if f, _ := Lookup(name); !f.Volatile {
			t.Errorf("%s is not volatile", name)
		}
	}
}
