package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/dict"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/engine/index"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

var update = flag.Bool("update", false, "write the golden files anew")

// raced has prefixes of the names of tests that run with the race detector: those of commands
// that work in several goroutines, or beside a service. The others run one command after
// another, and the packages below have tests of what those call. -run selects other tests.
var raced = []string{
	"TestABacklog", "TestABridge", "TestADownload", "TestATruncatedAnswer", "TestAWholeService", "TestAnExplanation", "TestCanonicalDumps",
	"TestHealthcheck", "TestQueryOfAService", "TestServeWorks", "TestSignalsAreObeyed",
}

func TestMain(m *testing.M) {
	suite.ParseFlags(raced)
	m.Run()
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("not what %s has (go test -update writes it anew):\n%s", path, got)
	}
}

// outcome is the result of a run.
type outcome struct {
	code           int
	stdout, stderr string
}

// segraph runs a command line in this process.
func segraph(stdin string, environ []string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := Run(args, strings.NewReader(stdin), &stdout, &stderr, environ)
	return outcome{code, stdout.String(), stderr.String()}
}

func TestHelpOfEveryVerb(t *testing.T) {
	golden(t, "help.txt", segraph("", nil, "help").stdout)
	for _, v := range verbs() {
		t.Run(v.name, func(t *testing.T) {
			want := segraph("", nil, v.name, "-h")
			golden(t, "help-"+v.name+".txt", want.stdout)
			if want.code != 0 || want.stderr != "" {
				t.Errorf("-h: %+v", want)
			}
			for _, args := range [][]string{{v.name, "--help"}, {"help", v.name}} {
				if got := segraph("", nil, args...); got != want {
					t.Errorf("%q differs from -h:\n%s%s", args, got.stdout, got.stderr)
				}
			}
			settings, err := config.Select(v.settings)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range settings {
				if !strings.Contains(want.stdout, s.Env) || !strings.Contains(want.stdout, s.Default) {
					t.Errorf("help lacks %s or its default %q", s.Env, s.Default)
				}
			}
		})
	}
}

// Every setting is used by some command.
func TestEverySettingIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, v := range verbs() {
		for _, name := range v.settings {
			used[name] = true
		}
	}
	for _, s := range config.Settings() {
		if !used[s.Name] {
			t.Errorf("no verb uses --%s", s.Name)
		}
	}
}

