package main_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/segraph/segraph/config"

	"github.com/segraph/segraph/internal/suite"
)

// composition is the part of a Compose file that these tests check.
type composition struct {
	Services map[string]struct {
		Image       string
		Build       any
		Profiles    []string
		ReadOnly    bool     `yaml:"read_only"`
		CapDrop     []string `yaml:"cap_drop"`
		Environment map[string]string
		Ports       []string
		Volumes     []string
		Extends     struct{ File, Service string }
	}
	Volumes map[string]any
}

func readComposition(t *testing.T, path string) (composition, string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c composition
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for name, s := range c.Services {
		if s.Extends.File == "" {
			continue
		}
		base, _ := readComposition(t, s.Extends.File)
		from, ok := base.Services[s.Extends.Service]
		if !ok {
			t.Fatalf("%s: %s extends %s of %s, which there is not", path, name, s.Extends.Service, s.Extends.File)
		}
		s.Image, s.Build, s.ReadOnly, s.CapDrop, s.Ports, s.Volumes = from.Image, from.Build, from.ReadOnly, from.CapDrop, from.Ports, from.Volumes
		environment := maps.Clone(from.Environment)
		maps.Copy(environment, s.Environment)
		s.Environment = environment
		c.Services[name] = s
	}
	return c, string(text)
}

// A setting in .env reaches the service, unless it needs a file, a port or another service.
func TestComposePassesSettings(t *testing.T) {
	settings, err := config.Select(config.ServiceSettings())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := regexp.MustCompile(`^(api|ui|data|metrics|snapshot-dir|retention-rules|allow-short-secret|forward-.*-file|(tls|store|stores|virtuoso|sparql|triplestore)(-.*)?)$`)
	c, _ := readComposition(t, "compose.embedded.yaml")
	for _, s := range settings {
		if want := "${" + s.Env + ":-}"; s.Env != "" && !elsewhere.MatchString(s.Name) && c.Services["embedded"].Environment[s.Env] != want {
			t.Errorf("%s is not passed", s.Env)
		}
	}
}

// The stack is as specified: its ports, its volumes, a required password and an optional
// secret.
func TestComposeIsTheStackOfTheSpecification(t *testing.T) {
	c, text := readComposition(t, "compose.yaml")
	for name, ports := range map[string][]string{
		"backend": {"${SEGRAPH_PUBLISH:-127.0.0.1}:5000:5000", "${SEGRAPH_PUBLISH:-127.0.0.1}:8080:8080"}, "embedded": {"${SEGRAPH_PUBLISH:-127.0.0.1}:5000:5000", "${SEGRAPH_PUBLISH:-127.0.0.1}:8080:8080"},
		"virtuoso": {"127.0.0.1:8890:8890", "127.0.0.1:1111:1111"},
	} {
		s, ok := c.Services[name]
		if !ok || !slices.Equal(s.Ports, ports) {
			t.Errorf("%s has the ports %q, want %q", name, s.Ports, ports)
		}
		if len(s.Volumes) == 0 || s.Image == "" {
			t.Errorf("%s has the volumes %q and the image %q", name, s.Volumes, s.Image)
		}
		for _, v := range s.Volumes {
			if volume, _, _ := strings.Cut(v, ":"); !hasKey(c.Volumes, volume) {
				t.Errorf("%s has the volume %s, which is not declared", name, volume)
			}
		}
		if name != "virtuoso" && (!s.ReadOnly || !slices.Contains(s.CapDrop, "ALL")) {
			t.Errorf("%s may write to its root, or has capabilities", name)
		}
		if (name == "embedded") != slices.Contains(s.Profiles, "embedded") {
			t.Errorf("%s has the profiles %q", name, s.Profiles)
		}
	}
	if !strings.Contains(text, "${TRIPLESTORE_PASSWORD:?") || c.Services["backend"].Environment["SECRET_KEY"] != "${SECRET_KEY:-}" {
		t.Error("TRIPLESTORE_PASSWORD must be required and SECRET_KEY optional")
	}
	if _, alone := readComposition(t, "compose.embedded.yaml"); strings.Contains(alone, "PASSWORD") {
		t.Error("the embedded store needs no password")
	}
}

// Authentication is off without a key, so no port is open to other machines unless somebody asks
// for it, and the guide asks together with a key.
func TestContainersAreForThisMachineUntilThereIsAKey(t *testing.T) {
	for _, path := range []string{"compose.yaml", "compose.embedded.yaml", "compose.fleet.yaml", "compose.dev.yaml"} {
		c, _ := readComposition(t, path)
		for name, s := range c.Services {
			for _, port := range s.Ports {
				if !strings.HasPrefix(port, "127.0.0.1:") && !strings.HasPrefix(port, "${SEGRAPH_PUBLISH:-127.0.0.1}:") {
					t.Errorf("%s: %s publishes %s to all machines", path, name, port)
				}
			}
		}
	}
	guide, err := os.ReadFile("docs/containers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```.*?```").FindAllString(string(guide), -1) {
		if strings.Contains(block, "SEGRAPH_PUBLISH=") && !strings.Contains(block, "SECRET_KEY=$(openssl rand") {
			t.Errorf("the guide opens ports without a key:\n%s", block)
		}
	}
}

