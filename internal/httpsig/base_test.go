package httpsig

import (
	"strings"
	"testing"
)

// TestASignatureBaseIsParsed: ParseBase parses what Verify returns, and nothing else.
func TestASignatureBaseIsParsed(t *testing.T) {
	for _, coding := range []string{"", "zstd"} {
		r := post(t, coding)
		s, err := Parse(r.Header)
		if err != nil {
			t.Fatal(err)
		}
		base, err := s.Verify(public(), requestOf(r))
		if err != nil {
			t.Fatal(err)
		}
		again, got, err := ParseBase(base)
		if err != nil || again.KeyID != s.KeyID || again.Nonce != s.Nonce || !again.Created.Equal(s.Created) {
			t.Fatalf("%+v, %v\n%s", again, err, base)
		}
		if got.Method != "POST" || got.Path != r.URL.Path || got.Query != r.URL.RawQuery || got.Authorities[0] != "example.com" || got.Header.Get("Content-Digest") != r.Header.Get("Content-Digest") {
			t.Errorf("%+v\n%s", got, base)
		}
		lines := strings.Split(base, "\n")
		for what, bad := range map[string]string{
			"empty":           "",
			"a line fewer":    strings.Join(lines[1:], "\n"),
			"a line twice":    lines[0] + "\n" + base,
			"another order":   lines[1] + "\n" + lines[0] + "\n" + strings.Join(lines[2:], "\n"),
			"no parameters":   strings.Join(lines[:len(lines)-1], "\n"),
			"something after": base + "\n",
			"another tag":     strings.Replace(base, `tag="segraph"`, `tag="other"`, 1),
			"no key":          strings.Replace(base, `;keyid="the key"`, "", 1),
			"no list":         base[:strings.LastIndex(base, "\n")] + "\n" + `"@signature-params": "x"`,
			"too long":        strings.Replace(base, `"@path": `, `"@path": /`+strings.Repeat("a", maxBase), 1),
		} {
			if _, _, err := ParseBase(bad); err == nil {
				t.Errorf("with %s it can be parsed", what)
			}
		}
	}
}
