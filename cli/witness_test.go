package cli

import (
	"crypto/ed25519"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/translog"
)

// cosign has a witness sign the newest checkpoint of segraph.db.
func cosign(t *testing.T, signer *cosignature.Signer, at time.Time) {
	t.Helper()
	s, err := persist.Open("segraph.db", persist.Options{Options: engine.Options{TextIndex: engine.TextIndexAsIs}})
	if err != nil {
		t.Fatal(err)
	}
	l := translog.New(s.Store, translog.Options{KeyFile: "segraph.db.key"})
	c, err := l.Send(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = l.Keep(t.Context(), c, []translog.Cosignature{{By: signer.Verifier().String(), Time: at, Lines: signer.Line(c.Text(), at)}})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAuditKnowsWitnesses(t *testing.T) {
	t.Chdir(t.TempDir())
	made := segraph("", nil, "audit", "key", "witness")
	if v, err := cosignature.NewVerifier(strings.TrimSpace(made.stdout)); made.code != 0 || err != nil || v.String()+"\n" != made.stdout {
		t.Fatalf("%+v, %v", made, err)
	}
	if got := segraph(greetings, nil, "load", "-", "--format", "turtle"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	sign(t)
	got := segraph("", nil, "audit", "key")
	if log, own, ok := strings.Cut(got.stdout, "\nwitness "); !ok || own != made.stdout || strings.Contains(log, "\n") {
		t.Errorf("%+v, and before %+v", got, made)
	}
	signer, err := cosignature.NewSigner("example.org/w", ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	cosign(t, signer, time.Unix(1e9, 0).UTC())
	if got := segraph("", nil, "audit", "verify"); got.code != 0 || !strings.Contains(got.stdout, "\nexample.org/w cosigned 2 entries at 2001-09-09T01:46:40Z\n") {
		t.Errorf("%+v", got)
	}
	cosign(t, signer, time.Unix(0, 0)) // which is not a time of a cosignature
	if got := segraph("", nil, "audit", "verify"); got.code != exitDamaged || !strings.Contains(got.stderr, "a cosignature of example.org/w that is not valid") {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile("segraph.db.witness", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"audit", "key"}, {"audit", "key", "witness"}} {
		if got := segraph("", nil, args...); got.code == 0 || !strings.Contains(got.stderr, "remove the file") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	for variable, want := range map[string]string{
		"SEGRAPH_WITNESSES=w+01+B http://w": "SEGRAPH_WITNESSES: \"w+01+B\" is not the verifier key of a witness",
		"SEGRAPH_WITNESS_OF=w+01+A":         "SEGRAPH_WITNESS_OF: \"w+01+A\" is not the verifier key of a log",
	} {
		if got := segraph("", []string{variable}, "serve", "--data", "other.db"); got.code != exitUsage || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", variable, got)
		}
	}
}
