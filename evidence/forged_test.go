package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

// These tests sign false bundles with the log's key, as its operator can.

// forged signs a bundle whose claim f has changed, with the page that fits the new claim.
func (k *kit) forged(t *testing.T, m members, f func(*Claim)) members {
	t.Helper()
	m = maps.Clone(m)
	change(t, m, f)
	c, err := m.decode()
	k.check(err)
	m[pageName] = page(c)
	k.resign(m)
	return m
}

// refused fails the test unless both programs refuse each bundle, and both name a member.
func (k *kit) refused(member string, all ...members) {
	k.Helper()
	said := k.python(all)
	for i, m := range all {
		if r := k.verify(m); r.Holds != "" || r.Failures[0].Member != member {
			k.Errorf("bundle %d: %q, %v, want a failure of %s", i, r.Holds, r.Failures, member)
		}
		if !strings.HasPrefix(said[i][0], member+": ") {
			k.Errorf("bundle %d: Python says %q, want a failure of %s", i, said[i], member)
		}
	}
}

// A page is compared even if the claim is such that no page can be made from it.
func TestAPageIsComparedWhateverTheClaimSays(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	good := k.bundle(About{Logs: []string{k.publish("ari", greeting)}})
	var lies []members
	for _, lie := range []func(*About){func(a *About) { a.Count = MaxEntries + 1 }, func(a *About) { a.First = 1 << 40 }} {
		m := maps.Clone(good)
		change(t, m, func(c *Claim) { lie(&c.About) })
		m[pageName] = []byte("<p>The robot said that the door is open.")
		k.resign(m)
		lies = append(lies, m)
	}
	k.refused(claimName, lies...)
}

// TestAKeyDoesNotVerifyAnotherLog: the key of a log names that of a log with another name, which has another history. An
// operator has both keys, because a log that begins anew keeps its key file.
func TestAKeyDoesNotVerifyAnotherLog(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.publish("ari", greeting)
	file := k.store.Path() + ".key"
	k.log = translog.New(k.store.Store, translog.Options{KeyFile: file, Origin: "example.org/other"})
	m := k.bundle(About{Logs: []string{id}})
	k.check(k.log.Excerpt(t.Context(), func(x *translog.Excerpt) error {
		text, err := os.ReadFile(filepath.Clean(file))
		k.check(err)
		private, err := translog.ParseKey(text)
		k.check(err)
		signer, err := note.NewSigner("PRIVATE+KEY+example.org/log+" + strings.Split(k.key, "+")[1] + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, private.Seed()...)))
		k.check(err)
		signed, err := note.Sign(&note.Note{Text: "segraph key rotation\n" + x.Key + "\nexample.org/log\n1\n" + base64.StdEncoding.EncodeToString(make([]byte, ed25519.SeedSize)) + "\n"}, signer)
		m[keysName] = keysText([]namedKey{{key: k.key}, {x.Key, string(signed)}})
		return err
	}))
	k.resign(m)
	k.refused(keysName, m)
}

// TestAnIntervalIsProvedUpToTheLastEntry: a checkpoint can be older than a bundle says, and then later entries are missing.
func TestAnIntervalIsProvedUpToTheLastEntry(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.publish("ari", greeting)
	late := func(c *Claim) { c.Made = begin.Add(9 * time.Hour) }
	interval := k.forged(t, k.bundle(About{From: new(begin), To: new(begin.Add(time.Hour))}), late)
	nothing := k.forged(t, k.bundle(About{From: new(begin), To: new(begin.Add(time.Hour)), User: "tiago"}), late)
	after := k.forged(t, k.bundle(About{From: new(begin.Add(time.Hour)), To: new(begin.Add(2 * time.Hour))}), late)
	k.publish("tiago", reply) // at 12:01, and after the checkpoints
	const ends = "; it ends there, so nothing is proved of the time from then to 2100-03-01 13:00:00.000 UTC"
	k.has(k.holds(interval), "has 1 entry from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:00:00.000 UTC, and they are all here"+ends)
	k.has(k.holds(nothing), "has 1 entry from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:00:00.000 UTC, and none of them is a log of “tiago”, by token or by claim"+ends)
	k.has(k.holds(after), "example.org/log ends at 2100-03-01 12:00:00.000 UTC, so nothing is proved of the time from 2100-03-01 13:00:00.000 UTC to 2100-03-01 14:00:00.000 UTC.")
	said := k.python([]members{interval, nothing, after})
	for i, words := range []string{
		"all 1 entries from 2100-03-01T12:00:00Z to 2100-03-01T12:00:00Z are here, where the log ends: nothing is proved from there to 2100-03-01T13:00:00Z",
		"all 1 entries from 2100-03-01T12:00:00Z to 2100-03-01T12:00:00Z are here, where the log ends: nothing is proved from there to 2100-03-01T13:00:00Z",
		"the log ends at 2100-03-01T12:00:00Z: nothing is proved of that time",
	} {
		k.has(said[i][0], "It holds: ", words)
	}
}

