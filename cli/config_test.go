package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/memory"
)

func TestConfigTellsEverySettingItsSourceAndNoSecret(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	const key = "a key that nobody may see, of thirty-two bytes"
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	got := segraph("", []string{"SECRET_KEY_FILE=" + file, "SEGRAPH_QUERY_TIME=5s", "SEGRAPH_API=:5001"}, "config", "--api", "127.0.0.1:1")
	if got.code != 0 || strings.Contains(got.stdout+got.stderr, key) {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{
		"SECRET_KEY = (set, not shown)\n    from SECRET_KEY_FILE\n",
		"SEGRAPH_QUERY_TIME = 5s\n    from SEGRAPH_QUERY_TIME\n",
		"SEGRAPH_API = 127.0.0.1:1\n    from --api\n",
		"SEGRAPH_UI = :8080\n    from default\n",
		"SEGRAPH_TLS_CERT = (not set)\n    from default\n",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("it lacks %q:\n%s", want, got.stdout)
		}
	}
	for _, name := range config.ServiceSettings() {
		if !strings.Contains(got.stdout, strings.ToUpper(strings.ReplaceAll(name, "-", "_"))) {
			t.Errorf("it lacks %s", name)
		}
	}
	if got := segraph("", []string{"SEGRAPH_QUERY_TIME=never"}, "config"); got.code != exitUsage {
		t.Errorf("a wrong setting: %+v", got)
	}
	if got := segraph("", nil, "config", "upstart"); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
}

// The systemd unit is hardened. If systemd is installed, it judges the unit.
func TestTheUnitForSystemdIsHardened(t *testing.T) {
	got := segraph("", nil, "config", "systemd")
	if got.code != 0 || !strings.Contains(got.stdout, "ExecStart=/usr/bin/segraph serve\n") {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"NoNewPrivileges=yes", "ProtectSystem=strict", "DynamicUser=yes", "CapabilityBoundingSet=\n", "RestartPreventExitStatus=2 3 4", "Type=notify", "WatchdogSec=", "AF_UNIX"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the unit lacks %s", want)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze here: the unit's exposure is not looked at")
		return
	}
	path := filepath.Join(t.TempDir(), "segraph.service")
	if err := os.WriteFile(path, []byte(got.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", path).CombinedOutput()
	found := regexp.MustCompile(`exposure level for \S+: ([0-9.]+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if level, err := strconv.ParseFloat(string(found[1]), 64); err != nil || level > 2.0 {
		t.Errorf("the unit's exposure is %s, want 2.0 at most", found[1])
	}
}

func TestCompletionsKnowEveryCommandAndFlag(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		got := segraph("", nil, "completion", shell)
		if got.code != 0 {
			t.Fatalf("%+v", got)
		}
		for _, v := range verbs() {
			flags, err := flagsOf(v)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.stdout, v.name) {
				t.Errorf("%s does not know %s", shell, v.name)
			}
			for _, s := range flags {
				if !strings.Contains(got.stdout, "--"+s.Name) && !strings.Contains(got.stdout, "-l "+s.Name) {
					t.Errorf("%s does not know --%s", shell, s.Name)
				}
			}
		}
		if _, err := exec.LookPath(shell); err != nil {
			continue // without the shell, its syntax is not checked
		}
		check := exec.Command(shell, "-n")
		check.Stdin = strings.NewReader(got.stdout)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
	// Completions of bash.
	if bash, err := exec.LookPath("bash"); err == nil {
		script := segraph("", nil, "completion", "bash").stdout + "\nCOMP_WORDS=(segraph serve --sna); COMP_CWORD=2; _segraph; echo ${COMPREPLY[*]}\n" +
			"COMP_WORDS=(segraph re); COMP_CWORD=1; _segraph; echo ${COMPREPLY[*]}\n"
		out, err := exec.Command(bash, "-c", script).CombinedOutput()
		if err != nil || string(out) != "--snapshot-dir --snapshot-every --snapshot-keep\nresolve restore\n" && !strings.Contains(string(out), "restore") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	for _, args := range [][]string{{"completion"}, {"completion", "csh"}} {
		if got := segraph("", nil, args...); got.code != exitUsage {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestConfigTellsHowMemoryIsDivided(t *testing.T) {
	r := segraph("", nil, "config", "--memory", "64")
	for _, want := range []string{"Memory: 64 MiB (SEGRAPH_MEMORY), divided:", "of that, one query", "connections"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, r.stdout)
		}
	}
	ask := func(args ...string) (got struct {
		Settings []map[string]any
		Memory   memory.Plan
	}) {
		t.Helper()
		r := segraph("", nil, append([]string{"config", "--format", "json"}, args...)...)
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != 0 {
			t.Fatalf("%v: %d %s", err, r.code, r.stderr)
		}
		return got
	}
	got := ask("--memory", "64")
	if got.Memory != memory.Divide(64<<20, "SEGRAPH_MEMORY") || len(got.Settings) != len(config.ServiceSettings()) {
		t.Errorf("%d settings, and %+v", len(got.Settings), got.Memory)
	}
	got = ask("--memory", "512", "--query-memory", "20", "--connections", "33")
	if got.Memory.Query != 20<<20 || got.Memory.Connections != 33 {
		t.Errorf("settings do not override: %+v", got.Memory)
	}
	if got = ask(); got.Memory.Available <= 0 || got.Memory.From == "" {
		t.Errorf("without settings: %+v", got.Memory)
	}
}
