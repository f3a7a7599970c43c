package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// A dry run lists each topic with its rule, and says which are ignored or of no rule. It stores nothing.
func TestADryRunOfAnImport(t *testing.T) {
	kit := suite.Shared(t, "data", "mcap")
	museum := filepath.Join(suite.Root(t), "docs", "examples", "museum.map.yaml")
	t.Chdir(t.TempDir())
	got := segraph("", nil, "import", "--dry-run", "--map", museum, filepath.Join(kit, "museum.mcap"))
	if got.code != 0 || got.stderr != "" || strings.Count(got.stdout, "\n") != 53 {
		t.Fatalf("%+v", got)
	}
	plain := strings.Join(strings.Fields(got.stdout), " ")
	for _, want := range []string{"TOPIC TYPE MESSAGES RULE TELLS", "/iris/decision std_msgs/String 14 decided, done 7 decided, 7 done",
		"/iris/odom nav_msgs/Odometry 12000 - ignored", "/iris/humans/interactions/gaze hri_msgs/Gaze 166 - no rule", "/otto/emergency_stop std_msgs/Bool 1200 stopped 4 stopped"} {
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
