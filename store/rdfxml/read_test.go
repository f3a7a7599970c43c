package rdfxml_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdfxml"
	"github.com/segraph/segraph/store/turtle"
)

func read(in io.Reader, o rdfxml.Options) (triples []rdf.Triple, err error) {
	r := rdfxml.NewReader(in, o)
	for {
		t, err := r.Read()
		if err != nil {
			return triples, err
		}
		triples = append(triples, t)
	}
}

const (
	head = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">`
	tail = `</rdf:RDF>`
)

// about returns a document with one node and the given property elements.
func about(properties string) string {
	return head + `<rdf:Description rdf:about="http://e/s">` + properties + `</rdf:Description>` + tail
}

func objects(t *testing.T, text string) (out []string) {
	t.Helper()
	triples, err := rdfxml.Parse([]byte(text), rdfxml.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, triple := range triples {
		out = append(out, triple.O.String())
	}
	return out
}

func TestReadTexts(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"character references", about(`<e:p>&#65;&#x1F600;&lt;&amp;&quot;</e:p>`), `"A😀<&\""`},
		{"a name that XML has since its fifth edition", about(`<e:ță😀>x</e:ță😀>`), `"x"`},
		{"]] and &gt;", about(`<e:p>]]&gt;</e:p>`), `"]]>"`},
		{"]&#93; and >", about(`<e:p>]&#93;></e:p>`), `"]]>"`},
		{"CDATA", about(`<e:p>a<![CDATA[<b>&amp;]]>c</e:p>`), `"a<b>&amp;c"`},
		{"a comment divides no text", about(`<e:p>a<!-- - -->b<?x y?>c</e:p>`), `"abc"`},
		{"line ends", about("<e:p>a\r\nb\rc&#13;</e:p>"), `"a\nb\nc\r"`},
		{"white space in an attribute", about("<e:p e:q='a\n\tb&#10;'/>"), `"a  b\n"`},
		{"a language, and none", about(`<e:p xml:lang="de">x</e:p><e:p xml:lang="">y</e:p>`), `"x"@de "y"`},
		{"an empty element in a language", about(`<e:p xml:lang="de"/>`), `""@de`},
		{"canonical XML", about(`<e:p rdf:parseType="Literal"><a b='"' e:a="1"/>&#13;<!--x--></e:p>`), `"<a xmlns:e=\"http://e/\" b=\"&quot;\" e:a=\"1\"></a>&#xD;<!--x-->"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>`},
		{"a redeclared default namespace", about(`<e:p rdf:parseType="Literal"><a xmlns="http://a/"><b xmlns=""/></a></e:p>`), `"<a xmlns=\"http://a/\"><b xmlns=\"\"></b></a>"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>`},
		{"an unknown parseType", about(`<e:p rdf:parseType="daml">x</e:p>`), `"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := slices.DeleteFunc(objects(t, tt.text), func(o string) bool { return strings.HasPrefix(o, "_:") })
			if strings.Join(got, " ") != tt.want {
				t.Errorf("the objects are %s, want %s", got, tt.want)
			}
		})
	}
}

// in12 returns a document of RDF 1.2 with one node and the given property elements.
func in12(properties string) string {
	return strings.Replace(about(properties), ">", ` xmlns:its="http://www.w3.org/2005/11/its" rdf:version="1.2">`, 1)
}

// triple returns a property element with a triple term.
func triple(content string) string { return `<e:p rdf:parseType="Triple">` + content + `</e:p>` }

func TestReadRDF12(t *testing.T) {
	const s, term = "<http://e/s>", "<<( <http://e/a> <http://e/q> \"x\" )>>"
	inner := `<rdf:Description rdf:about="http://e/a"><e:q>x</e:q></rdf:Description>`
	for _, tt := range []struct{ name, text, want string }{
		{"a triple term", in12(triple(inner)), term},
		{"nested", in12(triple(`<rdf:Description rdf:about="http://e/a"><e:q rdf:parseType="Triple">` + inner + `</e:q></rdf:Description>`)), "<<( <http://e/a> <http://e/q> " + term + " )>>"},
		{"a class", in12(triple(`<e:C rdf:about="http://e/a"/>`)), "<<( <http://e/a> <" + rdf.RDFType + "> <http://e/C> )>>"},
		{"one triple, twice", in12(triple(`<rdf:Description rdf:about="http://e/a"><e:q>x</e:q><e:q>x</e:q></rdf:Description>`)), term},
		{"the version on the property", about(`<e:p rdf:version="1.2" rdf:parseType="Triple">` + inner + `</e:p>`), term},
		{"without a version", about(triple(inner) + `<e:p>y</e:p>`), `"y"`},
		{"in 1.1 inside 1.2", in12(`<e:p rdf:version="1.1" rdf:parseType="Triple">` + inner + `</e:p><e:p>y</e:p>`), `"y"`},
		{"what is inside an ignored one", about(triple(`<rdf:Description><e:q rdf:version="1.2" rdf:parseType="Triple">`+inner+`</e:q></rdf:Description>`) + `<e:p>y</e:p>`), `"y"`},
		{"an annotated triple term", in12(`<e:p rdf:annotation="http://e/r" rdf:parseType="Triple">` + inner + `</e:p>`), term + " <<( " + s + " <http://e/p> " + term + " )>>"},
		{"annotations of a list and a node", about(`<e:p rdf:annotation="http://e/r" rdf:parseType="Collection"/><e:q rdf:annotation="http://e/r"><e:C rdf:about="http://e/c"/></e:q>`),
			"<" + rdf.RDFNil + "> <<( " + s + " <http://e/p> <" + rdf.RDFNil + "> )>> <http://e/C> <http://e/c> <<( " + s + " <http://e/q> <http://e/c> )>>"},
		{"directions", in12(`<e:p xml:lang="ar" its:dir="rtl">x</e:p><e:p its:dir="rtl">x</e:p><e:p xml:lang="ar" its:dir="">x</e:p>`), `"x"@ar--rtl "x" "x"@ar`},
		{"of an attribute, and reset inside", in12(`<e:p xml:lang="en" its:dir="ltr"><rdf:Description rdf:about="http://e/o" e:q="x"><e:r its:dir="">y</e:r></rdf:Description></e:p>`), `"x"@en--ltr <http://e/o> "y"@en`},
		{"its:dir states a property in RDF 1.1", about(`<e:p xmlns:its="http://www.w3.org/2005/11/its" its:dir="rtl" rdf:resource="http://e/o"/>`), `<http://e/o> "rtl"`},
		{"version without a prefix", head + `<rdf:Description about="http://e/s" version="1.2"><e:p rdf:parseType="Triple">` + inner + `</e:p></rdf:Description>` + tail, term},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(objects(t, tt.text), " "); got != tt.want {
				t.Errorf("the objects are\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestReadRefusesInRDF12(t *testing.T) {
	const one = `a property element with rdf:parseType="Triple" states one triple, found `
	deep := func(n int) string {
		return in12(strings.Repeat(`<e:p rdf:parseType="Triple"><rdf:Description rdf:about="http://e/s">`, n) + "<e:p/>" + strings.Repeat(`</rdf:Description></e:p>`, n))
	}
	if _, err := rdfxml.Parse([]byte(deep(50)), rdfxml.Options{}); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct{ text, want string }{
		{in12(triple(``)), one + "none"},
		{in12(triple(`<e:C e:q="x"/>`)), one + "another"},
		{in12(triple(`<e:C/><e:C/>`)), "a triple term holds one node element, found another: <e:C>"},
		{in12(triple(`x`)), `text is not allowed here: "x"`},
		{deep(51), "triple terms are nested deeper than 50"},
		{strings.Replace(deep(50), `<e:p rdf`, `<e:p rdf:annotation="http://e/r" rdf`, 1), "triple terms are nested deeper than 50"},
		{about(`<e:p rdf:annotation="http://e/r" rdf:annotationNodeID="r">x</e:p>`), "a property element has only one of rdf:annotation and rdf:annotationNodeID"},
		{about(`<e:p rdf:annotationNodeID="1">x</e:p>`), `rdf:nodeID="1" is not an XML name`},
		{about(`<e:p><e:C rdf:annotation="http://e/r"/></e:p>`), "the attribute rdf:annotation is not allowed here"},
		{in12(`<e:p its:dir="up">x</e:p>`), `its:dir="up" is not a base direction: write ltr or rtl`},
		{about(`<rdf:version>x</rdf:version>`), "rdf:version is not allowed as a property element"},
		{about(`<e:p rdf:parseType="Triple" rdf:resource="http://e/o"/>`), "a property element with rdf:parseType has no attribute besides rdf:ID and rdf:annotation"},
	} {
		refused(t, tt.text, rdfxml.Options{}, tt.want)
	}
	refused(t, in12(``), rdfxml.Options{Version: rdf.RDF11}, `rdf:version="1.2" announces RDF 1.2, and only RDF 1.1 is accepted here`)
	refused(t, in12(``), rdfxml.Options{Version: rdf.RDF12Basic}, `rdf:version="1.2" announces RDF 1.2, and only RDF 1.2-basic is accepted here`)
	basic := strings.Replace(in12(`<e:p its:dir="rtl" xml:lang="he">x</e:p>`), `rdf:version="1.2"`, `rdf:version="1.2-basic"`, 1)
	refused(t, basic, rdfxml.Options{Version: rdf.RDF11}, `rdf:version="1.2-basic" announces RDF 1.2-basic, and only RDF 1.1 is accepted here`)
	for _, v := range []rdf.Version{rdf.RDF12, rdf.RDF12Basic} {
		r := rdfxml.NewReader(strings.NewReader(basic), rdfxml.Options{Version: v})
		if got, err := r.Read(); err != nil || got.O.Direction() != "rtl" {
			t.Errorf("as RDF %v: %v, %v", v, got, err)
		}
	}
	triple := strings.Replace(in12(`<e:p rdf:parseType="Triple"><rdf:Description rdf:about="http://e/s"><e:p>x</e:p></rdf:Description></e:p>`), `rdf:version="1.2"`, `rdf:version="1.2-basic"`, 1)
	refused(t, triple, rdfxml.Options{Version: rdf.RDF12Basic}, `rdf:parseType="Triple" makes a triple term of RDF 1.2, which is not accepted here`)
	refused(t, about(`<e:p rdf:version="9.9">x</e:p>`), rdfxml.Options{}, `RDF has no version "9.9"; those known here are "1.1", "1.2-basic" and "1.2"`)
	refused(t, about(`<e:p rdf:annotationNodeID="r">x</e:p>`), rdfxml.Options{Version: rdf.RDF11}, "rdf:annotationNodeID is of RDF 1.2, which is not accepted here")
	refused(t, about(`<e:p rdf:annotationNodeID="r">x</e:p>`), rdfxml.Options{Version: rdf.RDF12Basic}, "rdf:annotationNodeID is of RDF 1.2, which is not accepted here")
}

func TestEntitiesAreLimitedAndNothingExternalIsLoaded(t *testing.T) {
	doc := func(entities, properties string) string {
		return `<?xml version="1.0"?><!DOCTYPE rdf:RDF PUBLIC "-//x" "http://x/y.dtd" [ <!-- c --> <!ELEMENT a (b)> ` + entities + `]>` + about(properties)
	}
	if got := objects(t, doc(`<!ENTITY n "http://&#101;/"><!ENTITY n "second"><!ENTITY x SYSTEM "file:///etc/passwd">`, `<e:p rdf:resource="&n;o">  </e:p>`)); len(got) != 1 || got[0] != "<http://e/o>" {
		t.Errorf("the object is %s", got)
	}
	harmless := `<!ENTITY lt "&#38;#60;"><!ENTITY n "a&#10;b"><!ATTLIST e:p xml:lang CDATA #IMPLIED>`
	if got := objects(t, doc(harmless, `<e:p>&lt;&n;</e:p><e:p e:q="&n;"/>`)); !slices.Contains(got, `"<a\nb"`) || !slices.Contains(got, `"a b"`) {
		t.Errorf("the objects are %s", got)
	}
	many := strings.Repeat("<!ENTITY a%d 'x'>", 65)
	for i := range 65 {
		many = strings.Replace(many, "%d", fmt.Sprint(i), 1)
	}
	for _, tt := range []struct{ name, text, want string }{
		{"external", doc(`<!ENTITY x SYSTEM "file:///etc/passwd">`, `<e:p>&x;</e:p>`), "the entity &x; is not declared in this document"},
		{"recursive", doc(`<!ENTITY a "&a;">`, ``), "the entity a refers to another entity, which is not supported"},
		{"of a parameter", doc(`<!ENTITY % a "x">`, ``), "parameter entities are not supported"},
		{"parameter reference", doc(`%a;`, ``), "parameter entities are not supported"},
		{"with markup", doc(`<!ENTITY a "<b/>">`, ``), "the entity a contains markup, which is not supported"},
		{"with a reference as markup", doc(`<!ENTITY a "AT&#38;amp;T">`, `<e:p>&a;</e:p>`), "the entity a contains markup, which is not supported"},
		{"with a tag as markup", doc(`<!ENTITY a "&#60;b/>">`, `<e:p>&a;</e:p>`), "the entity a contains markup, which is not supported"},
		{"a default value", doc(`<!ATTLIST e:p xml:lang CDATA "en">`, ``), "default values of attributes (<!ATTLIST) are not supported"},
		{"too many", doc(many, ``), "the document declares more than 64 entities"},
		{"too long in total", doc(`<!ENTITY a "`+strings.Repeat("x", 40_000)+`">`, `<e:p>&a;</e:p><e:p>&a;</e:p>`), "the document's entities expand to more than 65536 bytes"},
		{"one too long", doc(`<!ENTITY a "`+strings.Repeat("x", 70_000)+`">`, ``), "the entity a is longer than 65536 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.text, rdfxml.Options{}, tt.want) })
	}
}

func refused(t *testing.T, text string, o rdfxml.Options, want string) {
	t.Helper()
	_, err := rdfxml.Parse([]byte(text), o)
	var syntax *turtle.SyntaxError
	if !errors.As(err, &syntax) || syntax.Msg != want {
		t.Errorf("the error is %v, want %q", err, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "line 1, column 1: expected an element, found the end of the document"},
		{head, "line 1, column 86: expected </rdf:RDF>, found the end of the document"},
		{head + "\n  <a>", "line 2, column 3: the name a has no namespace"},
		{"<a b='1' b='2' xmlns='http://a/'/>", "line 1, column 1: the attribute b needs a prefix that names its namespace"},
		{"<x:a/>", "line 1, column 1: the prefix x: is not declared"},
		{"<a xmlns='http://a/'/><b/>", "line 1, column 23: a document has only one root element, found another: <b>"},
		{about("<e:p>\n<e:A/><e:B/></e:p>"), "line 2, column 7: a property element holds one node element, found another: <e:B>"},
		{about("<e:p>x<e:A/></e:p>"), `line 1, column 132: text is not allowed here: "x"`},
		{about("<e:p></e:q>"), "line 1, column 131: expected </e:p>, found </e:q>"},
		{about("<e:p e:q='1' e:q='2'/>"), "line 1, column 126: the attribute e:q occurs twice"},
		{about("<e:p rdf:resource='rel'/>"), `line 1, column 126: "rel": a relative IRI without a base IRI to resolve it against`},
		{about("<e:p rdf:resource='http://e/a b'/>"), `line 1, column 126: "http://e/a b": the IRI "http://e/a b" contains a space, which is not allowed in an IRI`},
		{about("<e:p xml:lang='not a tag'>x</e:p>"), `line 1, column 126: "not a tag" is not a language tag`},
		{about("<e:p rdf:datatype='http://www.w3.org/1999/02/22-rdf-syntax-ns#langString'>x</e:p>"), "line 1, column 201: a literal of datatype rdf:langString or rdf:dirLangString takes xml:lang instead of rdf:datatype"},
		{about("<e:p>a & b</e:p>"), "line 1, column 134: expected a reference that ends with ; (write & as &amp;), found ' '"},
		{about("<e:p>\x01</e:p>"), "line 1, column 131: the character U+0001 is not allowed in XML"},
		{about("<e:p>\xff</e:p>"), "line 1, column 131: the text is not valid UTF-8 or UTF-16"},
		{"<!DOCTYPE a>\n<!DOCTYPE>", "line 2, column 1: <!DOCTYPE is only allowed once, before the first element"},
		{head + "\n\n  stray &amp; text" + tail, `line 3, column 3: text is not allowed here: "stray & text"`},
		{about("<e:p>&#0;</e:p>"), "line 1, column 131: &#… is not a reference to a character that XML allows"},
		{about("<e:p>&#xD800;</e:p>"), "line 1, column 131: &#… is not a reference to a character that XML allows"},
		{about("<e:p>]]></e:p>"), "line 1, column 133: text contains ]]>: write ]]&gt;"},
		{about("<e:p><!-- a -- b --></e:p>"), "line 1, column 140: expected '>', found ' '"},
		{"<?xml version='1.0' encoding='EBCDIC'?>", `line 1, column 1: the encoding "EBCDIC" is not supported: use UTF-8`},
		{" <?xml version='1.0'?>", "line 1, column 2: <?xml …?> is only allowed at the beginning of the document"},
	} {
		_, err := rdfxml.Parse([]byte(tt.text), rdfxml.Options{})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s\nthe error is %v\nwant         %s", tt.text, err, tt.want)
		}
	}
}

func TestReadLimits(t *testing.T) {
	deep := func(n int) string {
		return about(strings.Repeat("<e:p><e:A>", n) + strings.Repeat("</e:A></e:p>", n))
	}
	if _, err := rdfxml.Parse([]byte(deep(499)), rdfxml.Options{}); err != nil {
		t.Error(err)
	}
	refused(t, deep(500), rdfxml.Options{}, "elements are nested more than 1000 deep")
	refused(t, about("<e:p rdf:parseType='Literal'>"+strings.Repeat("<a>", 2000)), rdfxml.Options{}, "elements are nested more than 1000 deep")
	var tag strings.Builder // names that begin with xml are ignored
	for i := range 1 << 14 {
		fmt.Fprintf(&tag, " xml%d=''", i)
	}
	refused(t, about("<e:p"+tag.String()+"/>"), rdfxml.Options{MaxToken: 64}, "the attributes of one element take more than 1048640 bytes in total, with 64 for each besides its text")
	refused(t, about("<e:p"+strings.Repeat(" xmlns:a='http://a/"+strings.Repeat("a", 1<<16-30)+"'", 18)+"/>"), rdfxml.Options{MaxToken: 1 << 16}, "the attributes of one element take more than 1114112 bytes in total, with 64 for each besides its text")
	refused(t, about("<e:p>"+strings.Repeat("1", 65)+"</e:p>"), rdfxml.Options{MaxToken: 64}, "a text or attribute is longer than 64 bytes")
	refused(t, about("<e:p>"+strings.Repeat("<!---->12345678", 20)+"</e:p>"), rdfxml.Options{MaxToken: 100}, "a literal is longer than 100 bytes")
	refused(t, about("<e:p rdf:parseType='Literal'><![CDATA["+strings.Repeat("&", 90)+"]]></e:p>"), rdfxml.Options{MaxToken: 100}, "a literal is longer than 100 bytes")
	refused(t, about("<e:p rdf:parseType='Literal'>"+strings.Repeat("<a/>", 20)+"</e:p>"), rdfxml.Options{MaxToken: 100}, "a literal is longer than 100 bytes")
}

func TestReadEncodings(t *testing.T) {
	text := about("<e:p>Dürst 日本 😀</e:p>")
	var wide []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		wide = append(wide, byte(u>>8), byte(u))
	}
	little := slices.Clone(wide)
	for i := 0; i+1 < len(little); i += 2 {
		little[i], little[i+1] = little[i+1], little[i]
	}
	for _, cut := range [][]byte{{0xD8, 0}, {0xDC, 0}, {0xD8, 0, 0, 'a'}, {0xD8, 0, 0xD8, 0}, {0xD8}, {0xD8, 0, 0xDC}} {
		refused(t, string(slices.Concat([]byte("\xFE\xFF\x00<\x00a\x00>"), cut)), rdfxml.Options{}, "the text is not valid UTF-8 or UTF-16")
	}
	for name, b := range map[string][]byte{"UTF-16": wide, "UTF-16, the other way": little, "UTF-8 with a mark": []byte("\uFEFF" + text)} {
		if got := objects(t, string(b)); len(got) != 1 || got[0] != `"Dürst 日本 😀"` {
			t.Errorf("%s: the objects are %s", name, got)
		}
	}
	latin := "<?xml version='1.0' encoding='ISO-8859-1'?>" + about("<e:p>D\xfcrst</e:p>")
	if got := objects(t, latin); len(got) != 1 || got[0] != `"Dürst"` {
		t.Errorf("ISO-8859-1: the objects are %s", got)
	}
}

func TestBlankNodesOfADocumentAreKeptApart(t *testing.T) {
	triples, err := rdfxml.Parse([]byte(about(`<e:p rdf:nodeID="a0"/><e:p rdf:parseType="Resource"/><e:p rdf:nodeID="x"/>`)), rdfxml.Options{Scope: "s-"})
	var got []string
	for _, t := range triples {
		got = append(got, t.O.Value())
	}
	if want := []string{"s-_a0", "s-a0", "s-x"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the labels are %v (error %v), want %v", got, err, want)
	}
}

func TestPrefixesAreThoseOfTheRootElement(t *testing.T) {
	r := rdfxml.NewReader(strings.NewReader(about(`<n:p xmlns:n="http://n/">x</n:p>`)), rdfxml.Options{})
	if _, err := r.Read(); err != nil {
		t.Fatal(err)
	}
	want := []turtle.Prefix{{Label: "rdf", Namespace: rdf.RDF}, {Label: "e", Namespace: "http://e/"}}
	if got := r.Prefixes(); !slices.Equal(got, want) {
		t.Errorf("the prefixes are %v, want %v", got, want)
	}
}

// FuzzReadRDFXML checks that no document makes the Reader panic, and that the triples
// can be written and read again.
func FuzzReadRDFXML(f *testing.F) {
	f.Add(about(`<e:p rdf:parseType="Collection"><e:A e:q="x"/></e:p>`))
	f.Add(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a xmlns="http://a/">&x;</a>`)
	f.Add(in12(triple(`<e:A rdf:about="http://e/a"/>`) + `<e:p xml:lang="ar" its:dir="rtl" rdf:annotation="http://e/r">x</e:p>`))
	f.Add(about(`<e:p xml:lang="en" rdf:ID="i">a<![CDATA[b]]></e:p>`))
	f.Fuzz(func(t *testing.T, text string) {
		triples, err := rdfxml.Parse([]byte(text), rdfxml.Options{Base: "http://b/", MaxToken: 1 << 16})
		if err != nil {
			return
		}
		again, err := roundTrip(triples)
		if err != nil {
			return // such as a predicate that another document could not name
		}
		if !same(triples, again) {
			t.Errorf("%q was read as\n%v\nand written as\n%v", text, triples, again)
		}
	})
}

// TestManyNamespacesTakeLittleTime has many prefixes, and many attributes of one element.
// A search for each among all would take seconds.
func TestManyNamespacesTakeLittleTime(t *testing.T) {
	const n = 30_000
	var declared, used strings.Builder
	for i := range n {
		fmt.Fprintf(&declared, ` xmlns:n%d="http://n/%d"`, i, i)
		fmt.Fprintf(&used, ` n%d:a="1"`, i)
	}
	start := time.Now()
	text := about(`<e:p rdf:parseType="Literal"` + declared.String() + "><a" + used.String() + "/></e:p>")
	if got := objects(t, text); len(got) != 1 || strings.Count(got[0], "xmlns:") != n {
		t.Errorf("%d objects", len(got))
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("it took %v", d)
	}
}

// A base makes the IRIs of rdf:ID far longer than the text, which is what a request's memory is planned for.
func TestIdentifiersTakeLittleMemory(t *testing.T) {
	const ids = 100_000
	var text strings.Builder
	text.WriteString(`<rdf:RDF xmlns:rdf="` + rdf.RDF + `" xmlns:e="http://e/" xml:base="http://e/` + strings.Repeat("x", 250) + `">`)
	for n := range ids {
		fmt.Fprintf(&text, `<e:C rdf:ID="i%d"/>`, n)
	}
	text.WriteString(`</rdf:RDF>`)
	used := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	r := rdfxml.NewReader(strings.NewReader(text.String()), rdfxml.Options{})
	var err error
	n := 0
	for ; err == nil; n++ {
		_, err = r.Read()
	}
	if took := used() - before; err != io.EOF || n != ids+1 || took > int64(text.Len())*2 {
		t.Errorf("%d triples of %d bytes took %d, %v", n-1, text.Len(), took, err)
	}
	runtime.KeepAlive(r)
}
