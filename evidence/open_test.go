package evidence

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/journal"
)

// shown returns the groups that a bundle shows, by the action of their entry and its index.
func (k *kit) shown(m members) map[string]string {
	k.Helper()
	c, err := m.decode()
	k.check(err)
	out := map[string]string{}
	for _, item := range c.claim.Entries {
		groups := "nothing"
		if o := item.Open; o != nil {
			groups = strings.TrimSpace(map[bool]string{true: "who"}[o.Who != nil] + map[bool]string{true: " what"}[o.What != nil])
		}
		out[fmt.Sprintf("%d %s", item.Index, c.entries[item.Index].Action)] = groups
	}
	return out
}

// TestABundleShowsOnlyTheGroupsOfItsKind compares what each kind of bundle shows of each
// entry. No bundle has an address or the id of a request.
func TestABundleShowsOnlyTheGroupsOfItsKind(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ari := k.robot("ari")                                                                  // 1
	log := k.publishSigned("ari", greeting, ari.sign("text/turtle", "", []byte(greeting))) // 2
	k.publish("tiago", reply)                                                              // 3
	k.write(journal.Entry{Action: journal.Resolve, Actor: "pepper", Robot: "http://example.org/pepper", Kind: "greeting", Detail: "d", Context: "http://example.org/event",
		Outcome: "ambiguous", Case: "case-7", Address: "192.0.2.17", RequestID: "request-1"}) // 4
	k.observe(ari, "http://example.org/ari", "http://example.org/ari")                                                                                                                     // 5
	k.write(journal.Entry{Action: journal.Accept, Actor: "maria", Case: "case-7", Source: "http://example.org/event", Target: "http://example.org/other", Decision: "d1", Detail: "same"}) // 6
	_, err := k.store.Withdraw(t.Context(), log, k.entry(withdrawal))                                                                                                                      // 7
	k.check(err)
	const who, both, nothing = "who", "who what", "nothing"
	for _, x := range []struct {
		about About
		want  map[string]string
	}{
		{About{Logs: []string{log}}, map[string]string{"0 origin": nothing, "1 add key": who, "2 insert": who, "7 withdraw": both}},
		{About{IRI: "http://example.org/m2"}, map[string]string{"0 origin": nothing, "3 insert": who}},
		{About{IRI: "http://example.org/event"}, map[string]string{"0 origin": nothing, "1 add key": who, "4 resolve": nothing, "5 resolve": both, "6 accept": both}},
		{About{Case: "case-7"}, map[string]string{"0 origin": nothing, "1 add key": who, "4 resolve": both, "5 resolve": both, "6 accept": both}},
		{About{From: new(begin), To: new(begin.Add(time.Hour)), User: "nobody"}, map[string]string{"0 origin": nothing, "1 add key": who, "2 insert": who, "3 insert": who, "4 resolve": who, "5 resolve": both, "6 accept": nothing, "7 withdraw": nothing}},
	} {
		m := k.bundle(x.about)
		k.holds(m)
		if got := k.shown(m); !maps.Equal(got, x.want) {
			t.Errorf("%+v shows %v, want %v", x.about, got, x.want)
		}
		for name, b := range m {
			for _, secret := range []string{"192.0.2.17", "request-1"} {
				if strings.Contains(string(b), secret) {
					t.Errorf("%+v: %s has %s", x.about, name, secret)
				}
			}
		}
	}
	m := k.bundle(About{IRI: "http://example.org/event"})
	k.has(m.page(), "(not shown here) reported an observation of (not shown here) ((not shown here)), which was answered with “http://example.org/event”")
}

// TestErasingAGroupLeavesTheProofsOfOthers erases each group of one entry. Bundles from
// before and after verify, and so do the chain, the tree and all that stays beside it.
func TestErasingAGroupLeavesTheProofsOfOthers(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, group := range []journal.Group{journal.Who, journal.What, journal.Client, journal.Content} {
		k := newKit(t)
		log := k.publish("ari", greeting) // 1
		other := k.publish("tiago", reply)
		k.write(journal.Entry{Action: journal.Resolve, Actor: "pepper", Robot: "http://example.org/pepper", Kind: "greeting", Context: "http://example.org/event", Outcome: "created", Address: "192.0.2.17"}) // 3
		interval := About{From: new(begin), To: new(begin.Add(time.Hour)), User: "maria"}
		bundles := []members{k.bundle(About{Logs: []string{log}}), k.bundle(interval)}
		for _, seq := range []uint64{2, 4} {
			k.check(k.store.Update(t.Context(), func(tx *engine.Tx) error {
				return journal.Erase(tx.KV(), seq, journal.GroupsOf(group))
			}))
		}
		if _, err := k.store.Audit(t.Context(), journal.Head{}); err != nil {
			t.Errorf("%s: %v", group, err)
		}
		k.check(k.store.Check(t.Context()))
		bundles = append(bundles, k.bundle(About{Logs: []string{other}}), k.bundle(About{Logs: []string{log}}), k.bundle(interval))
		for i, m := range bundles {
			if k.holds(m); k.Failed() {
				t.Fatalf("%s: bundle %d", group, i)
			}
		}
		words := k.holds(bundles[4])
		lines := k.python(bundles)
		for i := range bundles {
			k.has(lines[i][0], "It holds: ")
		}
		if hidden := group == journal.Who; hidden {
			k.has(words, "; who sent the entries 1, 3 is not shown, so they may be anybody’s")
			k.has(lines[4][0], "; who sent the entries 1, 3 is not shown, so they may be anybody's")
			k.has(bundles[3].page(), "(not shown here) sent the log "+log)
		} else if strings.Contains(words+lines[4][0], "is not shown") {
			t.Errorf("%s: %s, %s", group, words, lines[4])
		}
	}
}

