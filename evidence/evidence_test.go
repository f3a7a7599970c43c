package evidence

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

const greeting = `@prefix ex: <http://example.org/> .
@prefix schema: <http://schema.org/> .
ex:m1 a schema:Message ; schema:text "Good <b>morning</b>"@EN ; schema:sender ex:maria ; ex:near [ ex:place ex:door ] .`

const reply = `@prefix ex: <http://example.org/> .
@prefix schema: <http://schema.org/> .
ex:m2 a schema:Message ; schema:text "Hello" ; schema:sender ex:ari ; schema:about ex:c1 .`

// TestABundleSaysWhatIsProved makes a bundle of each kind.
func TestABundleSaysWhatIsProved(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	first, second := k.publish("ari", greeting), k.publish("tiago", reply)
	k.write(journal.Entry{Action: journal.Accept, Actor: "maria", Case: "case-7", Source: "http://example.org/c1", Target: "http://example.org/c2", Decision: "d1"})
	k.write(journal.Entry{Action: journal.Undo, Actor: "maria", Undone: "d1", Source: "http://example.org/c1", Target: "http://example.org/c2"})
	at := func(minutes int) *time.Time { return new(begin.Add(time.Duration(minutes) * time.Minute)) }
	for _, x := range []struct {
		what    string
		about   About
		entries int // besides the log's first, which names its key
		holds   string
		page    []string
	}{
		{"a log", About{Logs: []string{first}}, 1, "example.org/log received 1 log of “ari” at 2100-03-01 12:00:00.000 UTC; what was said is proved for 1 of 1.",
			[]string{"Log " + first, "“ari” sent the log " + first + " with 5 triples", "schema:text", "Good &lt;b&gt;morning&lt;/b&gt;&quot;@en", "Signed by: nobody", "What is not claimed", "schema: <code>http://schema.org/</code>"}},
		{"two logs", About{Logs: []string{second, first}}, 4, "received 2 logs of “ari”, “tiago” from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:01:00.000 UTC",
			[]string{"What people decided", "“maria” merged “http://example.org/c1” into “http://example.org/c2”", "“maria” reversed the decision “d1”"}},
		{"an IRI", About{IRI: "http://example.org/maria"}, 1, "1 of 1 triples are proved", []string{"about “http://example.org/maria”", `<a href="#entry-1">entry 1</a>, “ari”`}},
		{"a blank node", About{Query: "CONSTRUCT { ?b <http://example.org/place> ?o } { ?b <http://example.org/place> ?o }"}, 1, "1 of 1 triples are proved", []string{"_:c14n0"}},
		{"rows of a report", About{Query: "PREFIX schema: <http://schema.org/> SELECT (COUNT(*) AS ?n) { ?m a schema:Message OPTIONAL { ?m schema:sender ?who } FILTER NOT EXISTS { ?m schema:about ?c } }"}, 1, "2 of 2 triples are proved", []string{"The query", "FILTER NOT EXISTS"}},
		{"a case", About{Case: "case-7"}, 3, "received 1 log of “tiago”", []string{"review case “case-7”", "schema:about"}},
		{"an interval", About{From: at(1), To: at(3)}, 4, "has 2 entries from 2100-03-01 12:01:00.000 UTC to 2100-03-01 12:03:00.000 UTC, and they are all here; 1 log of “tiago”", []string{"Before: entry 1", "After: entry 4"}},
		{"nothing of a robot", About{From: at(1), To: at(3), User: "ari"}, 4, "none of them is a log of “ari”, by token or by claim", []string{"Entries from"}},
		{"nothing between two entries", About{From: new(begin.Add(time.Second)), To: new(begin.Add(time.Minute - time.Second))}, 2, "has 0 entries from", []string{"There is no entry"}},
		{"the end", About{From: at(3), To: at(99)}, 2, "has 1 entry from", []string{"Here the log ended"}},
	} {
		m := k.bundle(x.about)
		if got := k.holds(m); !strings.Contains(got, x.holds) {
			t.Errorf("%s: %s\nwant %s", x.what, got, x.holds)
		}
		if n := len(m.indexed(entriesFolder, "")); n != x.entries+1 {
			t.Errorf("%s: %d entries, want %d", x.what, n, x.entries+1)
		}
		k.has(m.page(), x.page...)
	}
}

