package evidence

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/cosignature"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/rdf/canon"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/turtle"
)

// begin is the time of the first log of a kit, after the real time of its first entry.
// Each log is a minute later than the one before.
var begin = time.Date(2100, 3, 1, 12, 0, 0, 0, time.UTC)

// kit is a file with logs.
type kit struct {
	testing.TB
	store *persist.Store
	log   *translog.Log
	key   string
	now   time.Time
}

func newKit(t testing.TB) *kit {
	t.Helper()
	s, err := persist.Open(filepath.Join(t.TempDir(), "x.db"), persist.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	k := &kit{TB: t, store: s, log: translog.New(s.Store, translog.Options{KeyFile: s.Path() + ".key", Origin: "example.org/log"}), now: begin}
	k.check(k.log.Excerpt(t.Context(), func(x *translog.Excerpt) error { k.key = x.Key; return nil }))
	return k
}

func (k *kit) check(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// witness returns the signer of a witness.
func (k *kit) witness(name string, seed []byte) *cosignature.Signer {
	k.Helper()
	s, err := cosignature.NewSigner(name, ed25519.NewKeyFromSeed(seed))
	k.check(err)
	return s
}

// rotate gives the log another key.
func (k *kit) rotate() {
	k.Helper()
	o := translog.Options{KeyFile: k.store.Path() + ".key", Origin: "example.org/log"}
	r, err := translog.Rotate(k.Context(), k.store.Store, o, nil, "admin")
	k.check(err)
	k.log, k.key = translog.New(k.store.Store, o), r.To
}

// entry returns a complete entry, a minute after the one before.
func (k *kit) entry(e journal.Entry) journal.Entry {
	e.Time = k.now
	k.now = k.now.Add(time.Minute)
	return e.Complete()
}

// publish stores a log and returns its id.
func (k *kit) publish(actor, text string) string {
	k.Helper()
	return k.publishSigned(actor, text, nil)
}

// publishSigned stores a log with the signature of its request, and returns its id.
func (k *kit) publishSigned(actor, text string, s *journal.Signature) string {
	k.Helper()
	return k.publishOther(actor, text, text, s)
}

// publishOther is publishSigned for a service that lies: the entry commits to one text,
// and the log contains another.
func (k *kit) publishOther(actor, text, says string, s *journal.Signature) string {
	k.Helper()
	d := &store.Document{}
	in := turtle.NewReader(strings.NewReader(says), turtle.Turtle, turtle.Options{})
	var quads []rdf.Quad
	for {
		q, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		k.check(err)
		d.Add(q)
		quads = append(quads, q)
	}
	e := k.entry(journal.Entry{Actor: actor, Triples: d.Distinct(), Secret: journal.NewSecret(), Canon: "rdfc-1.0", Signature: s})
	e.Commitment = e.Secret.Content().Commit([]byte(text))
	if strings.Contains(says, "<<") {
		e.Canon = canon.BasicName
		quads, _ = canon.Basic(quads)
	}
	canonical, err := canon.NQuads(quads, canon.Options{})
	k.check(err)
	e.Graph = e.Secret.Content().Commit(canonical)
	_, err = k.store.Add(k.Context(), d, e)
	k.check(err)
	return e.LogID
}

// write appends an entry that is no log.
func (k *kit) write(e journal.Entry) {
	k.Helper()
	k.check(k.store.Update(k.Context(), func(tx *engine.Tx) error { return tx.Journal(k.entry(e)) }))
}

func (k *kit) request(about About) Request {
	return Request{About: about, By: "auditor", Now: k.now, Ask: func(ctx context.Context, text string, triple func(rdf.Triple) error) error {
		q, err := sparql.Prepare(ctx, text, sparql.Options{})
		if err != nil {
			return err
		}
		return k.store.Query(ctx, q, budget.Limits{}, nil, triple)
	}}
}

// bundle makes a bundle.
func (k *kit) bundle(about About) members {
	k.Helper()
	b, err := Make(k.Context(), k.store, k.log, k.request(about))
	k.check(err)
	return b.members
}

// fileOf returns a bundle as a file.
func (k *kit) fileOf(m members) []byte {
	k.Helper()
	var b bytes.Buffer
	n, err := (&Bundle{m}).WriteTo(&b)
	if k.check(err); n != int64(b.Len()) {
		k.Fatalf("WriteTo returned %d after %d bytes", n, b.Len())
	}
	return b.Bytes()
}

// zipOf returns a bundle as a file.
func (k *kit) zipOf(m members) *bytes.Reader {
	k.Helper()
	return bytes.NewReader(k.fileOf(m))
}

// verify verifies a bundle with the key of the log.
func (k *kit) verify(m members) *Report {
	k.Helper()
	z := k.zipOf(m)
	r, err := Verify(z, z.Size(), k.key)
	k.check(err)
	return r
}

// holds fails the test unless a bundle holds, and returns what it proves.
func (k *kit) holds(m members) string {
	k.Helper()
	r := k.verify(m)
	for _, f := range r.Failures {
		k.Errorf("the bundle does not hold: %v", f)
	}
	return r.Holds
}

// resign signs the members as they are with the log's key, as a service that lies can.
func (k *kit) resign(m members) {
	k.Helper()
	k.check(k.log.Excerpt(k.Context(), func(x *translog.Excerpt) (err error) {
		m[manifestName], err = x.Sign(manifestOf(x.Origin, m))
		return err
	}))
}

// page returns the page, with its values in quotation marks only.
func (m members) page() string {
	return strings.NewReplacer("<bdi class=v>", "", "”</bdi>", "”").Replace(string(m[pageName]))
}

// has fails the test unless a text contains all parts.
func (k *kit) has(text string, parts ...string) {
	k.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			k.Errorf("%q is missing in %q", part, text)
		}
	}
}

// otherKey returns the verifier key of somebody else under the log's name.
func (k *kit) otherKey() string {
	k.Helper()
	key, err := note.NewEd25519VerifierKey("example.org/log", ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey))
	k.check(err)
	return key
}

// writeClaim writes a changed claim, and the page that fits it.
func writeClaim(t testing.TB, m members, c *contents) {
	t.Helper()
	var err error
	if m[claimName], err = c.claim.text(); err != nil {
		t.Fatal(err)
	}
}
