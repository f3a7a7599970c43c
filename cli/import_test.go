package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/robot/mapping"
	"github.com/segraph/segraph/service"
)

// A dry run lists each topic with its rule, and says which are ignored or of no rule. It stores nothing.
func TestADryRunOfAnImport(t *testing.T) {
	kit := suite.Shared(t, "data", "mcap")
	museum := filepath.Join(suite.Root(t), "docs", "examples", "museum.map.yaml")
	t.Chdir(t.TempDir())
	got := segraph("", nil, "import", "--dry-run", "--map", museum, filepath.Join(kit, "museum.mcap"))
	if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "\n") != 55 {
		t.Fatalf("%+v", got)
	}
	plain := strings.Join(strings.Fields(got.stdout), " ")
	for _, want := range []string{"TOPIC TYPE MESSAGES RULE TELLS", "/iris/decision std_msgs/String 14 decided, done 7 decided, 7 done",
		"/iris/odom nav_msgs/Odometry 12000 - ignored", "/iris/humans/interactions/gaze hri_msgs/Gaze 166 - no rule", "/otto/emergency_stop std_msgs/Bool 1200 stopped 4 stopped",
		"one person: https://museum.example/person/iris/vol1 and https://museum.example/person/otto/vol1"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is missing in\n%s", want, got.stdout)
		}
	}
	if _, err := os.Stat("segraph.db"); err == nil {
		t.Error("there is a file")
	}
	// Without a map, one robot has the built-in rules.
	got = segraph("", nil, "import", "--dry-run", filepath.Join(kit, "iris-lz4.mcap"))
	if plain := strings.Join(strings.Fields(got.stdout), " "); got.code != 0 || !strings.Contains(plain, "/decision std_msgs/String 6 - no rule") || !strings.Contains(plain, "hri_msgs/LiveSpeech 6 heard 2 heard") {
		t.Errorf("%+v", got)
	}
}

// A cut bag is imported as far as it goes, with a warning. The whole one adds what is missing.
func TestAnImportOfACutBag(t *testing.T) {
	kit := suite.Shared(t, "data", "mcap")
	t.Chdir(t.TempDir())
	got := segraph("", nil, "import", filepath.Join(kit, "iris-cut.mcap"))
	if got.code != 0 || !strings.Contains(got.stderr, "iris-cut.mcap: the file was cut: it ends at byte 51281, inside the record that begins at byte ") || !strings.Contains(got.stderr, "the 1,123 messages before were read") {
		t.Errorf("%+v", got)
	}
	if got := segraph("", nil, "import", filepath.Join(kit, "iris-lz4.mcap"), filepath.Join(kit, "iris-cut.mcap")); got.code != 0 {
		t.Errorf("%+v", got)
	}
	const heard = "SELECT (COUNT(*) AS ?n) { ?a a <http://kb.openrobots.org#ListeningEvent> }"
	if got := segraph("", nil, "query", "--format", "csv", heard); !strings.HasSuffix(strings.TrimSpace(got.stdout), "\n8") {
		t.Errorf("%+v", got)
	}
}

// An import decides which names are one person's, once, and stores the events of the museum as its README counts them.
func TestAnImportDecidesOnThePeopleOfItsMap(t *testing.T) {
	suite.NotShort(t)
	bag := filepath.Join(suite.Shared(t, "data", "mcap"), "museum.mcap")
	museum := filepath.Join(suite.Root(t), "docs", "examples", "museum.map.yaml")
	t.Chdir(t.TempDir())
	if got := segraph("", nil, "import", "--map", museum, bag); got.code != 0 || !strings.Contains(got.stdout, ", 6 matched, 8 to review") {
		t.Errorf("%+v", got)
	}
	if got := segraph("", nil, "import", "--map", museum, bag); got.code != 0 || !strings.HasPrefix(got.stdout, "0 logs stored, 0 triples new; 161 stored before\n") {
		t.Errorf("%+v", got)
	}
	const same = "SELECT ?b { GRAPH <urn:segraph:contexts> { ?a <http://www.w3.org/2002/07/owl#sameAs> ?b } } ORDER BY ?b"
	if got := segraph("", nil, "query", "--format", "csv", same); strings.Join(strings.Fields(got.stdout), " ") != "b https://museum.example/person/otto/vol1 https://museum.example/person/otto/vol2" {
		t.Errorf("%+v", got)
	}
	if m, err := readMap(museum); err != nil || !strings.HasPrefix(m.about, "the map museum.map.yaml says so (SHA-256 ") {
		t.Errorf("the reason is %q, %v", m.about, err)
	}
}