func TestWhatCannotBeProvedIsRefused(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.publish("ari", greeting)
	for _, x := range []struct {
		about About
		want  error
		words string
	}{
		{About{Logs: []string{"x"}}, store.ErrNoLog, ""},
		{About{IRI: "http://example.org/nobody"}, ErrNothing, "nothing to prove"},
		{About{Case: "x"}, ErrNothing, ""},
		{About{Query: "SELECT * { GRAPH ?g { ?s ?p ?o } }"}, ErrNoPatterns, "write a CONSTRUCT"},
		{About{Query: "SELECT"}, nil, "line 1"},
		{About{IRI: "x y"}, nil, "is not an IRI"},
	} {
		_, err := Make(t.Context(), k.store, k.log, k.request(x.about))
		if err == nil || x.want != nil && !errors.Is(err, x.want) || !strings.Contains(err.Error(), x.words) {
			t.Errorf("%+v: %v", x.about, err)
		}
	}
}

// TestEachChangedMemberIsNamed changes each member by one byte, in many places, removes
// it, and adds others.
func TestEachChangedMemberIsNamed(t *testing.T) {
	t.Parallel()
	suite.OneGoroutine(t)
	k := newKit(t)
	m := k.bundle(About{Logs: []string{k.publish("ari", greeting)}})
	k.holds(m)
	names := slices.Sorted(maps.Keys(m))
	if len(names) != 10 {
		t.Errorf("members: %q", names)
	}
	for _, name := range names {
		good := m[name]
		for at := 0; at < len(good); at += 1 + len(good)/20 {
			m[name] = bytes.Clone(good)
			m[name][at] ^= 1
			if r := k.verify(m); len(r.Failures) != 1 || r.Failures[0].Member != name || r.Holds != "" {
				t.Errorf("byte %d of %s: %v", at, name, r.Failures)
			}
		}
		m[name] = bytes.TrimSuffix(good, good[len(good)-1:])
		if r := k.verify(m); len(r.Failures) != 1 || r.Failures[0].Member != name {
			t.Errorf("%s without its end: %v", name, r.Failures)
		}
		delete(m, name)
		if r := k.verify(m); len(r.Failures) != 1 || r.Failures[0].Member != name || r.Failures[0].Problem != "it is missing" {
			t.Errorf("without %s: %v", name, r.Failures)
		}
		m[name] = good
	}
	for _, name := range []string{"entries/9", "graphs/9.nq"} {
		m[name] = []byte("x")
		if r := k.verify(m); len(r.Failures) != 1 || r.Failures[0].Member != name || r.Failures[0].Problem != "it was added" {
			t.Errorf("with %s: %v", name, r.Failures)
		}
		delete(m, name)
	}
}