// signList signs a request over a list of lines, and returns its signature for the entry
// of each.
func (r robot) signList(t testing.TB, lines ...string) (out []*journal.Signature) {
	t.Helper()
	var list, rest string
	for i, line := range lines {
		salt := journal.Salt{byte(i), 7}
		list += salt.Commit([]byte(line)) + "\n"
		rest += base64.RawStdEncoding.EncodeToString(salt[:]) + " " + line + "\n"
	}
	all, err := journal.SplitListed([]byte(list + "\n" + rest))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(list))
	base := strings.ReplaceAll(r.signAt("/batch", "application/x-ndjson", "", nil).Base, "content-digest", "list-digest")
	empty := sha256.Sum256(nil)
	base = strings.Replace(base, base64.StdEncoding.EncodeToString(empty[:]), base64.StdEncoding.EncodeToString(sum[:]), 1)
	for i, l := range all {
		s := &journal.Signature{KeyID: r.id, Nonce: fmt.Sprint("list ", i), Created: begin, Base: base, Body: journal.PackBody(l.Body())}
		s.Value = [ed25519.SignatureSize]byte(ed25519.Sign(r.key, []byte(base)))
		out = append(out, s)
	}
	return out
}

// TestALineOfASignedListProvesItselfAlone signs three logs and an observation in one
// request. Each is proved without the others, and after another was withdrawn.
func TestALineOfASignedListProvesItselfAlone(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	k := newKit(t)
	ari := k.robot("ari")
	texts := []string{greeting, reply, greeting + "\n"}
	lines := []string{`{"event_kind":"greeting","robot_uri":"http://example.org/ari"}`}
	for _, text := range texts {
		lines = append(lines, string(inJSON(t, text)))
	}
	const line = `{"key":"1","graph":{"@id":"http://example.org/m","http://example.org/text":"Hi"}}`
	signatures := ari.signList(t, append(lines, line)...)
	k.write(journal.Entry{Action: journal.Resolve, Actor: "ari", Robot: "http://example.org/ari", Kind: "greeting", Context: "http://example.org/event", Outcome: "created", Signature: signatures[0]})
	var ids []string
	for i, text := range texts {
		ids = append(ids, k.publishSigned("ari", text, signatures[i+1]))
	}
	_, err := k.store.Withdraw(t.Context(), ids[1], k.entry(withdrawal))
	k.check(err)
	all := k.bundle(About{Logs: ids})
	k.has(k.holds(all), "3 of 3 are signed by their senders’ keys")
	k.has(all.page(), "What it signed was erased, as the service says. It had the digest “sha-256=:", "It signed the document in <code>bodies/3</code>", "“robots.example/batch”")
	for _, name := range []string{"bodies/3", "bodies/5"} {
		if strings.Contains(string(all[name]), "Yes") || !strings.Contains(string(all[name]), "ttl_content") {
			t.Errorf("%s is %q", name, all[name])
		}
	}
	posted := k.bundle(About{Logs: []string{k.publishOther("ari", line, `<http://example.org/m> <http://example.org/text> "Hi" .`, signatures[4])}})
	k.has(k.holds(posted), "1 of 1 have a signature that was not compared")
	forged := maps.Clone(posted)
	forged["bodies/6"] = bytes.Replace(forged["bodies/6"], []byte("Hi"), []byte("Ho"), 1)
	k.resign(forged)
	event := k.bundle(About{IRI: "http://example.org/event"})
	k.has(k.holds(event), "it received 1 observation, 1 of them signed by their senders’ keys")
	var lies []members
	for name, lie := range map[string]func(m members){
		"another line": func(m members) {
			m["bodies/3"] = []byte(strings.Replace(string(m["bodies/3"]), "morning", "evening", 1))
		},
		"the line of another entry": func(m members) { m["bodies/3"] = m["bodies/5"] },
		"another list": func(m members) {
			l, err := journal.ParseListed(m["bodies/3"])
			k.check(err)
			l.List, l.Index = []byte(l.Salt.Commit(l.Line)+"\n"), 0
			m["bodies/3"] = l.Body()
		},
		"another salt": func(m members) { m["bodies/3"] = []byte(strings.Replace(string(m["bodies/3"]), "\n1 AQ", "\n1 AR", 1)) },
	} {
		m := maps.Clone(all)
		lie(m)
		k.resign(m)
		lies = append(lies, m)
		if r := k.verify(m); !slices.ContainsFunc(r.Failures, func(f *Failure) bool { return f.Member == "bodies/3" || f.Member == "signatures/5" }) {
			t.Errorf("%s: %v", name, r.Failures)
		}
	}
	if r := k.verify(forged); len(r.Failures) == 0 {
		t.Error("another line of POST /batch holds")
	}
	said := k.python(append(lies, all, event, posted, forged))
	for i, lines := range said[:len(lies)] {
		if !strings.Contains(lines[0], "bodies/3: ") && !strings.Contains(lines[0], "signatures/5: ") {
			t.Errorf("lie %d: Python says %q", i, lines)
		}
	}
	k.has(said[len(lies)][0], "It holds: ", "3 have a key's valid signature")
	k.has(said[len(lies)+1][0], "It holds: ", "1 have a key's valid signature")
	k.has(said[len(lies)+2][0], "It holds: ", "1 have a key's valid signature")
	k.has(said[len(lies)+3][0], "bodies/6: ")
}
