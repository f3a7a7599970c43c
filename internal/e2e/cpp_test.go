package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestTheCPPClient compiles clients/cpp, kills a robot that has no service, and starts it again with one. What each call
// logged is stored once.
func TestTheCPPClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, source := filepath.Join(dir, "robot"), filepath.Join(suite.Root(t), "clients", "cpp")
	header := exec.Command("g++", "-fsyntax-only", "-x", "c++", "-include", "curl/curl.h", "/dev/null")
	if out, err := header.CombinedOutput(); err != nil {
		suite.Missing(t, "no g++ with libcurl: apt-get install g++ libcurl4-openssl-dev: "+string(out))
	}
	build := exec.Command("g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I", source, "-o", program,
		filepath.Join(source, "tests", "robot.cpp"), "-lcurl", "-pthread")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}

	const killed = 300
	first := exec.Command(program, "http://"+address, filepath.Join(dir, "queue"), "100000000")
	stdout, err := first.StdoutPipe()
	if err == nil {
		err = first.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	returned, lines := 0, bufio.NewScanner(stdout)
	for lines.Scan() {
		if returned++; returned == killed {
			if err := first.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = first.Wait() // it was killed

	s := serve(t, filepath.Join(dir), nil, "--api", address)
	out, err := exec.Command(program, s.api, filepath.Join(dir, "queue"), "500").Output()
	if err != nil || !strings.HasSuffix(string(out), " dropped 0 refused 4 \n") {
		t.Errorf("the robot ends with %v: %.200s", err, out[max(0, len(out)-100):])
	}
	refused, err := os.ReadFile(filepath.Join(dir, "queue", "0", "refused.jsonl"))
	if err != nil || strings.Count(string(refused), "nonsense") < 2 {
		t.Errorf("%v; refused were %s", err, refused)
	}
	const text, by = "<http://schema.org/text>", "<http://www.w3.org/ns/prov#wasGeneratedBy>"
	stored := map[string]int{}
	for _, row := range s.rows(`SELECT ?t (COUNT(?m) AS ?n) { ?m ` + text + ` ?t } GROUP BY ?t`) {
		i, n := strings.LastIndex(row, " "), 0
		if _, err := fmt.Sscan(row[i:], &n); err != nil {
			t.Fatal(err)
		}
		stored[row[:i]] = n
	}
	for i := range max(returned, 500) {
		want := 0
		if i < returned {
			want++
		}
		if i < 500 {
			want++
		}
		if n := stored[fmt.Sprint("sentence ", i)]; n != want && (i != returned || n != want+1) {
			t.Errorf("sentence %d is stored %d times, want %d", i, n, want)
		}
	}
	if stored["said by a child"] != 1 {
		t.Errorf("what a forked child said is stored %d times", stored["said by a child"])
	}
	const incidents = `SELECT (COUNT(*) AS ?n) { ?i a <urn:segraph:ns#Incident> ; <http://www.w3.org/2000/01/rdf-schema#label> ?l FILTER(CONTAINS(?l, " events were refused: ")) }`
	if n := s.count(incidents); n < 1 || n > 3 {
		t.Errorf("%d incidents say that lines were refused", n)
	}
	if n := stored["You are \"late\"!\n\ufffd\u00e9"]; n != 2 || stored["far away"] != 2 {
		t.Errorf("odd texts are stored as %.500q", fmt.Sprint(stored))
	}
	for _, answer := range s.rows(`SELECT ?a { ?m ` + text + ` "I am sorry." ; ` + by + ` ?a }`) {
		wantWhy(t, s, answer, "Iris said “I am sorry.”", "Iris decided: “apologize”", "Iris recognized anger")
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?a a <http://kb.openrobots.org#DetectedHumanEvent> ; <http://schema.org/about> ?e . ?e a <http://schema.org/Event> }`); n != 4 {
		t.Errorf("%d events of people that were seen", n)
	}
}
