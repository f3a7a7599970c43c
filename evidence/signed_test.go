package evidence

import (
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/publickey"
	"github.com/segraph/segraph/store/signers"
)

// robot is a sender that signs.
type robot struct {
	key ed25519.PrivateKey
	id  journal.KeyID
}

// robot adds a key of a user.
func (k *kit) robot(user string) robot {
	k.Helper()
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat(user[:1], ed25519.SeedSize)))
	public := key.Public().(ed25519.PublicKey)
	k.check(signers.Of(k.store.Store).AddKey(k.Context(), journal.SigningKey{User: user, Public: public}, k.entry(journal.Entry{Action: journal.UseKey, Actor: "admin"})))
	return robot{key, journal.IDOf(public)}
}

// sign signs a request that sends a body.
func (r robot) sign(kind, coding string, body []byte) *journal.Signature {
	return r.signAt("/ttl", kind, coding, body)
}

func (r robot) signAt(path, kind, coding string, body []byte) *journal.Signature {
	sum := sha256.Sum256(body)
	encoding, component := "", ""
	if coding != "" {
		encoding, component = `"content-encoding": `+coding+"\n", ` "content-encoding"`
	}
	s := &journal.Signature{KeyID: r.id, Nonce: base64.StdEncoding.EncodeToString(sum[:9]), Created: begin, Body: journal.PackBody(body)}
	s.Base = fmt.Sprintf(`"@method": POST
"@authority": robots.example
"@path": %s
"@query": ?
"content-type": %s
%s"content-digest": sha-256=:%s:
"@signature-params": ("@method" "@authority" "@path" "@query" "content-type"%s "content-digest");created=%d;keyid="%s";nonce="%s";tag="segraph"`,
		path, kind, encoding, base64.StdEncoding.EncodeToString(sum[:]), component, begin.Unix(), r.id, s.Nonce)
	s.Value = [ed25519.SignatureSize]byte(ed25519.Sign(r.key, []byte(s.Base)))
	return s
}

