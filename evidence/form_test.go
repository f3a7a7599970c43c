package evidence

import (
	"bytes"
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/log/journal"
)

// TestAMemberHasOneForm signs bundles whose members say the same in another form, or what
// only one program reads. Both programs refuse them.
func TestAMemberHasOneForm(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	k := newKit(t)
	lines := k.robot("ari").signList(t, string(inJSON(t, greeting)))
	listed := k.publishSigned("ari", greeting, lines[0]) // 2
	again := *lines[0]
	again.Nonce += " again"
	twice := k.publishSigned("ari", greeting, &again) // 3
	log := k.publish("tiago", reply)                  // 4
	replace := func(name, from, to string) func(members) {
		return func(m members) {
			if !bytes.Contains(m[name], []byte(from)) {
				t.Errorf("%s lacks %q", name, from)
			}
			m[name] = bytes.Replace(m[name], []byte(from), []byte(to), 1)
		}
	}
	line := func(line string) func(members) { // one more in the checkpoint, and so in each proof
		return func(m members) {
			for name := range m {
				if name == checkpointName || strings.HasPrefix(name, proofsFolder) {
					m[name] = append(bytes.Clone(m[name]), line...)
				}
			}
		}
	}
	zeros := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }
	const made, by = `"made": "2100-03-01T12:04:00Z"`, `"by": "auditor"`
	tests := []struct {
		what, id string
		lie      func(members)
		member   string
	}{
		{"members of the claim in another order", log, replace(claimName, made+",\n "+by, by+",\n "+made), claimName},
		{"a member without a value", log, replace(claimName, "\n ]\n}", "\n ],\n \"triples\": []\n}"), claimName},
		{"a number for a text", log, replace(claimName, by, `"by": 5`), claimName},
		{"a time with zeros", log, replace(claimName, made, `"made": "2100-03-01T12:04:00.500Z"`), ""},
		{"a time with other digits", log, replace(claimName, made, `"made": "2100-03-01T12:04:00.٥Z"`), ""},
		{"another name of UTC", log, replace(claimName, made, `"made": "2100-03-01T12:04:00+00:00"`), ""},
		{"an end without a beginning", log, func(m members) { change(t, m, func(c *Claim) { c.About.To = &c.Made }) }, claimName},
		{"a user without an interval", log, func(m members) { change(t, m, func(c *Claim) { c.About.User = "ari" }) }, claimName},
		{"a signer with a space", log, line("— a\u00a0b " + zeros(68) + "\n"), checkpointName},
		{"a signer with a plus sign", log, line("— a+b " + zeros(68) + "\n"), checkpointName},
		{"a signature of 4 bytes", log, line("— ab " + zeros(4) + "\n"), checkpointName},
		{"the index 00", listed, replace("bodies/2", "\n\n0 ", "\n\n00 "), "bodies/2"},
		{"the index -1", listed, replace("bodies/2", "\n\n0 ", "\n\n-1 "), "bodies/2"},
		{"the index 1", listed, replace("bodies/2", "\n\n0 ", "\n\n1 "), "bodies/2"},
		{"no line", listed, func(m members) { m["bodies/2"] = []byte("x") }, "bodies/2"},
		{"a line for two logs", twice, func(m members) {}, ""},
		{"a line for two logs, with another index", twice, replace("bodies/3", "\n\n0 ", "\n\n00 "), "bodies/3"},
		{"a salt with a part of the line", listed, func(m members) {
			l, err := journal.ParseListed(m["bodies/2"])
			k.check(err)
			short, long := base64.RawStdEncoding.EncodeToString(l.Salt[:]), base64.RawStdEncoding.EncodeToString(append(l.Salt[:], l.Line[:2]...))
			replace("bodies/2", short+" "+string(l.Line[:2]), long+" ")(m)
		}, "bodies/2"},
	}
	var lies []members
	for _, x := range tests {
		about := About{Logs: []string{x.id}}
		if x.id == twice {
			about.Logs = []string{listed, twice}
		}
		m := maps.Clone(k.bundle(about))
		x.lie(m)
		k.resign(m)
		if r := k.verify(m); r.Page != nil { // of a service that lies on its page too
			m[pageName] = r.Page
			k.resign(m)
		}
		lies = append(lies, m)
		if r := k.verify(m); r.Holds != "" || x.member != "" && r.Failures[0].Member != x.member {
			t.Errorf("%s: %q, %v", x.what, r.Holds, r.Failures)
		}
	}
	for i, lines := range k.python(lies) {
		if strings.HasPrefix(lines[0], "It holds") || !strings.HasPrefix(lines[0], tests[i].member) {
			t.Errorf("%s: Python says %q", tests[i].what, lines)
		}
	}
}

// TestARobotCantSpoilABundle signs bodies that programs read differently. A bundle that has
// one verifies, since otherwise a robot could take the proofs from everybody.
func TestARobotCantSpoilABundle(t *testing.T) {
	t.Parallel()
	suite.OneGoroutine(t)
	k := newKit(t)
	ari := k.robot("ari")
	deep := strings.Replace(string(inJSON(t, reply)), "{", `{"more":`+strings.Repeat("[", 3000)+strings.Repeat("]", 3000)+",", 1)
	for _, x := range []struct{ text, kind, coding, body string }{
		{greeting, "text/turtle", "gzip", zippedTwice(t, greeting)},
		{reply, "application/json", "", deep},
	} {
		k.publishSigned("ari", x.text, ari.sign(x.kind, x.coding, []byte(x.body)))
	}
	m := k.bundle(About{From: &begin, To: new(begin.AddDate(1, 0, 0))})
	k.has(k.holds(m), "2 of 2 are signed by their senders’ keys")
	k.has(k.python([]members{m})[0][0], "It holds: ", "2 have a key's valid signature")
}

// zippedTwice compresses each half of a text on its own.
func zippedTwice(t *testing.T, text string) string {
	half := len(text) / 2
	return string(zipped(t, text[:half])) + string(zipped(t, text[half:]))
}
