package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// TestTheCPPClient compiles clients/cpp, kills a robot that has no service, and starts it again with one. What each
// call logged is stored once, but for a line that the disk damaged.
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
	// Where localedef can make it, the robot has a locale with decimal commas.
	locale, environment := filepath.Join(dir, "de_DE.UTF-8"), os.Environ()
	if err := exec.Command("localedef", "-i", "de_DE", "-f", "UTF-8", locale).Run(); err == nil {
		environment = append(environment, "LOCPATH="+dir, "LC_ALL=de_DE.UTF-8")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}

	const killed = 200
	returned, slot := [3]int{}, filepath.Join(dir, "queue", "0")
	for run := range returned {
		robot := exec.Command(program, "http://"+address, filepath.Join(dir, "queue"), "100000000")
		robot.Env = environment
		stdout, err := robot.StdoutPipe()
		if err == nil {
			err = robot.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if returned[run]++; returned[run] == killed {
				if err := robot.Process.Kill(); err != nil {
					t.Error(err)
				}
			}
		}
		_ = robot.Wait() // it was killed
		switch run {
		case 0:
			err = os.Rename(slot, filepath.Join(dir, "left"))
		case 1: // a power cut: the position reached the disk, and the lines before it did not
			var log []byte
			log, err = os.ReadFile(filepath.Join(slot, "00000001.log"))
			edit(t, filepath.Join(slot, "00000001.log"), bytes.Replace(log, []byte(`"sentence 100"`), []byte(`"sentence 1OO"`), 1))
			edit(t, filepath.Join(slot, "sent"), fmt.Appendf(nil, "1 %d\n", len(log)+1000))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, "left"), filepath.Join(dir, "queue", "7")); err != nil { // another process left this
		t.Fatal(err)
	}
	edit(t, filepath.Join(slot, "refused.jsonl"), make([]byte, 16<<20))

	s := serve(t, filepath.Join(dir), nil, "--api", address)
	token, tokens := filepath.Join(dir, "queue.token"), sync.Map{}
	edit(t, token, []byte(" first\r\n"))
	behind := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = "http", address
		tokens.Store(r.In.Header.Get("Authorization"), true)
		edit(t, token, []byte("second"))
	}}
	proxy := httptest.NewServer(behind)
	t.Cleanup(proxy.Close)
	last := exec.Command(program, proxy.URL, filepath.Join(dir, "queue"), "500")
	last.Env = environment
	out, err := last.Output()
	if err != nil || !strings.HasSuffix(string(out), " dropped 1 refused 8 \n") {
		t.Errorf("the robot ends with %v: %.200s", err, out[max(0, len(out)-700):])
	}
	for _, want := range []string{"Bearer first", "Bearer second"} {
		if _, sent := tokens.Load(want); !sent {
			t.Errorf("%s is not sent", want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "queue", "*", "*.log")); err != nil || len(left) > 0 {
		t.Errorf("%v; the queues are %v, although all is sent", err, left)
	}
	refused, err := os.ReadFile(filepath.Join(slot, "refused.jsonl"))
	if err != nil || strings.Count(string(refused), "nonsense") < 2 || len(refused) > 1<<20 {
		t.Errorf("%v; refused were %.1000s", err, refused)
	}
	for file, want := range map[string]os.FileMode{filepath.Join(slot, "refused.jsonl"): 0o600, slot: 0o700} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", file, info.Mode(), err)
		}
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
	for i := range max(slices.Max(returned[:]), 500) {
		least := 0
		for run, n := range append(returned[:], 500) {
			if i < n && (run != 1 || i != 100) {
				least++
			}
		}
		most := least
		if slices.Contains(returned[:], i) { // the calls of the kills
			most += len(returned)
		}
		if n := stored[fmt.Sprint("sentence ", i)]; n < least || n > most {
			t.Errorf("sentence %d is stored %d times, want %d", i, n, least)
		}
	}
	if stored["said by a child"] != 1 || stored["without free descriptors"] != 1 {
		t.Errorf("what a forked child said is stored %d times, and what was said without free descriptors %d times",
			stored["said by a child"], stored["without free descriptors"])
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?s ?p ?v FILTER(STR(?v) = "1.7") }`); n != 0 {
		t.Errorf("a confidence of 1.7 is stored %d times", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?p <http://schema.org/value> ?v FILTER(?v = 4474123.0125432e0) }`); n != 4 {
		t.Errorf("a number of many digits is stored %d times", n)
	}
	const incidents = `SELECT (COUNT(*) AS ?n) { ?i a <urn:segraph:ns#Incident> ; <http://www.w3.org/2000/01/rdf-schema#label> ?l FILTER(CONTAINS(?l, " events were refused: ")) }`
	if n := s.count(incidents); n < 1 || n > 3 {
		t.Errorf("%d incidents say that lines were refused", n)
	}
	if n := stored["You are \"late\"!\n\ufffd\u00e9"]; n != 4 || stored["far away"] != 4 {
		t.Errorf("odd texts are stored as %.500q", fmt.Sprint(stored))
	}
	for _, answer := range s.rows(`SELECT ?a { ?m ` + text + ` "I am sorry." ; ` + by + ` ?a }`) {
		wantWhy(t, s, answer, "Iris said “I am sorry.”", "Iris decided: “apologize”", "Iris recognized anger")
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?a a <http://kb.openrobots.org#DetectedHumanEvent> ; <http://schema.org/about> ?e . ?e a <http://schema.org/Event> }`); n != 8 {
		t.Errorf("%d events of people that were seen", n)
	}
	for _, text := range []string{"before a harm", "after a truncation", "after a removal", "after a torn end"} {
		if stored[text] != 1 {
			t.Errorf("%q is stored %d times", text, stored[text])
		}
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?m ` + text + ` "Me voy."@es-ES ; ` + by + ` ?a . ?a <http://www.gsi.upm.es/ontologies/segb/ns#triggeredByEntity> ?s }`); n != 1 {
		t.Errorf("%d sentences in Spanish have a state as their cause", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { <https://museum.example/person/maria> a <http://kb.openrobots.org#Human> }`); n != 1 {
		t.Errorf("who is named is logged as %d people", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { <https://museum.example/person/ida> <http://schema.org/name> "Ida" }`); n != 1 {
		t.Error("a person whose line was lost is not logged again")
	}
	const event = `?e a <https://museum.example/class/Handover> ; <http://www.gsi.upm.es/ontologies/segb/ns#usedMLModel> ?m ;
		<http://www.w3.org/ns/prov#startedAtTime> "2026-02-11T08:53:20.000000Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; <http://www.w3.org/ns/prov#endedAtTime> ?u ;
		<http://schema.org/about>/<http://schema.org/about> [ <http://schema.org/name> "Otto" ] . ?m <http://schema.org/version> "2" ; <http://schema.org/provider>/<http://schema.org/name> "acme"`
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ` + event + ` }`); n != 4 {
		t.Errorf("%d events have their class, person, model and times", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?p <http://schema.org/propertyID> "option2" ; <http://schema.org/value> "right" }`); n != 4 {
		t.Errorf("%d decisions have their second option", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?e a <http://schema.org/Event> ; <http://schema.org/propertyID> ?id }`); n != 0 {
		t.Errorf("%d events are properties, too", n)
	}
	for _, integer := range []string{"1767225600123456789", "18446744073709551615"} {
		if n := s.count(`SELECT (COUNT(*) AS ?n) { ?p <http://schema.org/value> ` + integer + ` }`); n != 4 {
			t.Errorf("%s is stored %d times", integer, n)
		}
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?e <http://www.gsi.upm.es/ontologies/onyx/ns#hasEmotionCategory> ?c FILTER(CONTAINS(STR(?c), "big6_happiness")) }`); n != 4 {
		t.Errorf("%d emotions are happiness", n)
	}
	for _, intensity := range []string{"1.0", "0.8"} {
		if n := s.count(`SELECT (COUNT(*) AS ?n) { ?e <http://www.gsi.upm.es/ontologies/onyx/ns#hasEmotionIntensity> ?i FILTER(STR(?i) = "` + intensity + `") }`); n != 4 {
			t.Errorf("%d emotions have an intensity of %s", n, intensity)
		}
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?a a <https://museum.example/class/B%C3%BCro%3A%2F%2Fx> }`); n != 4 {
		t.Errorf("%d events have a class whose name is no IRI", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?m ` + text + ` "after a torn end" ; ` + by + ` ?a FILTER(STRSTARTS(STR(?a), "https://museum.example/robots/luna/said/")) }`); n != 1 {
		t.Error("what a robot whose id is an IRI logs is not below it")
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { ?a <http://www.w3.org/2000/01/rdf-schema#label> "saw a red cup" ; <http://schema.org/about> ?e }`); n != 4 {
		t.Errorf("%d things were seen", n)
	}
	if n := s.count(`SELECT (COUNT(*) AS ?n) { <https://museum.example/robot/iris/person/p1> a <http://kb.openrobots.org#Human> }`); n != 1 {
		t.Errorf("a person of the robot's own is logged as %d people", n)
	}
}

func edit(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Error(err)
	}
}
