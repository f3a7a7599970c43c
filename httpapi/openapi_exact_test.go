package httpapi

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/rdf"
)

// Links name operations with the parameter that they set, and a member of the answer.
func TestLinksOfTheDocumentLeadToOperations(t *testing.T) {
	t.Parallel()
	s := newService(t)
	d := s.document(t)
	takes := map[string]bool{}
	for _, r := range s.routes {
		for _, p := range r.doc.parameters {
			takes[r.doc.id+" "+p.name] = true
		}
	}
	reached := map[string]bool{}
	for _, r := range s.routes {
		links := d.described(t, r)["links"]
		if len(r.doc.links) == 0 {
			if links != nil {
				t.Errorf("%s has the links %v", r.doc.id, links)
			}
			continue
		}
		if n := len(links.(map[string]any)); n != len(r.doc.links) {
			t.Errorf("%s has %d links, and %d of the document", r.doc.id, len(r.doc.links), n)
		}
		for _, l := range r.doc.links {
			reached[l.operation] = true
			if !takes[l.operation+" "+l.parameter] {
				t.Errorf("%s leads to %v, which has no such parameter", r.doc.id, l)
			}
			schema := ref(r.doc.responses[0].content[0].schema)
			for _, step := range strings.Split(l.pointer, "/")[1:] {
				if schema = d.member(schema, step); schema == nil {
					t.Errorf("%s leads to %v, and its answer has no %s", r.doc.id, l, step)
					break
				}
			}
		}
	}
	for _, id := range []string{"log", "receipt", "signature", "withdrawLog", "context", "acceptReview", "rejectReview", "undoReview", "removeSigningKey", "backup"} {
		if !reached[id] {
			t.Errorf("no link leads to %s", id)
		}
	}
}

// described returns what the document says about a route's answer on success.
func (d openAPI) described(t *testing.T, r route) map[string]any {
	operation := d.raw["paths"].(map[string]any)[r.path].(map[string]any)[strings.ToLower(r.method)].(map[string]any)
	for _, status := range []string{"200", "201"} {
		if answer, ok := operation["responses"].(map[string]any)[status]; ok {
			return answer.(map[string]any)
		}
	}
	t.Fatalf("%s has no answer on success", r.doc.id)
	return nil
}

// member returns the schema of a member, or of the items, of what a schema describes.
func (d openAPI) member(schema map[string]any, name string) map[string]any {
	for schema["$ref"] != nil {
		name := strings.TrimPrefix(schema["$ref"].(string), "#/components/schemas/")
		schema = d.schema(name)
	}
	if items, ok := schema["items"].(map[string]any); ok && name == "0" {
		return items
	}
	properties, _ := schema["properties"].(map[string]any)
	member, _ := properties[name].(map[string]any)
	return member
}

func (d openAPI) schema(name string) map[string]any {
	return d.raw["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
}

func TestTheDocumentDemandsTokensOnlyIfTheyAreNeeded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s      *fixture
		demand bool
	}{{newService(t), true}, {newOpenService(t), false}} {
		for path, operations := range c.s.document(t).Paths {
			for method, o := range operations {
				if got, want := len(o.Security) > 0, c.demand && len(o.Roles) > 0; got != want {
					t.Errorf("%s %s, tokens %v: demanded is %v", method, path, c.demand, got)
				}
			}
		}
	}
}

// pattern returns the regular expressions of a schema and of its alternatives.
func pattern(schema map[string]any) (list []*regexp.Regexp) {
	alternatives, _ := schema["anyOf"].([]any)
	for _, a := range append([]any{schema}, alternatives...) {
		if text, ok := a.(map[string]any)["pattern"].(string); ok { // RE2 writes \x{2028} for \u2028
			list = append(list, regexp.MustCompile(regexp.MustCompile(`\\u([0-9a-f]{4})`).ReplaceAllString(text, `\x{$1}`)))
		}
	}
	return list
}

func fits(list []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(list, func(r *regexp.Regexp) bool { return r.MatchString(s) })
}

