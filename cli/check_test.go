package cli

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

func TestCheckTellsGoodFromDamaged(t *testing.T) {
	loaded(t, greetings)
	for _, args := range [][]string{{"check"}, {"check", "segraph.db"}, {"check", "--data", "segraph.db"}} {
		if got := segraph("", nil, args...); got.code != exitOK || !strings.Contains(got.stdout, "is good: ") || !strings.Contains(got.stdout, "1 journal entry (") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if got := segraph("", nil, "check", "a", "b"); got.code != exitUsage {
		t.Errorf("two files: %+v", got)
	}
	if got := segraph("", nil, "check", "none.db"); got.code != exitFailed || !strings.Contains(got.stderr, "none.db") {
		t.Errorf("no file: %+v", got)
	}
	change(t, func(tx *bolt.Tx) error {
		dict := tx.Bucket([]byte("dict"))
		return dict.Put([]byte("next"), append([]byte{1}, dict.Get([]byte("next"))[1:]...))
	})
	if got := segraph("", nil, "check"); got.code != exitDamaged || !strings.Contains(got.stderr, "counters") || !strings.Contains(got.stderr, "backup") {
		t.Errorf("a damaged file: %+v", got)
	}
	if err := os.WriteFile("text.db", []byte(greetings), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := segraph("", nil, "check", "text.db"); got.code != exitDamaged {
		t.Errorf("no file of ours: %+v", got)
	}
}

// Copies of the file are searched too, also where its name is a pattern for a shell.
func TestCheckLooksForATextInCopies(t *testing.T) {
	t.Chdir(t.TempDir())
	const data = "a[1]?.db"
	if got := segraph(visit, nil, "load", "--data", data, "--format", "turtle", "-"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	bytes, err := os.ReadFile(data)
	if err = errors.Join(err, os.Mkdir(data+".snapshots", 0o700)); err != nil {
		t.Fatal(err)
	}
	copies := []string{filepath.Join(data+".snapshots", "segraph-x.db"), data + ".before-restore-20261129T120000.000Z"}
	for _, path := range copies {
		if err := os.WriteFile(path, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := segraph("", nil, "check", "--forgotten", "urn:x:maria", data)
	if got.code != exitFailed || !strings.Contains(got.stdout, "\n"+copies[0]+": ") || !strings.Contains(got.stdout, "\n"+copies[1]+": ") {
		t.Errorf("%+v", got)
	}
	for _, left := range []string{filepath.Join(data+".snapshots", ".new-1"), data + ".restoring-1", data + ".compacting-1"} {
		if err := os.WriteFile(left, bytes[:len(bytes)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := segraph("", nil, "check", "--forgotten", "urn:x:nobody", data); got.code != exitFailed || !strings.Contains(got.stderr, left) {
			t.Errorf("%+v", got)
		}
		if err := os.Remove(left); err != nil {
			t.Fatal(err)
		}
	}
	if got := segraph("", nil, "check", "--forgotten", "urn:x:nobody", data); got.code != exitOK {
		t.Errorf("%+v", got)
	}
}

// change edits segraph.db directly, bypassing the program.
func change(t *testing.T, do func(*bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open("segraph.db", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(do); err != nil {
		t.Fatal(err)
	}
}

func TestAuditVerifiesTheJournalUpToAHead(t *testing.T) {
	t.Chdir(t.TempDir())
	load := func() {
		t.Helper()
		if got := segraph(greetings, nil, "load", "-", "--format", "turtle"); got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	verify := func(args ...string) outcome { return segraph("", nil, append([]string{"audit", "verify"}, args...)...) }
	load()
	load()
	got := verify()
	head := regexp.MustCompile(`head (2:[0-9a-f]{64})\n`).FindStringSubmatch(got.stdout)
	if got.code != 0 || head == nil || !strings.Contains(got.stdout, "2 journal entries") {
		t.Fatalf("%+v", got)
	}
	if !regexp.MustCompile(`\ntree 2:[0-9a-f]{64}\n`).MatchString(got.stdout) {
		t.Errorf("the tree is not printed: %+v", got)
	}
	load()
	if got := verify("--head", head[1]); got.code != 0 || !strings.Contains(got.stdout, "3 journal entries") {
		t.Errorf("with an earlier head: %+v", got)
	}
	other := strings.Map(func(r rune) rune {
		if r == 'a' {
			return 'b'
		}
		return r
	}, "2:"+strings.Repeat("a", 64))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a head of another journal": {[]string{"--head", other}, exitDamaged, "noted as the head"},
		"a head beyond the end":     {[]string{"--head", "9" + head[1][1:]}, exitDamaged, "ends with entry 3"},
		"no head":                   {[]string{"--head", "2"}, exitUsage, "is not a head"},
		"half a hash":               {[]string{"--head", head[1][:40]}, exitUsage, "is not a head"},
	} {
		if got := verify(tt.args...); got.code != tt.code || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := segraph("", nil, "audit"); got.code != exitUsage {
		t.Errorf("audit of nothing: %+v", got)
	}
	change(t, func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("journal"))
		k := binary.BigEndian.AppendUint64(nil, 2)
		return b.Put(k, []byte(strings.Replace(string(b.Get(k)), `"added":0`, `"added":9`, 1)))
	})
	if got := verify(); got.code != exitDamaged || !strings.Contains(got.stderr, "entry 3") {
		t.Errorf("an edited entry: %+v", got)
	}
}
