package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMembersThatNobodyAsksForTakeNoMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range 100_000 {
		fmt.Fprintf(&b, `"%x":1,`, i)
	}
	b.WriteString(`"user":"ari"}`)
	body := []byte(b.String())
	allocations := testing.AllocsPerRun(3, func() {
		o, err := Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		if user := o.TextOrNull("user"); user != "ari" || o.Err() != nil {
			t.Errorf("user %q, %v", user, o.Err())
		}
	})
	if allocations > 20 {
		t.Errorf("%v allocations for two members", allocations)
	}
}

// FuzzParseObject compares Parse with encoding/json.
func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"ttl_content":"x","user":null}`, `{"a":[1,{"b":"}]\\\""},null,true],"user":"x"}`, ` { "user" : "\ud83d\ude00" } `,
		`{"user":"\ud800"}`, `{"\\":-1.5e3,"":{}}`, `[`, `{"user":"a","user":"b"}`, "{\"user\":\"\xff\"}", `{"user":"\\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		o, err := Parse([]byte(body))
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal([]byte(body), &want)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "not ") || len(e.Faults) > 0 {
				t.Errorf("%q: %v", body, err)
			}
			if wantErr == nil && want != nil && utf8.ValidString(body) {
				t.Errorf("%q is refused: %v", body, err)
			}
			return
		}
		if wantErr != nil {
			t.Fatalf("%q is taken, and encoding/json says %v", body, wantErr)
		}
		for name, raw := range want {
			value, n := o.find(name)
			if n == 0 && !strings.Contains(name, "\uFFFD") || n == 1 && string(value) != string(raw) {
				t.Errorf("%q: member %q is there %d times as %q, want %q", body, name, n, value, raw)
			}
		}
		user := o.TextOrNull("user")
		if !utf8.ValidString(user) {
			t.Errorf("%q: user is %q", body, user)
		}
		var s string
		if len(o.faults) == 0 && json.Unmarshal(want["user"], &s) == nil && s != user {
			t.Errorf("%q: user is %q, want %q", body, user, s)
		}
	})
}