// The patterns of the document allow exactly the characters that the service takes.
func TestPatternsAllowTheCharactersThatAreTaken(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	d := newOpenService(t).document(t)
	iri, name, line, full := pattern(d.schema("IRI")), pattern(d.schema("Name")), pattern(d.schema("Line")), pattern(d.schema("NotBlank"))
	kind := pattern(d.member(d.schema("Observation"), "event_kind"))
	for r := range unicode.MaxRune + 1 {
		if surrogate, inside := r >= 0xd800 && r <= 0xdfff, r > 0x2ffff && r&0xffff > 0x1ff && r&0xffff < 0xff00; surrogate || inside {
			continue // a plane from the fourth on has no character, or one kind, between its ends
		}
		c := string(r)
		joins := r == '\u200c' || r == '\u200d' || unicode.Is(unicode.Variation_Selector, r) // a pattern can't say where
		for i, x := range []struct{ got, want bool }{
			{fits(iri, "a:"+c), rdf.IsIRI("a:" + c)},
			{fits(iri, "a"+c+":"), rdf.IsIRI("a" + c + ":")},
			{fits(iri, c+":"), rdf.IsIRI(c + ":")},
			{fits(name, "a"+c+"a") && !joins, auth.CheckName("a"+c+"a") == nil && !joins},
			{fits(line, "a"+c+"a"), !unicode.IsControl(r)},
			{fits(line, c+"a"+c), !unicode.IsControl(r) || unicode.IsSpace(r)},
			{fits(full, c), !unicode.IsControl(r) && !unicode.IsSpace(r)},
			{fits(full, c+"a"+c), !unicode.IsControl(r) || unicode.IsSpace(r)},
			{fits(kind, c), !unicode.IsControl(r) && !unicode.IsSpace(r)},
		} {
			if x.got != x.want {
				t.Errorf("%d: %q fits: %v, is taken: %v", i, c, x.got, x.want)
			}
		}
	}
}

// The patterns of times allow exactly what the resolver reads.
func TestPatternsAllowTheTimesThatAreRead(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	list := pattern(newOpenService(t).document(t).schema("Time"))
	times := []string{
		"2026-02-11T09:12:13.150Z", "2026-02-11t09:12:13z", "2026-02-11 09:12:13,5+0530", "2026-02-11_09:12+01", "2026-02-11", " 2026-02-11\n",
		"2024-02-29T24:00:00.00-14:00", "2100-02-28T23:59:59−23:59", "1900-12-31T00:00", "2199-11-30T00:00:00+14:00", "2000-02-29",
		"1770801133.15", "+1770801133150.", "-2208988799.5", "-2208988799999", "7258118399.999", "7258118399999", "20000000000", ".5", "-.5", "007", "0",
		"19999999999", "-20000000000", "7258118400", "7258118400000", "-2208988801", "1e9", "2100-02-29", "2026-04-31", "2026-02-11T24:00:01", "", "now",
	}
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "0123456789-+:.,TtZz _−"
	alphabet := []rune(letters)
	seen := map[bool]int{}
	for i := range 200_000 {
		text := []rune(times[i%len(times)])
		for range random.IntN(3) * min(i/len(times), 1) {
			switch at := random.IntN(len(text) + 1); {
			case random.IntN(2) == 0 || at == len(text):
				text = slices.Insert(text, at, alphabet[random.IntN(len(alphabet))])
			case random.IntN(2) == 0:
				text = slices.Delete(text, at, at+1)
			default:
				text[at] = alphabet[random.IntN(len(alphabet))]
			}
		}
		_, err := resolver.ReadTime(strings.TrimSpace(string(text)))
		if got := fits(list, string(text)); got != (err == nil) {
			t.Errorf("%q fits: %v; read: %v", string(text), got, err)
		}
		seen[err == nil]++
	}
	if seen[true] < 10_000 || seen[false] < 10_000 {
		t.Errorf("too few of one kind: %v", seen)
	}
}

// The pattern of keys allows exactly the keys that are taken.
func TestThePatternOfKeysAllowsTheKeysThatAreTaken(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	list := pattern(s.document(t).schema("IdempotencyKey"))
	keys := map[string]bool{
		"a": true, "a b": true, `a"b"`: true, `"a b"`: true, `"a\"b"`: true, `"\\"`: true, strings.Repeat("k", 255): true, `" "`: true, `a\b`: true,
		"": false, `"`: false, `""`: false, `"a`: false, `"a"b`: false, `"a\b"`: false, `"a\"`: false, "é": false, "a\tb": false, strings.Repeat("k", 256): false,
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		w := s.do(t, call{method: "POST", path: "/ttl/delete_all", body: `{"user":null}`, header: map[string]string{"Idempotency-Key": key}})
		if taken := w.Code == 200; taken != keys[key] || fits(list, key) != taken {
			t.Errorf("%q: %d, fits: %v", key, w.Code, fits(list, key))
		}
	}
}
