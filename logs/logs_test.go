package logs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/logs"
)

const all = slog.Level(-100)

func query(b *logs.Buffer) []logs.Entry {
	return b.Query(logs.Filter{Limit: 1 << 30, Level: all})
}

// flush waits until all lines are written.
func flush(t *testing.T, b *logs.Buffer) {
	t.Helper()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARecordIsWrittenAsOneLineAndKept(t *testing.T) {
	var out bytes.Buffer
	b := logs.New(logs.Options{Writer: &out, Name: "stderr"})
	ctx := logs.WithRequest(t.Context(), &logs.Request{ID: "r1", Actor: "María José", Address: "192.0.2.1"})
	b.Logger("segraph.http").With("a", 1).WithGroup("g").InfoContext(ctx, "POST /ttl",
		"status", 201, "text", "two words", slog.Group("h", "error", errors.New("no")))
	flush(t, b)

	line := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \| INFO \| segraph\.http` +
		` \| rid=r1 actor="María José" ip=192\.0\.2\.1 \| POST /ttl a=1 g\.status=201 g\.text="two words" g\.h\.error=no\n$`)
	if !line.MatchString(out.String()) {
		t.Errorf("got %q", out.String())
	}
	got := query(b)
	if len(got) != 1 {
		t.Fatalf("%d records are kept", len(got))
	}
	e := got[0]
	if e.Raw+"\n" != out.String() || !strings.HasPrefix(e.Message, "POST /ttl a=1 ") || !strings.HasSuffix(e.Raw, e.Message) ||
		e.Logger != "segraph.http" || e.RequestID != "r1" || e.Actor != "María José" || e.Address != "192.0.2.1" ||
		e.Level != slog.LevelInfo || !strings.HasPrefix(e.Raw, e.Timestamp()) || b.Name() != "stderr" {
		t.Errorf("got %+v", e)
	}
}

func TestAttributesOfTheRecordComeBeforeTheRequestOfTheContext(t *testing.T) {
	b := logs.New(logs.Options{})
	ctx := logs.WithRequest(t.Context(), &logs.Request{ID: "r1", Actor: "ari"})
	b.Logger("x").InfoContext(ctx, "m", "request_id", "r2", "origin_ip", "::1")
	if e := query(b)[0]; e.RequestID != "r2" || e.Actor != "ari" || e.Address != "::1" || e.Message != "m" {
		t.Errorf("got %+v", e)
	}
	if r := logs.RequestOf(t.Context()); r != nil {
		t.Errorf("a context without a request has %+v", r)
	}
}

func TestALineIsAJSONObjectWhereThatIsWanted(t *testing.T) {
	var out bytes.Buffer
	b := logs.New(logs.Options{Writer: &out, JSON: true})
	b.Logger("x").Error("failed \"here\"\n", "path", "/a\u202eb", "n", 7)
	flush(t, b)
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	fields, _ := line["fields"].(map[string]any)
	if line["level"] != "ERROR" || line["logger"] != "x" || line["message"] != `failed "here"\n` ||
		fields["path"] != `/a\u202eb` || fields["n"] != 7.0 || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("got %s", out.String())
	}
}

func TestNumbersAreNumbersInJSON(t *testing.T) {
	var out bytes.Buffer
	b := logs.New(logs.Options{Writer: &out, JSON: true})
	b.Logger("x").Info("request", "status", 201, "ms", 1.25, "bytes", uint64(math.MaxUint64), "ok", true, "text", "7",
		"took", 1500*time.Millisecond, "nan", math.NaN(), "inf", math.Inf(-1), slog.Group("g", "n", int8(-1)))
	flush(t, b)
	var line struct{ Fields json.RawMessage }
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	const want = `{"bytes":18446744073709551615,"g.n":-1,"inf":"-Inf","ms":1.25,"nan":"NaN","ok":true,"status":201,"text":"7","took":"1.5s"}`
	if string(line.Fields) != want {
		t.Errorf("got %s, want %s", line.Fields, want)
	}
	if e := query(b)[0]; !strings.HasPrefix(e.Message, "request status=201 ms=1.25 bytes=18446744073709551615 ok=true text=7 ") {
		t.Errorf("the message is %q", e.Message)
	}
}

func TestNothingThatAClientSendsForgesALine(t *testing.T) {
	for _, hostile := range []string{
		"a\n2026-01-01T00:00:00.000Z | INFO | x | rid=1 actor=root ip=- | m",
		"a\r\nb", "a\vb", "a\fb", "a\x00b", "a\x1b[2Kb", "a\u0085b", "a\u2028b", "a\u2029b", "a\u202eb", "a\u2066b",
		"a\xffb", "a\ufeffb", "a | ERROR | b", `a" actor="root`, "a actor=root",
	} {
		var out bytes.Buffer
		b := logs.New(logs.Options{Writer: &out})
		ctx := logs.WithRequest(t.Context(), &logs.Request{ID: hostile, Actor: hostile, Address: hostile})
		b.Logger("x").InfoContext(ctx, hostile, hostile, hostile)
		flush(t, b)
		line := strings.TrimSuffix(out.String(), "\n")
		for _, r := range line {
			if r < ' ' || r > '~' {
				t.Errorf("%q: the line holds %q", hostile, r)
			}
		}
		head, _, _ := strings.Cut(line, hostileStart)
		if strings.Count(head, " | ") != 3 {
			t.Errorf("%q leaves its field: %q", hostile, line)
		}
		if e := query(b)[0]; e.Raw != line {
			t.Errorf("%q was not kept as it was written: %q", hostile, e.Raw)
		}
	}
	// Printable characters are kept.
	b := logs.New(logs.Options{})
	b.Logger("x").Info("grüße 机器人 😀 \uFFFD")
	if e := query(b)[0]; e.Message != "grüße 机器人 😀 \uFFFD" {
		t.Errorf("got %q", e.Message)
	}
}

// hostileStart precedes the message in the lines of the test above.
const hostileStart = " | a"

func TestNoLineHoldsAToken(t *testing.T) {
	const token = "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFyaSJ9.c2lnbmF0dXJl_-x"
	for _, text := range []string{
		token, "Bearer " + token, "x" + token, "/ttl?user=" + token + "&x=" + token, token[:30], strings.Repeat("x", logs.MaxText-20) + token,
	} {
		var out bytes.Buffer
		b := logs.New(logs.Options{Writer: &out})
		ctx := logs.WithRequest(t.Context(), &logs.Request{ID: text, Actor: text, Address: text})
		b.Logger("x").InfoContext(ctx, text, "key", text, "error", fmt.Errorf("wrapped: %s", text), text, 1)
		flush(t, b)
		for _, part := range append(strings.Split(token, "."), token[:20]) {
			if strings.Contains(out.String(), part) || strings.Contains(fmt.Sprintf("%+v", query(b)), part) {
				t.Errorf("%q: %q is in the log: %s", text, part, out.String())
			}
		}
	}
	b := logs.New(logs.Options{})
	for i, text := range []string{"eyJ is how they begin", "Monkey Jones is a robot"} {
		b.Logger("x").Info(text)
		if e := query(b)[i]; e.Message != text {
			t.Errorf("too much is cut out: %q", e.Message)
		}
	}
}

func TestALongTextIsCutBetweenCharacters(t *testing.T) {
	b := logs.New(logs.Options{})
	b.Logger("x").Info(strings.Repeat("é", logs.MaxText))
	e := query(b)[0]
	if want := strings.Repeat("é", logs.MaxText/2) + "…"; e.Message != want {
		t.Errorf("%d bytes are kept: …%q", len(e.Message), e.Message[len(e.Message)-8:])
	}
}

func TestMemoryIsBoundedByRecordsAndBytes(t *testing.T) {
	few := logs.New(logs.Options{Entries: 20})
	small := logs.New(logs.Options{Bytes: 2000})
	for i := range 1000 {
		few.Logger("x").Info(fmt.Sprintf("n%03d", i))
		small.Logger("x").Info(fmt.Sprintf("n%03d", i))
	}
	if got := query(few); len(got) != 10 || got[0].Message != "n990" || got[9].Message != "n999" {
		t.Errorf("ten records: got %d from %q", len(got), got[0].Message)
	}
	bytes := 0
	got := query(small)
	for _, e := range got {
		bytes += len(e.Raw)
	}
	if bytes > 1000 || bytes < 900 || got[len(got)-1].Message != "n999" {
		t.Errorf("%d bytes in %d records", bytes, len(got))
	}
}

func TestAFloodOfLesserRecordsDrivesOutNoWarningsAndNoErrors(t *testing.T) {
	b := logs.New(logs.Options{Entries: 100})
	log := b.Logger("x")
	for i := range 30 {
		log.Error(fmt.Sprintf("error %d", i))
	}
	for i := range 1000 {
		log.Warn(fmt.Sprintf("warning %d", i))
		log.Info(fmt.Sprintf("info %d", i))
	}
	for _, c := range []struct {
		level    slog.Level
		n        int
		from, to string
	}{
		{slog.LevelInfo, 100, "error 5", "info 999"},
		{slog.LevelWarn, 50, "error 5", "warning 999"},
		{slog.LevelError, 25, "error 5", "error 29"},
	} {
		got := b.Query(logs.Filter{Limit: 1000, Level: c.level})
		if len(got) != c.n || got[0].Message != c.from || got[len(got)-1].Message != c.to {
			t.Errorf("from %v up: %d records from %q to %q", c.level, len(got), got[0].Message, got[len(got)-1].Message)
		}
	}
	newest := b.Query(logs.Filter{Limit: 3, Level: slog.LevelInfo}) // in the order of logging
	if len(newest) != 3 || newest[0].Message != "info 998" || newest[1].Message != "warning 999" || newest[2].Message != "info 999" {
		t.Errorf("the newest are %+v", newest)
	}
}

func TestQueryGivesTheNewestThatMatchOldestFirst(t *testing.T) {
	b := logs.New(logs.Options{Level: slog.LevelDebug})
	log := b.Logger("x")
	for i, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError, logs.LevelCritical} {
		log.Log(t.Context(), level, fmt.Sprintf("Message %d", i))
	}
	for _, c := range []struct {
		name   string
		filter logs.Filter
		want   string
	}{
		{"all", logs.Filter{Limit: 10, Level: slog.LevelDebug}, "01234"},
		{"limit", logs.Filter{Limit: 2, Level: slog.LevelDebug}, "34"},
		{"no limit left", logs.Filter{Limit: 0, Level: slog.LevelDebug}, ""},
		{"level", logs.Filter{Limit: 10, Level: slog.LevelWarn}, "234"},
		{"critical", logs.Filter{Limit: 10, Level: logs.LevelCritical}, "4"},
		{"text", logs.Filter{Limit: 10, Level: slog.LevelDebug, Contains: "message 3"}, "3"},
		{"level's name in the line", logs.Filter{Limit: 10, Level: slog.LevelDebug, Contains: "warning"}, "2"},
		{"nothing", logs.Filter{Limit: 10, Level: slog.LevelDebug, Contains: "absent"}, ""},
	} {
		got := ""
		for _, e := range b.Query(c.filter) {
			got += strings.TrimPrefix(e.Message, "Message ")
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestRecordsBelowTheLevelAreDropped(t *testing.T) {
	b := logs.New(logs.Options{Level: slog.LevelWarn})
	b.Logger("x").Info("no")
	b.Logger("x").Warn("yes")
	if got := query(b); len(got) != 1 || got[0].Message != "yes" {
		t.Errorf("got %+v", got)
	}
}

func TestLevelsHaveTheirWords(t *testing.T) {
	for _, name := range logs.LevelNames() {
		level, ok := logs.ParseLevel(strings.ToLower(name))
		if !ok || logs.LevelName(level) != name {
			t.Errorf("%s: level %v is called %s", name, level, logs.LevelName(level))
		}
	}
	if _, ok := logs.ParseLevel("TRACE"); ok {
		t.Error("TRACE is a level")
	}
}

func BenchmarkHandle(b *testing.B) {
	log := logs.New(logs.Options{}).Logger("segraph.http")
	ctx := logs.WithRequest(b.Context(), &logs.Request{ID: "0123456789", Actor: "ari", Address: "192.0.2.1"})
	b.ReportAllocs()
	for b.Loop() {
		log.InfoContext(ctx, "POST /ttl", "status", 201, "duration_ms", 1.25, "bytes", 120)
	}
}
