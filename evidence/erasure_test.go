package evidence

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/log/journal"
)

// The receipt of an erasure holds for the person's IRI and salt, and without both, but for nobody else, and not
// with another entry, log or signature.
func TestAReceiptOfAnErasureIsThePersonsAlone(t *testing.T) {
	t.Parallel()
	const person = "http://ex/id/maria"
	k, salt := newKit(t), journal.Salt{1, 2, 3}
	other := journal.Salt{4}.Commit([]byte(person))
	k.publish("ari", "<urn:s> <urn:p> 1 .")
	k.write(journal.Entry{Action: journal.Erasure, Person: other + "," + salt.Commit([]byte(person)), Removed: 7, Lessened: "1-2"})
	k.publish("ari", "<urn:s> <urn:p> 2 .")
	at := uint64(0)
	for _, action := range []journal.Action{journal.Origin, journal.Insert} { // the entries before
		at++
		r, err := k.log.Receipt(t.Context(), at)
		k.check(err)
		if v := k.receipt(map[string]any{"log_index": r.Index, "receipt": r.Proof}, k.key); len(v.Failures) != 1 || !strings.Contains(v.Failures[0].Problem, "not that of an erasure") {
			t.Errorf("the receipt of %s: %+v", action, v)
		}
	}
	r, err := k.log.Receipt(t.Context(), at+1)
	k.check(err)
	text := base64.StdEncoding.EncodeToString(salt[:])
	whole := func() map[string]any {
		return map[string]any{"log_index": r.Index, "receipt": r.Proof, "person": person, "salt": text}
	}
	v := k.receipt(whole(), k.key)
	if len(v.Failures) > 0 || !strings.Contains(v.Holds, person) || !strings.Contains(v.Holds, "removed 7 triples. These entries lost values: 1-2.") {
		t.Fatalf("%+v", v)
	}
	public := whole()
	delete(public, "person")
	delete(public, "salt")
	if v := k.receipt(public, k.key); len(v.Failures) > 0 || !strings.Contains(v.Holds, "somebody was erased") || !strings.HasPrefix(v.Limits[len(v.Limits)-1], "Whom.") {
		t.Errorf("without the salt: %+v", v)
	}
	for name, c := range map[string]struct {
		member string
		value  any
		why    string
	}{
		"another IRI":       {"person", person + "2", "not about"},
		"another salt":      {"salt", base64.StdEncoding.EncodeToString(make([]byte, 16)), "not about"},
		"a short salt":      {"salt", "AQID", "16 bytes"},
		"no salt":           {"salt", nil, "both"},
		"no person":         {"person", nil, "both"},
		"another index":     {"log_index", r.Index - 1, "another entry"},
		"an altered entry":  {"receipt", altered(t, r.Proof), "does not have entry"},
		"another signature": {"receipt", strings.Replace(r.Proof, "\n4\n", "\n5\n", 1), "not signed"},
		"no receipt":        {"receipt", "x", "tlog-proof"},
		"a number":          {"receipt", 1, "not a receipt"},
		"a repeated name":   {"Person", person, "not a receipt"},
	} {
		in := whole()
		if in[c.member] = c.value; c.value == nil {
			delete(in, c.member)
		}
		v := k.receipt(in, k.key)
		if v.Holds != "" || !slices.ContainsFunc(v.Failures, func(f *Failure) bool { return strings.Contains(f.Error(), c.why) }) {
			t.Errorf("%s: %q, %v", name, v.Holds, v.Failures)
		}
	}
	if v := k.receipt(whole(), k.otherKey()); len(v.Failures) == 0 {
		t.Error("another key verifies it")
	}
}

// altered returns a receipt whose entry says that more triples went.
func altered(t *testing.T, proof string) string {
	t.Helper()
	_, rest, _ := strings.Cut(proof, "extra ")
	line, _, _ := strings.Cut(rest, "\n")
	stored, err := base64.StdEncoding.DecodeString(line)
	if err != nil || len(stored) < sha256.Size {
		t.Fatal(err)
	}
	changed := strings.Replace(string(stored), `"removed":7`, `"removed":8`, 1)
	return strings.Replace(proof, line, base64.StdEncoding.EncodeToString([]byte(changed)), 1)
}

// receipt verifies a receipt with these members.
func (k *kit) receipt(in map[string]any, key string) *Report {
	k.Helper()
	text, err := json.Marshal(in)
	k.check(err)
	v, err := Verify(strings.NewReader(string(text)), int64(len(text)), key)
	k.check(err)
	return v
}