// An image of a moving tag is another one tomorrow.
func TestImagesHaveFullVersions(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range append(files, "Dockerfile", "docs/monitoring/README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:\s*image:|FROM(?: --platform=\S+)?) +(\S+)`).FindAllStringSubmatch(string(text), -1) {
			found++
			own := m[1] == "scratch" || m[1] == "ghcr.io/segraph/segraph:latest"
			if !own && !regexp.MustCompile(`:v?\d+\.\d+\.\d+(-\w+)?(@sha256:[0-9a-f]{64})?$`).MatchString(m[1]) {
				t.Errorf("%s: the image %s has no full version", path, m[1])
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d images were found", found)
	}
}

// Virtuoso keeps only 20 characters of the password that its database is created with.
func TestPasswordsThatTheDocsMakeAreNotTooLongForVirtuoso(t *testing.T) {
	made := regexp.MustCompile(`TRIPLESTORE_PASSWORD=\$\(openssl rand -hex (\d+)\)`)
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range append(pages, "README.md", "compose.yaml", "compose.dev.yaml") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range made.FindAllStringSubmatch(string(text), -1) {
			found++
			if bytes, err := strconv.Atoi(m[1]); err != nil || 2*bytes > 20 {
				t.Errorf("%s: %s makes %d characters, want at most 20", page, m[0], 2*bytes)
			}
		}
	}
	if found == 0 {
		t.Error("no page makes a password")
	}
}

// Compose files use only existing settings, and the UI of the development stack is at port
// 5173.
func TestComposeKnowsTheSettings(t *testing.T) {
	suite.OneGoroutine(t)
	for _, path := range []string{"compose.yaml", "compose.embedded.yaml", "compose.fleet.yaml", "compose.dev.yaml"} {
		c, _ := readComposition(t, path)
		for service, s := range c.Services {
			for name := range s.Environment {
				known := slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Env == name })
				if service != "virtuoso" && !known {
					t.Errorf("%s: %s sets %s, which is no setting", path, service, name)
				}
			}
		}
	}
	c, _ := readComposition(t, "compose.dev.yaml")
	if s := c.Services["backend"]; s.Environment["SEGRAPH_UI"] != ":5173" || !slices.Contains(s.Ports, "127.0.0.1:5173:5173") {
		t.Errorf("the development UI is at %q, published as %q", s.Environment["SEGRAPH_UI"], s.Ports)
	}
}

// The image runs as an unprivileged user, has a health check, and is built with a Go
// version that can build it.
func TestTheImageIsWhatItShouldBe(t *testing.T) {
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	file := string(text)
	final := file[strings.LastIndex(file, "\nFROM "):]
	for _, line := range []string{"\nFROM scratch\n", "\nUSER 10001:10001\n", `CMD ["/segraph", "healthcheck"]`, `ENTRYPOINT ["/segraph"]`, "\nENV SEGRAPH_DATA=/data/", "\nENV TMPDIR=/data\n", "\nVOLUME /data\n"} {
		if !strings.Contains(final, line) {
			t.Errorf("the last stage lacks %q", line)
		}
	}
	if !strings.Contains(file, "CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH") {
		t.Error("the program is not built static, or not for the platform of the image")
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	wanted := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	for _, m := range regexp.MustCompile(`golang:(\d+\.\d+)`).FindAllStringSubmatch(file, -1) {
		if m[1] != wanted {
			t.Errorf("an image of Go %s builds what is written for Go %s", m[1], wanted)
		}
	}
}

// Compose accepts both files, and refuses the first without the password. No container
// engine is needed.
func TestComposeTakesItsFiles(t *testing.T) {
	suite.OneGoroutine(t)
	if err := exec.Command("docker", "compose", "version").Run(); err != nil {
		t.Skip("no Compose plugin here; the other tests read the files as YAML")
	}
	run := func(password, path string) error {
		cmd := exec.Command("docker", "compose", "--file", path, "--profile", "*", "config", "--quiet")
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "TRIPLESTORE_PASSWORD=") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		if password != "" {
			cmd.Env = append(cmd.Env, "TRIPLESTORE_PASSWORD="+password)
		}
		return cmd.Run()
	}
	for _, path := range []string{"compose.yaml", "compose.dev.yaml"} {
		if err := run("x", path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{"compose.embedded.yaml", "compose.fleet.yaml"} {
		if err := run("", path); err != nil {
			t.Errorf("%s without a password: %v", path, err)
		}
	}
	if err := run("", "compose.yaml"); err == nil {
		t.Error("without TRIPLESTORE_PASSWORD Compose takes compose.yaml")
	}
}

func hasKey[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}

// What docs/containers.md says works with what is here: nothing pushes an image, so none can be pulled, and inline configs need
// Compose 2.23.1. A unit that lets the service listen below port 1024 must leave it the capabilities of the machine.
func TestOperatorsAreToldWhatWorks(t *testing.T) {
	text := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	containers := text("docs/containers.md")
	if strings.Contains(containers, "compose pull") || !strings.Contains(containers, "compose build --pull") {
		t.Error("docs/containers.md does not say how to build a newer version")
	}
	if strings.Contains(text("compose.fleet.yaml"), "    content: |") && !strings.Contains(containers, "plugin 2.23.1,") {
		t.Error("docs/containers.md does not name the Compose that inline configs need")
	}
	if strings.Contains(text("cli/segraph.service"), "PrivateUsers=yes") && !strings.Contains(text("docs/operations.md"), "`CAP_NET_BIND_SERVICE` in the unit, and `PrivateUsers=no`") {
		t.Error("docs/operations.md does not say what a port below 1024 needs")
	}
}
