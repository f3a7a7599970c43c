package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/journal"
)

// schema1 names files that the last program with schema 1 wrote. Each holds two logs and
// 81 observations: 40 were matched, and one has a pending case. One file was closed. The
// program of the other was killed while all its decisions were deferred.
var schema1 = []string{"closed", "killed"}

// mirrored counts the observations, contexts and matches in the graph of contexts.
const mirrored = `SELECT (COUNT(DISTINCT ?context) AS ?contexts) (COUNT(DISTINCT ?match) AS ?matches) (COUNT(DISTINCT ?seen) AS ?observations)
{ GRAPH <urn:segraph:contexts> {
	{ ?context a <urn:segraph:ns#SharedContext> } UNION { ?match a <urn:segraph:ns#Match> } UNION { ?seen a <urn:segraph:ns#Observation> } } }`

// Commands that only read a file see all of an old file and leave it valid.
func TestAFileOfSchema1IsReadAsItIs(t *testing.T) {
	t.Parallel()
	for _, name := range schema1 {
		dir := t.TempDir()
		unzip(t, "testdata/schema1-"+name+".db.gz", filepath.Join(dir, "segraph.db"))
		if r := command(t, dir, nil, "", "query", "--format", "csv", mirrored); r.code != 0 || !strings.HasSuffix(strings.TrimSpace(r.stdout), "41,40,81") {
			t.Errorf("%s: query: %d %s%s", name, r.code, r.stdout, r.stderr)
		}
		if r := command(t, dir, nil, "", "dump"); r.code != 0 || !strings.Contains(r.stdout, `"Guten Tag"@de`) {
			t.Errorf("%s: dump: %d %s%s", name, r.code, r.stdout, r.stderr)
		}
		if r := command(t, dir, nil, "", "check"); r.code != 0 || !strings.Contains(r.stdout, "2 journal entries") {
			t.Errorf("%s: check: %d %s%s", name, r.code, r.stdout, r.stderr)
		}
	}
}

// An old file is served with every decision, and after a kill with every new one too.
func TestAFileOfSchema1IsServed(t *testing.T) {
	t.Parallel()
	if storeSettings(t) != nil {
		t.Skip("the files were written without a graph store")
	}
	for _, name := range schema1 {
		dir := t.TempDir()
		unzip(t, "testdata/schema1-"+name+".db.gz", filepath.Join(dir, "segraph.db"))
		s := serve(t, dir, nil)
		third := s.resolved(`{"event_kind":"human_utterance","observed_at":"2026-02-11T09:48:13.400Z","subject_uri":"http://ex/human/maria",` +
			`"modality":"speech","text":"Could you show me the news of minute 48?","robot_uri":"http://ex/robot/pepper"}`)
		if third.Outcome != "matched" || s.pendingReviews() != 1 {
			t.Errorf("%s: a third robot's report is %+v, with %d cases waiting", name, third, s.pendingReviews())
		}
		s.kill()
		s = serve(t, dir, nil)
		if got := string(s.query(mirrored, "csv").body); !strings.HasSuffix(strings.TrimSpace(got), "41,41,82") {
			t.Errorf("%s: %s", name, got)
		}
		s.stop()
		if r := command(t, dir, nil, "", "check"); r.code != 0 {
			t.Errorf("%s: check: %d %s", name, r.code, r.stderr)
		}
	}
}

// A backup with the old schema can replace a file, and its contents can be imported after
// a deletion.
func TestABackupOfSchema1IsRestoredAndImported(t *testing.T) {
	t.Parallel()
	for _, name := range schema1 {
		dir := t.TempDir()
		path, backup := filepath.Join(dir, "segraph.db"), filepath.Join(dir, "old.db")
		unzip(t, "testdata/schema1-"+name+".db.gz", backup)
		if r := command(t, dir, nil, "", "restore", backup); r.code != 0 {
			t.Fatalf("%s: restore: %d %s", name, r.code, r.stderr)
		}
		reread := func(want string) {
			t.Helper()
			if r := command(t, dir, nil, "", "query", "--format", "csv", mirrored); r.code != 0 || !strings.HasSuffix(strings.TrimSpace(r.stdout), want) {
				t.Errorf("%s: query: %d %s%s, want %s", name, r.code, r.stdout, r.stderr, want)
			}
		}
		reread("41,40,81")
		s, err := persist.Open(path, persist.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := resolver.Open(s.Contexts(), resolver.Options{Settings: resolver.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		g := persist.ResolvedGraph{Graph: s, Store: s, Resolver: r}
		if _, err := g.Clear(t.Context(), true, journal.Entry{LogID: journal.NewLogID(), Action: journal.Clear, Actor: "eva"}); err != nil {
			t.Fatal(err)
		}
		back, err := g.ImportBackup(t.Context(), backup, journal.Entry{LogID: journal.NewLogID(), Action: journal.Import, Actor: "eva"})
		if err != nil || !back.Contexts || back.Added != 7 { // of 8, two differ only in the case of a language tag
			t.Errorf("%s: imported %+v, %v", name, back, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		reread("41,40,81")
		checkFile(t, path)
	}
}
