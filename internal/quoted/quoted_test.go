package quoted

import (
	"fmt"
	"strings"
	"testing"
)

// TestHiddenCharactersAreMadeVisible has those that pages of others were misread with.
func TestHiddenCharactersAreMadeVisible(t *testing.T) {
	hidden := []rune{0, 1, 0x1b, 0x7f, 0x85, 0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x2060, 0x2064, 0x3164, 0xfeff, 0xfff9, 0xe0001, 0xe0041, 0xe007f, 0xe0100 - 0x80}
	for r := rune(0x202a); r <= 0x202e; r++ {
		hidden = append(hidden, r)
	}
	for r := rune(0x2066); r <= 0x2069; r++ {
		hidden = append(hidden, r)
	}
	for r := rune(0xe0000); r <= 0xe007f; r++ {
		hidden = append(hidden, r)
	}
	for _, r := range hidden {
		s := "a" + string(r) + "b"
		if got, want := Text(s), fmt.Sprintf("a⟨U+%04X⟩b", r); got != want {
			t.Errorf("U+%04X: %q, want %q", r, got, want)
		}
		if first, found := Hidden(s); first != r || !found {
			t.Errorf("U+%04X is not found: U+%04X, %v", r, first, found)
		}
	}
	for _, s := range []string{"", "Ari", "a\nb\tc", "José", "e\u0301", "नमस्ते", "क\u094d\u200dष", "می\u200cخواهم", "👩\u200d🚒", "👩🏽\u200d🚒", "❤\ufe0f\u200d🔥", "1\ufe0f\u20e3", "↔\ufe0f", "葛\U000e0100", "\u0600١", "日本語", "\ufffd"} {
		if got := Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for s, want := range map[string]string{"\u200dari": "⟨U+200D⟩ari", "ari\u200d": "ari⟨U+200D⟩", "a \u200c b": "a ⟨U+200C⟩ b", "a\u200d\u200db": "a⟨U+200D⟩⟨U+200D⟩b", "1\u200d2": "1⟨U+200D⟩2",
		"ari\ufe0f": "ari⟨U+FE0F⟩", "ari2\ufe0f": "ari2⟨U+FE0F⟩", "\ufe0eari": "⟨U+FE0E⟩ari", "❤\ufe0f\ufe0f": "❤\ufe0f⟨U+FE0F⟩", "ari\U000e0100": "ari⟨U+E0100⟩"} {
		if got := Text(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}

// TestAValueCanNotLeaveItsMarks: whatever a value is, the sentence around it stays ours.
func TestAValueCanNotLeaveItsMarks(t *testing.T) {
	for _, v := range []string{"ari", "", "ari), at noon. The director agreed (as witness", "ari” agreed. “x", `ari\`, `ari\” agreed`, `\\”`, "a\nb", "“", "”", `"`, "«»„‟″＂", "\u202eari", "“ari”", "\xff”"} {
		sentence := Value(v) + " sent the log of " + Value("x") + "."
		parts := Parts(sentence)
		want := []Part{{Value(v), true}, {" sent the log of ", false}, {Value("x"), true}, {".", false}}
		if fmt.Sprint(parts) != fmt.Sprint(want) {
			t.Errorf("%q: %v", v, parts)
		}
		if strings.ContainsAny(Value(v), "\n\u202e") {
			t.Errorf("%q has hidden characters", Value(v))
		}
	}
	for v, want := range map[string]string{`{"room":"zebra"}`: `“{"room":"zebra"}”`, `["a ”"]`: `“["a \”"]”`, `{"a":"x\"y"}`: `“{"a":"x\\"y"}”`, `{"cut":"off`: `“{\"cut\":\"off”`, `"x"`: `“\"x\"”`} {
		if got := Value(v); got != want || len(Parts(got+".")) != 2 {
			t.Errorf("%s became %s", v, got)
		}
	}
	for name, bare := range map[string]bool{"ari": true, "Ari 2": true, "Maria Анна": true, "山田たろう": true, "José": true, "nobody": false, "s\u043emebody": false, "\uff4eobody": false, "ＹＯＵ": false,
		"Everybody": false, "you": false, "segraph": false, "unknown": false, "Αri": false} {
		if got := Name(name); got != Value(name) && got != name || (got == name) != bare {
			t.Errorf("the name %q became %s", name, got)
		}
	}
	for sentence, want := range map[string]int{"": 0, "no value": 1, "one “that does not end": 2, `one “that does not end\`: 2} {
		if got := Parts(sentence); len(got) != want {
			t.Errorf("%q: %v", sentence, got)
		}
	}
}

// TestAPageShowsWhatIsHidden changes texts and labels, and nothing that is sent back.
func TestAPageShowsWhatIsHidden(t *testing.T) {
	const z = "\u200b"
	page := `<p title="a` + z + `" class="b` + z + `">c` + z + `<input value="d` + z + `" aria-label="e` + z + `"><textarea>f` + z + `</textarea><script>g` + z + `</script>h` + z + `</p>`
	want := strings.NewReplacer("a"+z, "a⟨U+200B⟩", "c"+z, "c⟨U+200B⟩", "e"+z, "e⟨U+200B⟩", "h"+z, "h⟨U+200B⟩").Replace(page)
	if got := string(HTML([]byte(page))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, page := range []string{"", "<p>x", "<p", "x<textarea>" + z, "<"} {
		if got := string(HTML([]byte(page))); !strings.Contains(page, z) && got != page {
			t.Errorf("%q became %q", page, got)
		}
	}
}