// inJSON returns the body of a request in JSON.
func inJSON(t testing.TB, text string) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]string{"ttl_content": text, "user": "ari"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSignaturesOfRobotsAreProved makes bundles of signed logs.
func TestSignaturesOfRobotsAreProved(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	k := newKit(t)
	ari := k.robot("ari")
	const says, holds = "which says what is shown here", "1 of 1 are signed by their senders’ keys"
	triple := `<http://e/a> <http://e/b> <<( <http://e/c> <http://e/d> "X"@EN )>> .`
	var bundles []members
	for _, x := range []struct {
		kind, coding, text string
		body               []byte
		page               string
	}{
		{"text/turtle", "", greeting, []byte(greeting), says},
		{"text/turtle; charset=utf-8", "gzip", reply, zipped(t, reply), says},
		{"application/json", "", greeting + "#", inJSON(t, greeting+"#"), says},
		{"text/turtle", "", triple, []byte(triple), says},
		{"application/ld+json", "", reply + "#", []byte(reply + "#"), "to which the entry commits. It is JSON-LD, and was not compared"},
		{"text/turtle", "br", reply + "##", []byte(reply + "##"), "was not compared"},
	} {
		m := k.bundle(About{Logs: []string{k.publishSigned("ari", x.text, ari.sign(x.kind, x.coding, x.body))}})
		if x.page == says {
			k.has(k.holds(m), holds)
		} else {
			k.has(k.holds(m), "1 of 1 have a signature that was not compared with their triples")
		}
		k.has(m.page(), x.page, "the key <code>"+ari.id.String()+"</code>, which belongs to “ari”, as the service says", "“robots.example/ttl”",
			"“admin” added the key "+ari.id.String()+", with which “ari” signs", "2100-03-01 12:00:00.000 UTC, by the sender’s clock")
		bundles = append(bundles, m)
	}
	each := changeEach(bundles[0])
	for i, lines := range k.python(append(each.changed, bundles...)) {
		if i >= len(each.names) {
			k.has(lines[0], "It holds: ", "1 have a key's valid signature")
			continue
		}
		name, r := each.names[i], k.verify(each.changed[i])
		if len(lines) != 1 || !strings.HasPrefix(lines[0], name+": ") || len(r.Failures) != 1 || r.Failures[0].Member != name {
			t.Errorf("with a changed byte in %s: Python says %q, and Go %v", name, lines, r.Failures)
		}
	}
}

// changes are bundles with one change each.
type changes struct {
	names   []string
	changed []members
}

func changeEach(good members) (out changes) {
	for name := range good {
		m := members{}
		for other, b := range good {
			m[other] = bytes.Clone(b)
		}
		m[name][len(m[name])/2] ^= 1
		out.names, out.changed = append(out.names, name), append(out.changed, m)
	}
	return out
}

// observe appends the entry of an observation of a robot, which the sender says is another's.
func (k *kit) observe(by robot, entry, body string) {
	k.Helper()
	s := by.signAt("/shared-context/resolve", "application/json", "", fmt.Appendf(nil, `{"event_kind":" Greeting ","robot_uri":%q,"observed_at":"2100-03-01T12:00:00Z"}`, body))
	k.write(journal.Entry{Action: journal.Resolve, Actor: "ari", Robot: entry, Kind: "greeting", Context: "http://example.org/event", Outcome: "created", Signature: s})
}

// TestSignaturesOfObservationsAreProved makes bundles about the context that was answered.
func TestSignaturesOfObservationsAreProved(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ari := k.robot("ari")
	k.observe(ari, "http://example.org/ari", "http://example.org/ari")
	m := k.bundle(About{IRI: "http://example.org/event"})
	k.has(k.holds(m), "it received 1 observation, 1 of them signed by their senders’ keys")
	k.has(m.page(), "What robots observed", "reported an observation of “http://example.org/ari” (“greeting”)", "<br>Signed by: the key <code>"+ari.id.String(),
		"“robots.example/shared-context/resolve”", "It signed the observation in <code>bodies/2</code>", "“admin” added the key")
	k.observe(ari, "http://example.org/ari", "http://example.org/eve")
	lie := k.bundle(About{IRI: "http://example.org/event"})
	if r := k.verify(lie); len(r.Failures) != 1 || r.Failures[0].Error() != "bodies/3: it is not an observation of the robot and the kind that entry 3 names" {
		t.Errorf("an observation of another robot: %v", r.Failures)
	}
	lines := k.python([]members{m, lie})
	k.has(lines[0][0], "It holds: ", "1 have a key's valid signature")
	k.has(lines[1][0], "bodies/3: it is not what entry 3 says")
}

// TestASignatureOutlivesTheBody withdraws a signed log.
func TestASignatureOutlivesTheBody(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.publishSigned("ari", reply, k.robot("ari").sign("text/turtle", "", []byte(reply)))
	_, err := k.store.Withdraw(t.Context(), id, k.entry(withdrawal))
	k.check(err)
	m := k.bundle(About{Logs: []string{id}})
	k.has(k.holds(m), "1 was removed since; 1 of 1 are signed by their senders’ keys")
	sum := sha256.Sum256([]byte(reply))
	k.has(m.page(), "What it signed was erased, as the service says. It had the digest “sha-256=:"+base64.StdEncoding.EncodeToString(sum[:]))
	if len(m.indexed(bodiesFolder, "")) != 0 || len(m.indexed(signaturesFolder, "")) != 1 {
		t.Errorf("the bundle has a body, or no signature: %v", m.indexed(bodiesFolder, ""))
	}
	k.has(k.python([]members{m})[0][0], "It holds: ", "1 have a key's valid signature")
}

// TestALieAboutASignatureIsFoundOut: the service commits to what no key signed, or changes
// a signature afterwards, and signs the bundle.
func TestALieAboutASignatureIsFoundOut(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	suite.OneGoroutine(t)
	k := newKit(t)
	ari, eve := k.robot("ari"), k.robot("eve")
	good := k.publishSigned("ari", greeting, ari.sign("text/turtle", "", []byte(greeting)))
	other := ari.sign("text/turtle", "", []byte(reply)) // of another document
	forged := eve.sign("text/turtle", "", []byte(greeting))
	forged.Base = strings.Replace(forged.Base, eve.id.String(), ari.id.String(), 1)
	forged.KeyID, forged.Nonce = ari.id, "forged by eve"
	observation := ari.signAt("/shared-context/resolve", "text/turtle", "", []byte(greeting+"#"))
	observation.Nonce += "2"
	mixed := greeting + "\n" // the entry commits to the document, and to what another one says
	signed := ari.sign("text/turtle", "", []byte(mixed))
	tests := []struct {
		what, id string
		lie      func(m members, log string)
		folder   string
		words    string
		python   bool
	}{
		{"another document was signed", k.publishSigned("ari", greeting, other), nil, bodiesFolder, "not the one that entry", true},
		{"another key signed", k.publishSigned("ari", greeting, forged), nil, signaturesFolder, "the key has not signed it", true},
		{"another request was signed", k.publishSigned("ari", greeting+"#", observation), nil, signaturesFolder, "signs a request that does not send a log", true},
		{"the document says something else", k.publishOther("ari", mixed, reply, signed), nil, bodiesFolder, "does not say what is in graphs/", false},
		{"another body", good, func(m members, log string) { m[bodiesFolder+log] = []byte(reply) }, bodiesFolder, "the body is not the one that was signed", true},
		{"no signature", good, func(m members, log string) { delete(m, signaturesFolder+log) }, bodiesFolder, "it has no signature", true},
		{"a signature of another time", good, func(m members, log string) {
			m[signaturesFolder+log] = bytes.Replace(m[signaturesFolder+log], []byte(";created=4"), []byte(";created=3"), 1)
		}, signaturesFolder, "not the one that its entry commits to", true},
		{"no signature base", good, func(m members, log string) { m[signaturesFolder+log] = []byte("x\ny\nz") }, signaturesFolder, "not valid for Ed25519", false},
		{"another key's bytes", good, func(m members, log string) {
			public := eve.key.Public().(ed25519.PublicKey)
			_, rest, _ := bytes.Cut(m[signaturesFolder+log], []byte("\n"))
			m[signaturesFolder+log] = append([]byte(base64.StdEncoding.EncodeToString(public)+"\n"), rest...)
		}, signaturesFolder, "it names the key", true},
	}
	var lies []members
	for _, x := range tests {
		m := k.bundle(About{Logs: []string{x.id}})
		log := fmt.Sprint(m.indexed(signaturesFolder, "")[0])
		if x.lie != nil {
			k.holds(m)
			x.lie(m, log)
			k.resign(m)
		}
		lies = append(lies, m)
		r := k.verify(m)
		if r.Holds != "" || !slices.ContainsFunc(r.Failures, func(f *Failure) bool { return f.Member == x.folder+log && strings.Contains(f.Problem, x.words) }) {
			t.Errorf("%s: %v", x.what, r.Failures)
		}
	}
	for i, lines := range k.python(lies) {
		if found := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, tests[i].folder) }); found != tests[i].python {
			t.Errorf("%s: Python says %q", tests[i].what, lines)
		}
	}
}

