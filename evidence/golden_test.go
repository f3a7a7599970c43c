package evidence

import (
	"bytes"
	"crypto/ed25519"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/translog"
)

var golden = flag.Bool("golden", false, "make the bundle in testdata of a new format")

// goldenOf returns the names of a bundle of a format, and of its keys: those of the log and of
// a witness.
func goldenOf(format int) (bundle, keys string) {
	name := fmt.Sprintf("testdata/format-%d-page-%[1]d.", format)
	return name + "zip", name + "keys"
}

// TestABundleHoldsForEver verifies a bundle that an older program made. If it fails, the
// program must be changed, and not the bundle: people keep bundles. Add another bundle
// for each new format.
func TestABundleHoldsForEver(t *testing.T) {
	for format := 1; format <= lastFormat; format++ {
		holdsForEver(t, format)
	}
}

func holdsForEver(t *testing.T, format int) {
	goldenBundle, goldenKeys := goldenOf(format)
	if _, err := os.Stat(goldenBundle); *golden && os.IsNotExist(err) {
		makeGolden(t, goldenBundle, goldenKeys)
	}
	b, err := os.ReadFile(goldenBundle)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(goldenKeys)
	if err != nil {
		t.Fatal(err)
	}
	keys := strings.Fields(string(text))
	r, err := Verify(bytes.NewReader(b), int64(len(b)), keys[0], keys[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Failures {
		t.Error(f)
	}
	want := "example.org/log has 9 entries from 2100-03-01 12:00:00.000 UTC to 2100-03-01 13:00:00.000 UTC, and they are all here; 4 logs of ari, tiago; " +
		"what was said is proved for 3 of 4, and 1 were removed since; 2 of 4 are signed by their senders’ keys."
	if format > 1 {
		want = "example.org/log has 11 entries from 2100-03-01 12:00:00.000 UTC to 2100-03-01 13:00:00.000 UTC, and they are all here; 5 logs of ari, tiago; the bundle was made at 2100-03-01 12:11:00.000 UTC, before that time was over; " +
			"what was said is proved for 4 of 5, and 1 was removed since; 2 of 5 are signed by their senders’ keys; " +
			"1 of 5 have a signature, and what it signs was not compared with what they said; it received 2 observations, 1 of them signed by their senders’ keys."
	}
	if format > 2 {
		want = strings.Replace(want, "a signature, and what it signs was not compared with what they said", "a signature that was not compared with their triples", 1)
	}
	if r.Holds != want || strings.Join(r.Witnesses, "") != "example.org/w at 2100-03-01 12:00:00.000 UTC" {
		t.Errorf("%s\n%s\nwant %s", r.Holds, r.Witnesses, want)
	}
}

// makeGolden makes a bundle with members of every kind.
func makeGolden(t *testing.T, goldenBundle, goldenKeys string) {
	k := newKit(t)
	ari := k.robot("ari")
	withdrawn := k.publishSigned("ari", reply, ari.sign("text/turtle", "", []byte(reply)))
	k.publishSigned("ari", greeting, ari.sign("application/json", "", inJSON(t, greeting)))
	k.publish("tiago", reply)
	k.publish("tiago", `<http://e/a> <http://e/b> <<( <http://e/c> <http://e/d> _:x )>>, "x"@ar--rtl .`)
	_, err := k.store.Withdraw(t.Context(), withdrawn, k.entry(withdrawal))
	k.check(err)
	k.write(journal.Entry{Action: journal.Accept, Actor: "maria", Case: "case-7", Source: "http://example.org/c1", Target: "http://example.org/c2", Decision: "d1"})
	k.write(journal.Entry{Action: journal.Undo, Actor: "maria", Undone: "d1", Source: "http://example.org/c1", Target: "http://example.org/c2"})
	k.write(journal.Entry{Action: journal.Resolve, Actor: "ari", Robot: "http://example.org/ari", Kind: "greeting", Context: "http://example.org/c1", Outcome: "new"})
	k.observe(ari, "http://example.org/ari", "http://example.org/ari")
	k.publishSigned("ari", reply+"#", ari.sign("application/ld+json", "", []byte(reply+"#")))
	witness := k.witness("example.org/w", make([]byte, ed25519.SeedSize))
	c, err := k.log.Send(t.Context())
	k.check(err)
	by := translog.Cosignature{By: witness.Verifier().String(), Time: begin, Lines: witness.Line(c.Text(), begin)}
	k.check(k.log.Keep(t.Context(), c, []translog.Cosignature{by}))
	to := begin.Add(time.Hour)
	var b bytes.Buffer
	k.check(k.bundle(About{From: &begin, To: &to}).zipped(&b))
	k.check(os.WriteFile(goldenKeys, []byte(k.key+"\n"+by.By+"\n"), 0o600))
	k.check(os.WriteFile(goldenBundle, b.Bytes(), 0o600))
}