// TestAServiceThatLiesIsFoundOut changes members and signs them with the log's key.
func TestAServiceThatLiesIsFoundOut(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	k := newKit(t)
	first, second := k.publish("ari", greeting), k.publish("tiago", reply)
	k.write(journal.Entry{Action: journal.Clear, Actor: "admin"})
	k.write(journal.Entry{Action: journal.Reject, Actor: "maria", Case: "case-7", Detail: "not the same"})
	replace := func(name, from, to string) func(members) {
		return func(m members) {
			if !bytes.Contains(m[name], []byte(from)) {
				t.Errorf("%s lacks %q", name, from)
			}
			m[name] = bytes.Replace(m[name], []byte(from), []byte(to), 1)
		}
	}
	interval := About{From: new(begin), To: new(begin.Add(90 * time.Second))}
	var lies []members
	tests := []struct {
		what   string
		about  About
		lie    func(members)
		member string
		words  string
	}{
		{"the page says more", About{Logs: []string{first}}, replace(pageName, "morning", "evening"), pageName, "the page contradicts its proofs: line"},
		{"the page warns less", About{Logs: []string{first}}, replace(pageName, "<li>That a robot told the truth", "<li>"), pageName, "the page contradicts"},
		{"the page is longer", About{Logs: []string{first}}, func(m members) { m[pageName] = append(m[pageName], "x"...) }, pageName, "the page contradicts"},
		{"another entry", About{Logs: []string{first}}, replace("entries/1", `"action":"insert"`, `"action":"import"`), "proofs/1", "does not have entry 1"},
		{"the entry of another log", About{Logs: []string{first}}, func(m members) { m["proofs/1"] = bytes.Replace(m["proofs/1"], []byte("index 1"), []byte("index 2"), 1) }, "proofs/1", "for another entry"},
		{"another content", About{Logs: []string{first}}, replace("graphs/1.nq", "door", "wall"), "graphs/1.nq", "not what entry 1 commits to"},
		{"no content", About{Logs: []string{first}}, func(m members) { delete(m, "graphs/1.nq") }, "graphs/1.nq", "it is missing"},
		{"another salt", About{Logs: []string{first}}, func(m members) { resalt(t, m) }, "graphs/1.nq", "not what entry 1 commits to"},
		{"an old checkpoint", About{Logs: []string{first}}, replace(checkpointName, "\n5\n", "\n3\n"), checkpointName, "has not signed it"},
		{"another key", About{Logs: []string{first}}, replace(keysName, "example", "elpmaxe"), keysName, "it does not have the key"},
		{"a member more", About{Logs: []string{first}}, func(m members) { m["graphs/7.nq"] = nil }, "graphs/7.nq", "the claim does not name it"},
		{"another log's id", About{Logs: []string{first}}, replace(claimName, first, second), claimName, "no entry of the log " + second},
		{"a triple that nobody said", About{IRI: "http://example.org/maria"}, replace(claimName, "sender", "sendee"), claimName, "did not say"},
		{"a newer format", About{Logs: []string{first}}, replace(claimName, `"format": 1`, `"format": 2`), claimName, "use a newer one"},
		{"what the program does not know", About{Logs: []string{first}}, replace(claimName, `"format"`, `"more": 1, "format"`), claimName, "not written as"},
		{"an entry left out of an interval", interval, func(m members) {
			leaveOut(t, m, 1)
		}, claimName, "entry 1 lies between the two times"},
		{"a shorter interval", interval, replace(claimName, `"count": 2`, `"count": 1`), claimName, "entry 2 must be in the bundle, and from"},
		{"a later beginning", interval, replace(claimName, `"first": 1`, `"first": 2`), claimName, "entry 1 must be in the bundle, and from before"},
		{"a member of the claim that programs read differently", About{Logs: []string{first}}, replace(claimName, `"format"`, `"By": "eve", "format"`), claimName, "not written as"},
		{"triples of another IRI", About{IRI: "http://example.org/maria"}, func(m members) { change(t, m, func(c *Claim) { c.About.IRI += "x" }) }, claimName, "is not about"},
		{"a triple of no text", About{IRI: "http://example.org/maria"}, func(m members) { change(t, m, func(c *Claim) { c.Triples[0].Text = "" }) }, claimName, "did not say"},
		{"another case", About{Case: "case-7"}, func(m members) { change(t, m, func(c *Claim) { c.About.Case = "case-8" }) }, claimName, "about "},
		{"another sender", About{Logs: []string{first}}, replace(claimName, `"ari"`, `"eve"`), claimName, "entry 1: its who has another hash"},
		{"another salt of the sender", About{Logs: []string{first}}, func(m members) { change(t, m, func(c *Claim) { c.Entries[1].Open.Who.Salt[0] ^= 1 }) }, claimName, "entry 1: its who has another hash"},
		{"a value more of the sender", About{Logs: []string{first}}, func(m members) {
			change(t, m, func(c *Claim) { c.Entries[1].Open.Who.Values = append(c.Entries[1].Open.Who.Values, "") })
		}, claimName, "entry 1: its who does not have"},
		{"another detail of a decision", About{Case: "case-7"}, replace(claimName, `"not the same"`, `"the same"`), claimName, "its what has another hash"},
		{"a group that the entry does not have", About{Logs: []string{first}}, func(m members) {
			change(t, m, func(c *Claim) { c.Entries[1].Open.What = c.Entries[1].Open.Who })
		}, claimName, "its what "},
		{"a removal that was none", About{Logs: []string{first}}, func(m members) { change(t, m, func(c *Claim) { c.Entries[1].RemovedBy = new(uint64) }) }, claimName, "was not removed by entry 0"},
	}
	for _, x := range tests {
		m := k.bundle(x.about)
		k.holds(m)
		x.lie(m)
		k.resign(m)
		lies = append(lies, m)
		r := k.verify(m)
		if r.Holds != "" || !slices.ContainsFunc(r.Failures, func(f *Failure) bool { return f.Member == x.member && strings.Contains(f.Problem, x.words) }) {
			t.Errorf("%s: %v", x.what, r.Failures)
		}
	}
	for i, lines := range k.python(lies) {
		found := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, tests[i].member+": ") })
		if tests[i].member != pageName != found { // Python does not know the page's words
			t.Errorf("%s: Python says %q", tests[i].what, lines)
		}
	}
}

