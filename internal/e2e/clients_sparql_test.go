package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

const clientsData = `@prefix e: <http://e/> .
e:m1 a e:Message ; e:text "Hello"@en, "¡Hola!"@es-419 ;
	e:sender [ a e:Robot ; e:battery 0.80 ; e:list (1 "two" e:three) ] .
`

// TestSPARQLClients runs unmodified SPARQL clients, with one process for each language.
// Each line of a program's output has a client, its version, its action, and the result.
// docs/clients.md lists the clients.
func TestSPARQLClients(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	if a := s.publish(clientsData, "ari"); a.status != 201 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	folder, err := filepath.Abs(filepath.Join("testdata", "clients"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(suite.Root(t), "docs", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string]func(t *testing.T) *exec.Cmd{
		"Python": func(t *testing.T) *exec.Cmd {
			return exec.Command(client(t, "venv", "bin", "python"), filepath.Join(folder, "clients.py"), s.api)
		},
		"JavaScript": func(t *testing.T) *exec.Cmd {
			script, err := os.ReadFile(filepath.Join(folder, "clients.mjs"))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(interpreter(t, "node"), "--input-type=module", "-", s.api)
			cmd.Dir, cmd.Stdin = filepath.Dir(client(t, "node", "node_modules")), bytes.NewReader(script)
			return cmd
		},
		"Java": func(t *testing.T) *exec.Cmd {
			jars := servers.FusekiJar(t) + string(os.PathListSeparator) + filepath.Join(client(t, "java"), "*")
			return exec.Command(interpreter(t, "java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", jars, filepath.Join(folder, "Clients.java"), s.api)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var problems bytes.Buffer
			cmd := command(t)
			cmd.Stderr = &problems
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &problems)
			}
			compareClients(t, s.api, string(out), clientResults[name], string(page))
		})
	}
}

// interpreter returns the path of name in PATH, or skips the test without it.
func interpreter(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		suite.Missing(t, err.Error())
	}
	return path
}

// client returns the path of a client that .ci/tools installs from testdata/clients.
func client(t *testing.T, elem ...string) string {
	t.Helper()
	folder := os.Getenv("SEGRAPH_CLIENTS")
	if home, err := os.UserHomeDir(); folder == "" && err == nil {
		folder = filepath.Join(home, ".cache", "segraph-clients")
	}
	path := filepath.Join(append([]string{folder}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		suite.Missing(t, "no clients: run .ci/tools, or set SEGRAPH_CLIENTS to their folder: "+err.Error())
	}
	return path
}

// compareClients compares a program's output with the wanted lines, without the versions,
// and checks that the page names each client with its version.
func compareClients(t *testing.T, api, out, want, page string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 4 {
			t.Errorf("a line of %d fields: %q", len(fields), line)
			continue
		}
		got = append(got, strings.ReplaceAll(strings.Join([]string{fields[0], fields[2], fields[3]}, " | "), api, "API"))
		if row := fmt.Sprintf("| %s | %s |", fields[0], fields[1]); !strings.Contains(page, row) {
			t.Errorf("docs/clients.md has no row %q", row)
		}
	}
	if list := strings.Join(got, "\n"); list != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", list, want)
	}
}
