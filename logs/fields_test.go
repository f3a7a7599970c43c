package logs_test

import (
	"log/slog"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/logs"
)

func TestFieldsAreReadBackAsTheyWereLogged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Unprintable characters are escaped permanently, so the generator does not
		// produce them.
		value := rapid.StringMatching(`[ -~äß中]{0,20}`)
		text := rapid.StringMatching(`[a-z= "|]{0,12}`).Draw(t, "text")
		var want []logs.Field
		var args []any
		for range rapid.IntRange(0, 4).Draw(t, "fields") {
			f := logs.Field{Key: rapid.StringMatching(`[a-z]{1,3}(\.[a-z])?`).Draw(t, "key"), Value: value.Draw(t, "value")}
			if slices.Contains([]string{"logger", "actor"}, f.Key) || logs.HoldsToken(f.Value) {
				continue
			}
			want, args = append(want, f), append(args, f.Key, f.Value)
		}
		for _, json := range []bool{false, true} {
			b := logs.New(logs.Options{JSON: json})
			b.Logger("x").Info(text, args...)
			e := query(b)[0]
			if e.Text() != text || !slices.Equal(e.Fields(), want) {
				t.Fatalf("%q gives %q and %q, want %q and %q", e.Message, e.Text(), e.Fields(), text, want)
			}
		}
	})
}

func TestQueryGivesOneRequestAndWhatCameAfterARecord(t *testing.T) {
	b := logs.New(logs.Options{})
	for i, id := range []string{"a", "b", "a", "", "a"} {
		level := slog.LevelInfo
		if i == 2 {
			level = slog.LevelError // goes to another share
		}
		b.Logger("x").Log(logs.WithRequest(t.Context(), &logs.Request{ID: id}), level, "line")
	}
	numbers := func(f logs.Filter) (out []uint64) {
		f.Level = all
		for _, e := range b.Query(f) {
			out = append(out, e.Number)
		}
		return out
	}
	if got := numbers(logs.Filter{Limit: 9, Request: "a"}); !slices.Equal(got, []uint64{1, 3, 5}) {
		t.Errorf("of request a: %v", got)
	}
	if got := numbers(logs.Filter{Limit: 9, After: 2}); !slices.Equal(got, []uint64{3, 4, 5}) {
		t.Errorf("after 2: %v", got)
	}
	if got := numbers(logs.Filter{Limit: 1, After: 2, Request: "a"}); !slices.Equal(got, []uint64{5}) {
		t.Errorf("the newest of a after 2: %v", got)
	}
	if got := numbers(logs.Filter{Limit: 9, After: 5}); got != nil || b.Last() != 5 {
		t.Errorf("after the last, which is %d: %v", b.Last(), got)
	}
}