// resalt changes the salt of a claim.
func resalt(t *testing.T, m members) {
	change(t, m, func(c *Claim) {
		for i := range c.Entries {
			if s := c.Entries[i].Salt; s != nil {
				s[0] ^= 1
			}
		}
	})
}

// change changes the claim.
func change(t *testing.T, m members, f func(*Claim)) {
	c, err := m.decode()
	if err != nil {
		t.Fatal(err)
	}
	f(&c.claim)
	writeClaim(t, m, c)
}

// leaveOut removes an entry from a claim and its bundle.
func leaveOut(t *testing.T, m members, index uint64) {
	change(t, m, func(c *Claim) {
		c.Entries = slices.DeleteFunc(c.Entries, func(e Entry) bool { return e.Index == index })
	})
	for _, name := range []string{nameOf(entriesFolder, index, ""), nameOf(proofsFolder, index, ""), nameOf(graphsFolder, index, graphSuffix)} {
		delete(m, name)
	}
}

// withdrawal is what a person writes when they withdraw a log.
var withdrawal = journal.Entry{Action: journal.Withdraw, Actor: "maria", Detail: "asked by the person"}

// TestRemovedContentIsShownAsRemoved withdraws one log and deletes another.
func TestRemovedContentIsShownAsRemoved(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	withdrawn, deleted := k.publish("ari", greeting), k.publish("tiago", reply)
	_, err := k.store.Withdraw(t.Context(), withdrawn, k.entry(withdrawal))
	k.check(err)
	_, err = k.store.Clear(t.Context(), false, k.entry(journal.Entry{Action: journal.Clear, Actor: "admin"}))
	k.check(err)
	later := k.publish("ari", greeting)
	m := k.bundle(About{Logs: []string{withdrawn, deleted, later}})
	k.has(k.holds(m), "proved for 1 of 3, and 2 were removed since")
	k.has(m.page(), "the content was erased by entry 3 and can&#39;t be computed again. That entry says: “maria” withdrew the log "+withdrawn, "(“asked by the person”)",
		"erased by entry 4 and can&#39;t be computed again. That entry says: “admin” deleted the whole graph", "The commitment of entry 1 still stands", "The commitment of entry 2 still stands")
	if bytes.Contains(m[pageName], []byte("Hello")) || len(m.indexed(graphsFolder, graphSuffix)) != 1 {
		t.Errorf("the bundle has removed content: %s", m[pageName])
	}
}

// TestLogsWithoutContentSayWhy has entries without commitments to a graph.
func TestLogsWithoutContentSayWhy(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	for _, x := range []struct {
		e     journal.Entry
		words string
	}{
		{journal.Entry{LogID: "bare"}, "the entry does not commit to it"},
		{journal.Entry{LogID: "part", Part: 1, Commitment: strings.Repeat("A", 43)}, "stored in parts"},
		{journal.Entry{LogID: "large", Canon: "none: too large", Commitment: strings.Repeat("A", 43)}, "too large"},
		{journal.Entry{LogID: "odd", Canon: "rdfc-1.0", Graph: "x", Commitment: strings.Repeat("A", 43)}, "no longer known completely"},
	} {
		x.e.Action, x.e.Triples, x.e.Signer = journal.Insert, 1, "key-of-ari"
		k.write(x.e)
		m := k.bundle(About{Logs: []string{x.e.LogID}})
		k.has(k.holds(m), "proved for 0 of 1")
		k.has(m.page(), "The content can&#39;t be computed again: ", x.words, "key-of-ari</code> of “library”, as the service says. This bundle does not have the signature")
	}
}