// What somebody has decided on the people of a map stands, and a service may refuse the decision.
func TestDecisionsOnPeopleThatFail(t *testing.T) {
	m, err := mapping.Parse("version: 1\nrobots: {a: {topics: /a}, b: {topics: /b}}\npeople: {eva: {same: [a/1, b/1]}}")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		names int
		err   error
		want  string
	}{
		{2, nil, ""},
		{1, nil, "the map says that urn:segraph:person/a/1 and urn:segraph:person/b/1 are one person, but somebody has decided otherwise"},
		{0, answered{http.StatusForbidden, errors.New("it requires the role admin")}, "which an admin has to decide: it requires the role admin"},
		{0, &service.Error{Kind: service.Conflict, Detail: "This names somebody who was erased."}, "which an admin has to decide: This names somebody who was erased."},
		{0, &resolver.Error{Code: resolver.Invalid, Detail: "too many names"}, "which an admin has to decide: too many names"},
		{0, &service.Error{Kind: service.Unavailable, Detail: "not now"}, "deciding on the people of the map: not now"},
		{0, errors.New("not now, the disk is gone"), "deciding on the people of the map: not now"},
		{0, answered{http.StatusServiceUnavailable, errors.New("not now")}, "deciding on the people of the map: not now"},
		{0, answered{http.StatusUnauthorized, errors.New("not now, without a token")}, "deciding on the people of the map: not now"},
	} {
		var stderr bytes.Buffer
		err := (&program{stderr: &stderr}).decidePeople(t.Context(), &robotMap{m, "why"}, func(_ context.Context, d resolver.PersonDecision) (*resolver.Person, error) {
			if !d.One || !d.Standing || d.Reason != "why" {
				t.Errorf("%+v", d)
			}
			return &resolver.Person{SubjectURIs: d.Subjects[:tt.names]}, tt.err
		})
		if err != nil {
			stderr.WriteString(err.Error())
		}
		if got := stderr.String(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" || (err != nil) != strings.Contains(tt.want, "not now") {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestAnImportThatCanNotBeDoneSaysWhy(t *testing.T) {
	bag := filepath.Join(suite.Shared(t, "data", "mcap"), "otto-none.mcap")
	folder(t, map[string]string{"a.map.yaml": "version: 1\ntopics: {/say: {sayd: {}}}", "empty.yaml": "", "a.mcap": "no bag"})
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "which bags?"},
		{[]string{"none.mcap"}, exitFailed, "none.mcap"},
		{[]string{"a.mcap"}, exitFailed, "reading a.mcap: it is no MCAP file"},
		{[]string{"--map", "none.yaml", "a.mcap"}, exitFailed, "reading the map: open none.yaml"},
		{[]string{"--map", "a.map.yaml", "a.mcap"}, exitUsage, `the map a.map.yaml: line 2: topic /say: "sayd" is unknown`},
		{[]string{"--map", "empty.yaml", "a.mcap"}, exitUsage, "the map empty.yaml: it is empty"},
	} {
		got := segraph("", nil, append([]string{"import"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%q: %+v; want exit %d and %q", tt.args, got, tt.code, tt.want)
		}
	}
	if got := segraph("", nil, "import", "--url", "http://127.0.0.1:1", bag); got.code != exitFailed || !strings.Contains(got.stderr, "Import again to go on: nothing is stored twice") {
		t.Errorf("%+v", got)
	}
}

// An import that is refused halfway says so once, and what it stored, and does not try again.
func TestAnImportThatIsRefusedHalfwaySaysWhatItStored(t *testing.T) {
	museum := filepath.Join(suite.Root(t), "docs", "examples", "museum.map.yaml")
	bag, err := os.ReadFile(filepath.Join(suite.Shared(t, "data", "mcap"), "museum.mcap"))
	if err != nil {
		t.Fatal(err)
	}
	folder(t, map[string]string{"a.mcap": string(bag), "b.mcap": string(bag)})
	batches := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != service.LinesPath {
			w.WriteHeader(http.StatusForbidden)
		} else if batches++; batches > 1 {
			w.WriteHeader(http.StatusUnauthorized)
		} else {
			_, _ = io.WriteString(w, strings.Repeat(`{"status": 201, "added": 2}`+"\n", batchLines))
		}
	}))
	defer server.Close()
	got := segraph("", nil, "import", "--url", server.URL, "--map", museum, "a.mcap", "b.mcap")
	if got.code != exitFailed || batches != 2 || !strings.HasPrefix(got.stdout, "200 logs stored, 400 triples new\n") || strings.Count(got.stderr, "storing logs") != 1 {
		t.Errorf("after %d batches: %+v", batches, got)
	}
}

// An import says which topics and messages it had to leave out, and fails.
func TestAnImportThatIsNotCompleteFails(t *testing.T) {
	bag := filepath.Join(suite.Shared(t, "data", "mcap"), "otto-none.mcap")
	folder(t, map[string]string{
		"type.yaml": "version: 1\ntopics: {/say: {said: {text: dta}}}",
		"json.yaml": "version: 1\ntopics: {/say: {parse: {data: json}, said: {text: data.x}}}",
	})
	for file, want := range map[string]string{"type.yaml": "/say was not read: std_msgs/String has no field dta; it has data", "json.yaml": "that can't be read; the first: otto-none.mcap: a message of /say"} {
		for _, dry := range []string{"--dry-run=true", "--dry-run=false"} {
			if got := segraph("", nil, "import", dry, "--map", file, bag); got.code != exitFailed || !strings.Contains(got.stderr, want) {
				t.Errorf("%s %s: %d %s", file, dry, got.code, got.stderr)
			}
		}
	}
}
