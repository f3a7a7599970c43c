package evidence

import (
	"bytes"
	"crypto/ed25519"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
)

var golden = flag.Bool("golden", false, "make the bundle in testdata again")

// The bundle in testdata, and its keys: those of the log and of a witness. Tests of cli
// use them too.
const (
	goldenBundle = "testdata/bundle.zip"
	goldenKeys   = "testdata/bundle.keys"
)

// TestABundleIsVerifiedByAnyoneWhoHasTheKeys verifies a bundle that another process made.
// After the first release, people keep such bundles: then it must not be made again.
func TestABundleIsVerifiedByAnyoneWhoHasTheKeys(t *testing.T) {
	t.Parallel()
	if *golden {
		makeGolden(t)
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
	const want = "example.org/log has 11 entries from 2100-03-01 12:00:00.000 UTC to 2100-03-01 12:10:00.000 UTC, and they are all here; it ends there, so nothing is proved of the time from then to 2100-03-01 13:00:00.000 UTC; 5 logs of “ari”, “tiago”; " +
		"what was said is proved for 4 of 5, and 1 was removed since; 2 of 5 are signed by their senders’ keys; " +
		"1 of 5 have a signature that was not compared with their triples; it received 2 observations, 1 of them signed by their senders’ keys."
	if r.Holds != want || strings.Join(r.Witnesses, "") != "example.org/w at 2100-03-01 12:00:00.000 UTC" {
		t.Errorf("%s\n%s\nwant %s", r.Holds, r.Witnesses, want)
	}
}

// makeGolden makes a bundle with members of every kind.
func makeGolden(t *testing.T) {
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