func TestWrongUsageIsExit2WithAHint(t *testing.T) {
	key := "SECRET_KEY=" + "a key of thirty-two bytes or more"
	tests := []struct {
		name    string
		environ []string
		args    []string
		want    []string // expected in stderr
	}{
		{"no command", nil, nil, []string{"which command", "segraph serve"}},
		{"unknown command", nil, []string{"frobnicate"}, []string{`"frobnicate"`, "segraph help"}},
		{"misspelt command", nil, []string{"srve"}, []string{`"srve"`, "`segraph serve`"}},
		{"help of an unknown command", nil, []string{"help", "tokn"}, []string{`"tokn"`, "`segraph token`"}},
		{"help of two commands", nil, []string{"help", "load", "dump"}, []string{"dump"}},
		{"misspelt flag", nil, []string{"serve", "--dta", "x"}, []string{"--dta", "--data"}},
		{"a flag of another verb", nil, []string{"dump", "--role", "admin"}, []string{"--role"}},
		{"flag without a value", nil, []string{"serve", "--data"}, []string{"--data FILE"}},
		{"an argument too many", nil, []string{"version", "now"}, []string{`"now"`, "segraph version -h"}},
		{"unknown variable", []string{"SEGRAPH_DTA=x"}, []string{"token"}, []string{"SEGRAPH_DTA", "SEGRAPH_DATA"}},
		{"a bad address", nil, []string{"serve", "--api", "5000"}, []string{"--api", ":5000"}},
		{"token without a key", nil, []string{"token", "--user", "a", "--role", "admin"}, []string{"SECRET_KEY is not set"}},
		{"token with a short key", []string{"SECRET_KEY=short"}, []string{"token", "--user", "a", "--role", "admin"}, []string{"32 bytes", "--allow-short-secret"}},
		{"token for nobody", []string{key}, []string{"token", "--role", "admin"}, []string{"--user"}},
		{"token for nothing", []string{key}, []string{"token", "--user", "a"}, []string{"--role"}},
		{"token with an unknown role", []string{key}, []string{"token", "--user", "a", "--role", "root"}, []string{`"root"`, "admin"}},
		{"token with a name that hides characters", []string{key}, []string{"token", "--user", "a\u2060b", "--role", "admin"}, []string{"U+2060, which nobody sees"}},
		{"token with a name that forges log lines", []string{key}, []string{"token", "--user", "a\nb", "--role", "admin"}, []string{"control character"}},
		{"serve with a short key", []string{"SECRET_KEY=short"}, []string{"serve"}, []string{"32 bytes", "--allow-short-secret"}},
		{"load of nothing", nil, []string{"load"}, []string{"which files"}},
		{"load of an unknown format", nil, []string{"load", "a.xyz"}, []string{"a.xyz", "--format"}},
		{"load of stdin without a format", nil, []string{"load", "-"}, []string{"stdin", "--format"}},
		{"load of stdin twice", nil, []string{"load", "-", "-", "--format", "turtle"}, []string{"only once"}},
		{"load of a folder", nil, []string{"load", ".", "--format", "turtle"}, []string{"folder"}},
		{"dump to an unknown format", nil, []string{"dump", "--out", "a.xyz"}, []string{"a.xyz", "--format"}},
		{"healthcheck of any port", nil, []string{"healthcheck", "--api", ":0"}, []string{"--api"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := segraph("", tt.environ, tt.args...)
			if got.code != exitUsage || got.stdout != "" {
				t.Errorf("exit %d, stdout %q; want 2 and nothing", got.code, got.stdout)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.stderr, want) {
					t.Errorf("stderr lacks %q:\n%s", want, got.stderr)
				}
			}
			if left, _ := os.ReadDir("."); len(left) > 0 {
				t.Errorf("wrong usage made the file %s", left[0].Name())
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		err  error
		code int
	}{
		{nil, exitOK},
		{errors.New("anything"), exitFailed},
		{context.Canceled, exitFailed},
		{errInterrupted, exitFailed},
		{os.ErrNotExist, exitFailed},
		{&turtle.SyntaxError{Line: 1, Column: 2, Msg: "m"}, exitFailed},
		{&file.FormError{}, exitFailed},
		{&config.Error{Msg: "m", Hint: "h"}, exitUsage},
		{&file.LockedError{}, exitInUse},
		{&file.DamagedError{}, exitDamaged},
		{&dict.DamagedError{}, exitDamaged},
		{&index.DamagedError{}, exitDamaged},
		{&journal.DamagedError{}, exitDamaged},
	}
	for _, tt := range tests {
		for _, err := range []error{tt.err, fmt.Errorf("opening the store: %w", tt.err)} {
			if tt.err == nil {
				err = nil
			}
			var stderr strings.Builder
			p := &program{stderr: &stderr}
			if code := p.report("load", err); code != tt.code {
				t.Errorf("%T is exit code %d, want %d", tt.err, code, tt.code)
			}
			if said := strings.HasPrefix(stderr.String(), "segraph load: "); said != (err != nil) {
				t.Errorf("%T: stderr is %q", tt.err, stderr.String())
			}
		}
	}
}

// The first signal cancels the work, whose result then counts. The second ends the
// program without waiting.
func TestSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stderr strings.Builder
		p := &program{stderr: &stderr}
		signals := make(chan os.Signal, 2)
		signals <- syscall.SIGTERM
		err := p.interruptible(signals, func(ctx context.Context) error {
			<-ctx.Done()
			return errors.New("cleaned up")
		})
		if err == nil || err.Error() != "cleaned up" || !strings.Contains(stderr.String(), "a second signal ends it at once") {
			t.Errorf("after one signal: %v, %q", err, stderr.String())
		}

		signals <- syscall.SIGTERM
		signals <- syscall.SIGINT
		stuck := make(chan struct{})
		err = p.interruptible(signals, func(context.Context) error { <-stuck; return nil })
		close(stuck)
		if !errors.Is(err, errInterrupted) {
			t.Errorf("after two signals: %v", err)
		}
	})
}

func TestDialable(t *testing.T) {
	for address, want := range map[string]string{
		":5000": "127.0.0.1:5000", "0.0.0.0:5000": "127.0.0.1:5000", "[::]:5000": "[::1]:5000",
		"127.0.0.1:81": "127.0.0.1:81", "192.0.2.7:5000": "192.0.2.7:5000", "robots.example:80": "robots.example:80",
	} {
		if got, err := app.Dialable(address); got != want || err != nil {
			t.Errorf("app.Dialable(%q) = %q, %v; want %q", address, got, err, want)
		}
	}
}
