package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// logLine is a line of a JSON log.
type logLine struct {
	Timestamp, Level, Logger, Message string
	Fields                            map[string]any
}

// logLines parses a JSON log. Any other content is an error.
func logLines(t *testing.T, text string) (out []logLine) {
	t.Helper()
	for line := range strings.Lines(text) {
		var l logLine
		if err := json.Unmarshal([]byte(line), &l); err != nil || l.Timestamp == "" || l.Level == "" || l.Message == "" {
			t.Errorf("%q is no line of a log: %v", line, err)
		}
		out = append(out, l)
	}
	return out
}

func TestALogInJSONIsJSONFromTheFirstLineToTheLast(t *testing.T) {
	t.Parallel()
	s := &service{t: t, stdout: &output{}, stderr: &output{}, ended: make(chan struct{})}
	s.cmd = exec.Command(binary, "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log-format", "json",
		"--data", filepath.Join(t.TempDir(), "segraph.db"))
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = environ(), s.stdout, s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	t.Cleanup(s.kill)
	poll(t, "the service listens", func() bool { return strings.Contains(s.stderr.String(), `"serving"`) })
	lines := logLines(t, s.stderr.String())
	if first := lines[0]; first.Level != "WARNING" || !strings.Contains(first.Message, "AUTHENTICATION IS OFF") {
		t.Errorf("the first line is %+v", first)
	}
	serving := lines[slices.IndexFunc(lines, func(l logLine) bool { return l.Message == "serving" })]
	api, _ := serving.Fields["api"].(string)
	if _, ok := serving.Fields["metrics"].(string); !ok || serving.Fields["auth"] != false {
		t.Errorf("the line is %+v", serving)
	}
	request(t, "GET", "http://"+api+"/healthz/nothing", nil)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	if out := s.stdout.String(); out != "" {
		t.Errorf("on stdout: %q", out)
	}
	lines = logLines(t, s.stderr.String())
	asked := lines[slices.IndexFunc(lines, func(l logLine) bool { return l.Fields["path"] == "/healthz/nothing" })]
	if asked.Fields["status"] != 404.0 {
		t.Errorf("the line of a request is %+v", asked)
	}
	for _, number := range []string{"ms", "bytes"} {
		if _, ok := asked.Fields[number].(float64); !ok {
			t.Errorf("%s is %v, which is no number", number, asked.Fields[number])
		}
	}
	if !slices.ContainsFunc(lines, func(l logLine) bool { return strings.Contains(l.Message, "finishing the current work") }) {
		t.Error("the message about the signal is missing")
	}
}

// A failed start is also reported in JSON, even if the settings are invalid.
func TestAStartThatFailsSaysSoInJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		env, args []string
		code      int
		words     string
	}{
		{nil, []string{"--log-format=json", "--api", "x"}, 2, "is not an address"},
		{[]string{"SEGRAPH_LOG_FORMAT=json"}, []string{"--no-such"}, 2, "unknown flag --no-such"},
		{[]string{"SEGRAPH_LOG_FORMAT=json", "SECRET_KEY=short"}, nil, 2, "shorter than 32 bytes"},
		{[]string{"SEGRAPH_LOG_FORMAT=json"}, []string{"--data", filepath.Join(dir, "none", "x.db")}, 1, "no such file"},
	} {
		r := command(t, dir, c.env, "", append([]string{"serve"}, c.args...)...)
		lines := logLines(t, r.stderr)
		if r.code != c.code || len(lines) != 1 || lines[0].Level != "ERROR" || !strings.Contains(lines[0].Message, c.words) {
			t.Errorf("%q: exit %d\n%s", c.args, r.code, r.stderr)
		}
	}
}