// TestWitnessesOfABundleAreVerified adds a witness's line to the checkpoint.
func TestWitnessesOfABundleAreVerified(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	id := k.publish("ari", greeting)
	if page := k.bundle(About{Logs: []string{id}}).page(); !strings.Contains(page, "No witness has signed") {
		t.Error("without a witness the page does not say so")
	}
	witness := k.witness("example.org/w", make([]byte, ed25519.SeedSize))
	silent := k.witness("example.org/v", make([]byte, ed25519.SeedSize)).Verifier().String()
	impostor := k.witness("example.org/w", []byte(strings.Repeat("x", 32))).Verifier().String()
	c, err := k.log.Send(t.Context())
	k.check(err)
	good := witness.Verifier().String()
	k.check(k.log.Keep(t.Context(), c, []translog.Cosignature{{By: good, Time: begin, Lines: witness.Line(c.Text(), begin)}}))
	m := k.bundle(About{Logs: []string{id}})
	k.holds(m)
	k.has(m.page(), "names these witnesses: “example.org/w”.")
	if _, err := note.Open(m[checkpointName], note.VerifierList(witness.Verifier())); err != nil {
		t.Error(err)
	}
	for _, x := range []struct {
		witnesses []string
		failure   string
	}{
		{nil, ""},
		{[]string{good}, ""},
		{[]string{good, silent}, "the witness " + silent + " has not cosigned it"},
		{[]string{impostor}, "has not cosigned it"},
	} {
		z := k.zipOf(m)
		r, err := Verify(z, z.Size(), k.key, x.witnesses...)
		k.check(err)
		if x.failure == "" && (len(r.Failures) > 0 || len(r.Witnesses) != len(x.witnesses)) || x.failure != "" && (len(r.Failures) != 1 || !strings.Contains(r.Failures[0].Error(), x.failure)) {
			t.Errorf("with %q: %v, %q", x.witnesses, r.Failures, r.Witnesses)
		}
		if x.failure == "" && len(x.witnesses) > 0 && r.Witnesses[0] != "example.org/w at "+shown(begin.Truncate(time.Second)) {
			t.Errorf("%q", r.Witnesses)
		}
	}
	if _, err := Verify(k.zipOf(m), 1, k.key, k.key); err == nil || !strings.Contains(err.Error(), "not the key of a witness") {
		t.Errorf("with a log's key for a witness's: %v", err)
	}
	k.has(k.python([]members{m})[0][0], "It holds: ")
}

