package httpapi

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONOfTheWrongShapeIs422WithTheMembersName(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, c := range []struct {
		name, body string
		detail     string
		members    []string // members named in errors
	}{
		{"empty", " ", "not JSON", nil},
		{"not JSON", "ttl_content=x", "not JSON", nil},
		{"cut short", `{"ttl_content":"x"`, "not JSON", nil},
		{"something behind it", `{"ttl_content":"x","user":null} {}`, "not JSON", nil},
		{"a comma too many", `{"ttl_content":"x","user":null,}`, "not JSON", nil},
		{"not UTF-8", "{\"ttl_content\":\"\xff\",\"user\":null}", "not UTF-8", nil},
		{"a list", `[]`, "JSON object", nil},
		{"null", `null`, "JSON object", nil},
		{"text", `"x"`, "JSON object", nil},
		{"nested deep", `{"x":` + deep + `}`, "not JSON", nil},
		{"nothing in it", `{}`, `"ttl_content" is missing`, []string{"ttl_content", "user"}},
		{"no user", `{"ttl_content":"x"}`, `"user" is missing`, []string{"user"}},
		{"no content", `{"user":"x"}`, `"ttl_content" is missing`, []string{"ttl_content"}},
		{"content in capitals", `{"TTL_content":"x","user":"x"}`, `"ttl_content" is missing`, []string{"ttl_content"}},
		{"content null", `{"ttl_content":null,"user":"x"}`, `"ttl_content" must be text`, []string{"ttl_content"}},
		{"content a number", `{"ttl_content":1,"user":"x"}`, `"ttl_content" must be text`, []string{"ttl_content"}},
		{"both wrong", `{"ttl_content":[],"user":{}}`, `and 1 more`, []string{"ttl_content", "user"}},
		{"user a number", `{"ttl_content":"x","user":1}`, `"user" must be text or null`, []string{"user"}},
		{"user false", `{"ttl_content":"x","user":false}`, `"user" must be text or null`, []string{"user"}},
		{"user twice", `{"ttl_content":"x","user":"a","user":"b"}`, `"user" is repeated`, []string{"user"}},
		{"user twice, once escaped", `{"ttl_content":"x","user":"a","us\u0065r":"b"}`, `"user" is repeated`, []string{"user"}},
		{"content twice", `{"ttl_content":"x","user":null,"ttl_content":"x"}`, `"ttl_content" is repeated`, []string{"ttl_content"}},
		{"half a surrogate pair", `{"ttl_content":"<a:b> <a:b> \"\ud800\" .","user":null}`, "surrogate", []string{"ttl_content"}},
		{"the other half", `{"ttl_content":"\udc00x","user":null}`, "surrogate", []string{"ttl_content"}},
		{"a control character in user", `{"ttl_content":"x","user":"a\nb"}`, "control character U+000A", []string{"user"}},
		{"a line separator in user", `{"ttl_content":"x","user":"a\u2028b"}`, "control character U+2028", []string{"user"}},
		{"user too long", `{"ttl_content":"x","user":"` + strings.Repeat("é", 257) + `"}`, "256 characters", []string{"user"}},
		{"a token for a user", `{"ttl_content":"x","user":"` + newService(t).token(t, "admin") + `"}`, "token", []string{"user"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, path := range []string{"/ttl", "/ttl/validate"} {
				p := wantProblem(t, s.do(t, call{method: "POST", path: path, body: c.body}), 422, c.detail)
				var members []string
				for _, f := range p.Errors {
					if len(f.Loc) != 2 || f.Loc[0] != "body" || f.Msg == "" {
						t.Errorf("fault %+v", f)
					}
					members = append(members, f.Loc[1])
				}
				if strings.Join(members, " ") != strings.Join(c.members, " ") {
					t.Errorf("errors are of %v, want %v", members, c.members)
				}
			}
		})
	}
	if len(s.graph.entries()) > 0 {
		t.Error("something was stored")
	}
}

func TestUnknownMembersAreIgnoredAndTextIsStoredExactly(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	content := `<http://e/a> <http://e/b> "\\ \" \u00e9 😀 é\t" .`
	quoted, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"a":[1,{"b":"}]\\\""},null,true],"ttl_content":` + string(quoted) + `,"c":-1.5e3,"user":null,"d":{}}`,
		" {\n\t\"user\" : null ,\r\n \"ttl_content\" : " + string(quoted) + " } \n",
		`{"USER":1,"ttl_content":` + strings.ReplaceAll(string(quoted), "😀", `\ud83d\uDE00`) + `,"user":null,"\ud800":1}`,
		`{"x":1,"x":2,"\u0078":{"x":3,"user":"ari"},"user":null,"ttl_content":` + string(quoted) + `}`,
		`{"ts":1780573998.8387048,"user":null,"ttl_content":` + string(quoted) + `}`,
	} {
		s.graph.lines = nil
		w := s.do(t, call{method: "POST", path: "/ttl", body: body})
		if w.Code != 201 {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
		if want := `<http://e/a> <http://e/b> "\\ \" é 😀 é\t"`; !strings.HasPrefix(strings.Join(keys(s.graph.lines), ""), want) {
			t.Errorf("%s: stored %q", body, keys(s.graph.lines))
		}
	}
}

func keys(m map[string]bool) (out []string) {
	for k := range m {
		out = append(out, k)
	}
	return out
}
