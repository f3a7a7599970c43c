package jsonscan_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/segraph/segraph/store/jsonscan"
)

// texts returns a text in memory, and one of each kind of reader.
func texts(text string) map[string]*jsonscan.Text {
	out := map[string]*jsonscan.Text{
		"in memory":            jsonscan.Of([]byte(text)),
		"a file":               jsonscan.New(strings.NewReader(text)),
		"a pipe":               jsonscan.New(struct{ io.Reader }{strings.NewReader(text)}),
		"a pipe, byte by byte": jsonscan.New(iotest.OneByteReader(strings.NewReader(text))),
	}
	for _, t := range out {
		t.MaxDepth, t.MaxString = 100, 1<<20
	}
	return out
}

// check checks a whole text.
func check(t *jsonscan.Text) error {
	end, err := t.Check(t.Begin())
	if err == nil {
		err = t.CheckEnd(end)
	}
	return err
}

// Strings that lie across the ends of windows are read as encoding/json reads them, and
// errors after them have their place.
func TestWindowsCanEndAnywhere(t *testing.T) {
	piece := `é€😀 a\u00e9\ud83d\ude00\n\"`
	for n := 64<<10 - 40; n < 64<<10+4; n++ {
		quoted := `"` + strings.Repeat("x", n) + piece + `"`
		var want string
		if err := json.Unmarshal([]byte(quoted), &want); err != nil {
			t.Fatal(err)
		}
		for name, text := range texts(" [" + quoted + ",\n" + quoted + ", nul]") {
			err := check(text)
			if e := (*jsonscan.SyntaxError)(nil); !errors.As(err, &e) || e.Line != 2 || e.Column != len([]rune(quoted))+3 || fmt.Sprint(e.Path) != "[2]" {
				t.Fatalf("%s, %d: %v", name, n, err)
			}
			s, end, err := text.Bytes(text.First(1))
			if err != nil || string(s) != want || end != int64(len(quoted)+2) || text.Skip(2) != end {
				t.Fatalf("%s, %d: %d bytes until %d, %v", name, n, len(s), end, err)
			}
		}
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	text := jsonscan.New(struct{ io.Reader }{strings.NewReader("[" + strings.Repeat("1,", 1<<20) + "1]")})
	text.MaxDepth, text.MaxHeld = 1, 1<<17
	n := 0
	for i := text.First(0); text.Item(i); i = text.Next(i) {
		end, err := text.CheckItem(i, n)
		if err != nil {
			t.Fatal(err)
		}
		n, i = n+1, end
		text.DropBefore(i)
	}
	if n != 1<<20+1 {
		t.Errorf("%d items: %v", n, text.Err())
	}
	text = jsonscan.New(struct{ io.Reader }{strings.NewReader("[" + strings.Repeat("1,", 1<<20) + "1]")})
	text.MaxDepth, text.MaxHeld = 1, 1<<17
	if err := check(text); err != jsonscan.ErrHeld {
		t.Errorf("without Keep: %v", err)
	}
}

// FuzzCheck compares Check with encoding/json.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e+3,true,false,null,"é\u00e9\ud83d\ude00"],"b":{}}`, `[01]`, "\"\xff\"", `"\ud800"`, `{"a" 1}`, "[1,]", ``, "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		valid := json.Valid([]byte(strings.TrimPrefix(s, "\uFEFF")))
		var places []string
		for name, text := range texts(s) {
			text.LoneSurrogates = true
			err := check(text)
			var e *jsonscan.SyntaxError
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%s: %q: %v", name, s, err)
			}
			if err == nil && !valid {
				t.Errorf("%s: %q is taken", name, s)
			}
			if err != nil && valid && !strings.Contains(e.Msg, "UTF-8") && !strings.Contains(e.Msg, "more than") && !strings.Contains(e.Msg, "longer than") {
				t.Errorf("%s: %q: %v", name, s, err)
			}
			places = append(places, fmt.Sprint(err))
			if places[0] != places[len(places)-1] {
				t.Errorf("%q: %q", s, places)
			}
		}
	})
}