// TestAnIntervalIsCompleteIfClocksAreSetBack has entries whose times do not increase.
func TestAnIntervalIsCompleteIfClocksAreSetBack(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.now = begin.Add(-time.Hour)
	k.publish("ari", greeting)
	k.now = begin.Add(time.Hour) // later than the interval
	k.publish("ari", greeting)
	k.now = begin // within
	k.publish("tiago", greeting)
	k.now = begin.Add(2 * time.Hour)
	k.publish("ari", greeting)
	k.now = begin.Add(time.Minute) // within, after a jump back
	k.publish("tiago", greeting)
	m := k.bundle(About{From: new(begin), To: new(begin.Add(10 * time.Minute)), User: "tiago"})
	k.has(k.holds(m), "has 2 entries from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:01:00.000 UTC, and they are all here; it ends there, so nothing is proved of the time from then to 2100-03-01 12:10:00.000 UTC; "+
		"between them are 2 entries with other times; 2 logs of “tiago”")
	k.has(k.python([]members{m})[0][0], "all 2 entries from 2100-03-01T12:00:00Z to 2100-03-01T12:01:00Z are here, where the log ends: nothing is proved from there to 2100-03-01T12:10:00Z")

	k = newKit(t)
	k.publish("ari", greeting) // at 12:00
	k.now = begin.Add(5 * time.Minute)
	k.publish("tiago", greeting)
	k.now = begin.Add(time.Minute)
	k.publish("ari", greeting)
	m = k.bundle(About{From: new(begin), To: new(begin.Add(10 * time.Minute))})
	k.has(k.holds(m), "has 2 entries from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:01:00.000 UTC, and they are all here; it ends there, so nothing is proved of the time from then to 2100-03-01 12:10:00.000 UTC; 1 entry of that time is here; 3 logs")
	k.has(k.python([]members{m})[0][0], "all 2 entries from 2100-03-01T12:00:00Z to 2100-03-01T12:01:00Z are here, where the log ends: nothing is proved from there to 2100-03-01T12:10:00Z; 1 entries of that time are here")
	k.now = begin.Add(-time.Hour)
	k.publish("ari", greeting)
	m = k.bundle(About{From: new(begin), To: new(begin.Add(10 * time.Minute))})
	k.has(k.holds(m), "ends at 2100-03-01 11:00:00.000 UTC, so nothing is proved of the time from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:10:00.000 UTC; 3 entries of that time are here; 3 logs")
	k.has(k.python([]members{m})[0][0], "the log ends at 2100-03-01T11:00:00Z: nothing is proved of that time; 3 entries of that time are here")
}

// TestTheOldKeyVerifiesABundleOfTheNewOne follows the note of a rotation.
func TestTheOldKeyVerifiesABundleOfTheNewOne(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.publish("ari", greeting)
	first := k.key
	k.rotate()
	second := k.key
	k.rotate()
	m := k.bundle(About{Logs: []string{id}})
	k.holds(m)
	for key, want := range map[string]string{first: "", second: "", k.key: "", k.otherKey(): "says that the log's key is " + k.key} {
		z := k.zipOf(m)
		got, err := Verify(z, z.Size(), key)
		k.check(err)
		if failed := len(got.Failures) > 0; failed != (want != "") || failed && !strings.Contains(got.Failures[0].Problem, want) {
			t.Errorf("with %s: %v", key, got.Failures)
		}
	}
	k.has(m.page(), "(not shown here) gave the log example.org/log the key")
	if _, err := Verify(k.zipOf(m), 1, "x"); err == nil || !strings.Contains(err.Error(), "verifier key") {
		t.Errorf("without a key: %v", err)
	}
	if _, err := Verify(strings.NewReader("x"), 1, k.key); err == nil || !strings.Contains(err.Error(), "not a bundle") {
		t.Errorf("without a bundle: %v", err)
	}
}