// TestEntriesOfOtherTimesAreNotCounted: with all entries of a log, a bundle can be about any two times.
func TestEntriesOfOtherTimesAreNotCounted(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ari := k.robot("ari") // at 12:00
	k.publishSigned("ari", greeting, ari.sign("text/turtle", "", []byte(greeting)))
	k.observe(ari, "http://example.org/ari", "http://example.org/ari")
	all := k.bundle(About{From: new(begin), To: new(begin.Add(time.Hour)), User: "ari"})
	day := k.forged(t, all, func(c *Claim) {
		a := &c.About
		a.From, a.To, a.First, a.Count = new(begin.AddDate(0, -1, 0)), new(begin.AddDate(0, 0, -1)), 0, 4
	})
	k.has(k.holds(day), "has 0 entries from 2100-02-01 12:00:00.000 UTC to 2100-02-28 12:00:00.000 UTC, and none of them is a log of “ari”, by token or by claim; between them are 4 entries with other times.")
	k.has(k.python([]members{day})[0][0], "all 0 entries from 2100-02-01T12:00:00Z to 2100-02-28T12:00:00Z are here")
	if strings.Contains(day.page(), `<section class="log"`) {
		t.Error("the page has logs of other times")
	}

	k = newKit(t)
	k.publish("ari", greeting) // 1, at 12:00
	k.now = begin.Add(-time.Hour)
	k.publish("ari", greeting) // 2, before
	k.now = begin.Add(time.Minute)
	k.publish("ari", greeting) // 3, at 12:01
	jumped := k.bundle(About{From: new(begin), To: new(begin.Add(time.Hour))})
	k.holds(jumped)
	k.refused(claimName, k.forged(t, jumped, func(c *Claim) { c.About.First, c.About.Count = 3, 1 }))
}

// A signed bundle can't fill the memory with members that are small in its zip file and large when read.
func TestASignedBundleFillsNoMemory(t *testing.T) {
	suite.NotShort(t)
	k := newKit(t)
	listed := k.bundle(About{Logs: []string{k.publishSigned("ari", greeting, k.robot("ari").signList(t, string(inJSON(t, greeting)))[0])}})
	with := func(name, begin, each, end string) members {
		m := maps.Clone(listed)
		used := 0
		for other, b := range m {
			if other != pageName && other != name {
				used += len(b)
			}
		}
		m[name] = slices.Concat([]byte(begin), bytes.Repeat([]byte(each), (MaxBytes-used-2000)/len(each)), []byte(end))
		k.resign(m)
		return m
	}
	bombs := []members{
		with(claimName, `{"format":1,"entries":[`, "{},", "{}]}"),
		with(claimName, `{"format":1,"about":{"logs":[`, `"",`, `""]}}`),
		with(claimName, `{"format":1,"about":[`, "[],", "[]]}"),
		with("bodies/2", "", "a\n", "\n0 x"),
	}
	var files [][]byte
	for i, m := range bombs {
		files = append(files, k.fileOf(m))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := Verify(bytes.NewReader(files[i]), int64(len(files[i])), k.key)
		runtime.ReadMemStats(&after)
		if k.check(err); len(r.Failures) == 0 {
			t.Errorf("bomb %d holds", i)
		}
		took := after.TotalAlloc - before.TotalAlloc
		t.Logf("bomb %d of %d bytes takes %d MiB", i, len(files[i]), took>>20)
		if took > 2*MaxBytes {
			t.Errorf("bomb %d of %d bytes takes %d MiB", i, len(files[i]), took>>20)
		}
	}
	folder := t.TempDir()
	for i, b := range files {
		path := filepath.Join(folder, "bomb.zip")
		k.check(os.WriteFile(path, b, 0o600))
		input, err := json.Marshal([]string{path, k.key})
		k.check(err)
		said := string(k.runPython(`try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (8 * v.BYTES, 8 * v.BYTES))
except ImportError: pass
path, key = json.load(sys.stdin)
print(v.run(path, key)[0])`, string(input)))
		if strings.HasPrefix(said, "It holds") || strings.Contains(said, "MemoryError") || said == "it can't be verified: \n" {
			t.Errorf("bomb %d: Python says %q", i, said)
		}
	}
}