// TestKeysOfSmallOrderProveNothing: with this key of a robot, the signature fits any text.
func TestKeysOfSmallOrderProveNothing(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	k := newKit(t)
	point := "5866666666666666666666666666666666666666666666666666666666666666"
	for _, key := range []string{
		"0100000000000000000000000000000000000000000000000000000000000000", // the neutral point
		"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", // the same in another encoding
		"0100000000000000000000000000000000000000000000000000000000000080",
	} {
		public, err := hex.DecodeString(key)
		k.check(err)
		value, err := hex.DecodeString(point + "01" + strings.Repeat("00", 31))
		k.check(err)
		s := &signature{public: public, value: value, base: "any text"}
		if !ed25519.Verify(public, []byte(s.base), value) {
			t.Errorf("%s: Go refuses the signature, so the test shows nothing", key)
		}
		if _, err := parseSignature(s.text()); !errors.Is(err, publickey.ErrUnfit) {
			t.Errorf("%s: %v", key, err)
		}
		if out := k.runPython(`k, s = (bytes.fromhex(t) for t in json.load(sys.stdin)); print(v.ed25519(k, b"any text", s))`, fmt.Sprintf(`["%s", "%x"]`, key, value)); string(out) != "False\n" {
			t.Errorf("%s: Python says %s", key, out)
		}
		receipt := `import verify_receipt as r
k, s = (bytes.fromhex(t) for t in json.load(sys.stdin))
try: print(r.signed(k, b"any text", s))
except AssertionError: print(False)`
		if out := k.runPython(receipt, fmt.Sprintf(`["%s", "%x"]`, key, value)); string(out) != "False\n" {
			t.Errorf("%s: for a receipt, Python says %s", key, out)
		}
		log, err := note.NewEd25519VerifierKey("example.org/log", public)
		k.check(err)
		if _, err := Verify(strings.NewReader(""), 0, log); !errors.Is(err, publickey.ErrUnfit) {
			t.Errorf("the log's key %s: %v", log, err)
		}
		witness, err := formats.VKeyToCosignatureV1(log)
		k.check(err)
		if _, err := Verify(strings.NewReader(""), 0, k.key, witness); !errors.Is(err, publickey.ErrUnfit) {
			t.Errorf("the witness's key %s: %v", witness, err)
		}
	}
}