// TestAPageShowsNoMarkupOfOthers has names that look like HTML, and that hide text.
func TestAPageShowsNoMarkupOfOthers(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.publish("<script>alert(1)</script>\u202e", `<http://example.org/s> <http://example.org/p> "<img src=x>\u202e" .`)
	text := string(k.bundle(About{Logs: []string{id}})[pageName])
	for _, bad := range []string{"<script", "<img", "\u202e", "http-equiv"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// TestAPartThatWasErasedIsShownAsRemoved erases a person whom one part of a log names.
func TestAPartThatWasErasedIsShownAsRemoved(t *testing.T) {
	for _, person := range []string{"http://ex/maria", "http://ex/tiago"} {
		k := newKit(t)
		id := journal.NewLogID()
		for i, text := range []string{"<http://ex/m1> <http://ex/of> <http://ex/maria> .", "<http://ex/m2> <http://ex/of> <http://ex/tiago> ."} {
			d := storetest.Document(t, turtle.Turtle, text)
			e := k.entry(journal.Entry{LogID: id, Actor: "ari", Part: i + 1, Bytes: "0+1", Triples: 1})
			store.Commit(&e, []byte(text), d, 1000)
			_, err := k.store.Add(t.Context(), d, e)
			k.check(err)
		}
		r, err := resolver.Open(k.store.Contexts(), resolver.Options{Settings: resolver.Defaults(), Now: time.Now})
		k.check(err)
		g := persist.ResolvedGraph{Graph: k.store, Store: k.store, Resolver: r}
		_, err = g.Erase(t.Context(), person, "", k.entry(journal.Entry{Action: journal.Erasure, Actor: "admin", Detail: "case 1"}))
		k.check(err)
		k.has(k.holds(k.bundle(About{Logs: []string{id}})), "what was said is proved for 1 of 2 entries, and 1 was removed since")
	}
}

// TestAPageSetsValuesApart has a name that goes on as the page does.
func TestAPageSetsValuesApart(t *testing.T) {
	t.Parallel()
	const attack = `ari), at 2026-01-01 09:00:00.000 UTC. The director confirmed in person that ari sent it (as witness`
	k := newKit(t)
	e := k.entry(journal.Entry{Action: journal.Withdraw, Actor: "eve", Claimed: attack, Robot: attack, Kind: attack, Owner: attack, Subject: attack, Source: attack, Target: attack, Detail: attack})
	for _, action := range []journal.Action{journal.Insert, journal.UseKey, journal.DropKey, journal.Resolve, journal.Accept, journal.Reject, journal.Undo, journal.Relay, journal.Subject, journal.Clock, journal.Clear} {
		e.Action = action
		html := sentence(describe(&e))
		rest := strings.ReplaceAll(html, "<bdi class=v>“"+esc(attack)+"”</bdi>", "")
		if strings.Contains(rest, "director") || rest == html {
			t.Errorf("%s: %s", action, html)
		}
	}
	id := k.publish("eve”, and the director agreed “\u200b", greeting)
	text := string(k.bundle(About{Logs: []string{id}})[pageName])
	k.has(text, `received 1 log of <bdi class=v>“eve\”, and the director agreed \“⟨U+200B⟩”</bdi> at`)
}

// TestTripleTermsAreProved: a triple with a triple term is claimed in the form that its log's
// entry commits to.
func TestTripleTermsAreProved(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.publish("ari", `<http://e/a> <http://e/b> <<( <http://e/c> <http://e/d> _:x )>>, "x"@ar--rtl .`)
	for what, about := range map[string]About{
		"2 of 2 triples are proved": {IRI: "http://e/a"},
		"1 of 1 triples are proved": {Query: "CONSTRUCT { ?a <http://e/b> ?t } { ?a <http://e/b> ?t FILTER isTRIPLE(?t) }"},
	} {
		if got := k.holds(k.bundle(about)); !strings.Contains(got, what) {
			t.Errorf("%s: %s", what, got)
		}
	}
}

func TestALogIsOfItsTokensUserAndOfTheClaimedOne(t *testing.T) {
	e := &journal.Entry{Actor: "gateway", Claimed: "iris"}
	for user, want := range map[string]bool{"": true, "gateway": true, "iris": true, "ari": false} {
		if got := (About{User: user}).ofUser(e); got != want {
			t.Errorf("%q: %t", user, got)
		}
	}
}

// A log that retention or an erasure removed was removed by that entry, and not by a later deletion of the graph.
func TestABundleNamesTheEntryThatLessenedALog(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.publish("ari", greeting) // the log's entry 1
	k.write(journal.Entry{Action: journal.Expire, Actor: "segraph", Lessened: "0-1"})
	_, err := k.store.Clear(k.Context(), true, k.entry(journal.Entry{Action: journal.Clear, Actor: "maria"}))
	k.check(err)
	m := k.bundle(About{Logs: []string{id}})
	k.holds(m)
	k.has(m.page(), "the content was erased by entry 2 and")
	if got := k.python([]members{m}); len(got) != 1 || len(got[0]) == 0 || !strings.Contains(got[0][0], "holds") && !strings.Contains(got[0][0], "example.org/log") {
		t.Errorf("the other program says %q", got)
	}
	change(t, m, func(c *Claim) { c.Entries[1].RemovedBy = new(uint64) })
	if v := k.verify(m); len(v.Failures) == 0 {
		t.Error("entry 0 removed it")
	}
}