// TestAnErasureOfTheSenderDidNotRemoveTheContent: an erasure names all entries that lost a row, also those that lost only
// who sent them.
func TestAnErasureOfTheSenderDidNotRemoveTheContent(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, e := range []journal.Entry{{LogID: "one"}, {LogID: "two", Part: 1, Bytes: "0+1"}, {LogID: "two", Part: 2, Bytes: "1+1"}} { // 1 to 3
		e.Action, e.Actor, e.Triples, e.Canon, e.Secret = journal.Insert, "ari", 5000, "none: too large", journal.NewSecret()
		e.Commitment = e.Secret.Content().Commit([]byte("x"))
		k.write(e)
	}
	k.write(journal.Entry{Action: journal.Erasure, Actor: "admin", Lessened: "1-2"}) // 4
	k.check(k.store.Update(t.Context(), func(tx *engine.Tx) error {
		return errors.Join(journal.Erase(tx.KV(), 2, journal.GroupsOf(journal.Who)), journal.Erase(tx.KV(), 3, journal.GroupsOf(journal.Content)))
	}))
	m := k.bundle(About{Logs: []string{"one", "two"}})
	k.has(k.holds(m), "what was said is proved for 0 of 3 entries, and 1 was removed since")
	k.has(m.page(), "As the service says, the content was erased by entry 4", "The content can&#39;t be computed again: the entry commits only to the document&#39;s bytes: too large.")
	k.refused(claimName, k.forged(t, m, func(c *Claim) { c.Entries[3].RemovedBy = new(uint64(4)) }))

	k.write(journal.Entry{Action: journal.Expire, Actor: "segraph", Lessened: "1"})  // 5
	k.write(journal.Entry{Action: journal.Erasure, Actor: "admin", Lessened: "2-3"}) // 6 took who sent 2 or 3
	k.check(k.store.Update(t.Context(), func(tx *engine.Tx) error {
		return errors.Join(journal.Erase(tx.KV(), 2, journal.GroupsOf(journal.Content)), journal.Erase(tx.KV(), 3, journal.GroupsOf(journal.Who)))
	}))
	m = k.bundle(About{Logs: []string{"one", "two"}})
	k.holds(m)
	k.has(m.page(), "the content was erased by entry 5, or by an erasure before it, and", "withdrew the logs that were too old", "the content was erased by entry 6, or by an erasure before it, and")
	if strings.Contains(m.page(), "erased by entry 4") {
		t.Error("an erasure of the sender is said to have removed the content")
	}
}

// TestASignedBodyIsComparedWithItsEntry: without the salt, a body would be anything that its key signed.
func TestASignedBodyIsComparedWithItsEntry(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ari := k.robot("ari")
	good := k.bundle(About{Logs: []string{k.publishSigned("ari", greeting, ari.sign("text/turtle", "", []byte(reply)))}})
	delete(good, "graphs/2.nq")
	var lies []members
	for _, salt := range [][]byte{nil, {1, 2, 3}} {
		lies = append(lies, k.forged(t, good, func(c *Claim) { c.Entries[2].Salt = salt }))
	}
	k.refused("bodies/2", lies...)

	k = newKit(t)
	crowded := strings.TrimSuffix(string(inJSON(t, reply)), "}") + `,"x":[0` + strings.Repeat(",0", 4_000_000) + `]}`
	k.refused("bodies/2", k.bundle(About{Logs: []string{k.publishSigned("ari", greeting, k.robot("ari").sign("application/json", "", []byte(crowded)))}}))
}
