package httpapi

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/remitly-oss/httpsig-go"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/holds"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/signers"
)

// scriptedSigners has one key, and one signed request.
type scriptedSigners struct{}

func scriptedKey() journal.SigningKey {
	k := journal.SigningKey{User: "ari", Public: make([]byte, ed25519.PublicKeySize), Added: time.Unix(0, 0), AddedBy: "eva"}
	k.ID = journal.IDOf(k.Public)
	return k
}

func (scriptedSigners) Key(id journal.KeyID) (journal.SigningKey, bool, error) {
	return scriptedKey(), id == scriptedKey().ID, nil
}

func (scriptedSigners) Keys(context.Context) ([]journal.SigningKey, error) {
	return []journal.SigningKey{scriptedKey()}, nil
}

func (scriptedSigners) AddKey(context.Context, journal.SigningKey, journal.Entry) error { return nil }

func (scriptedSigners) RemoveKey(context.Context, journal.KeyID, journal.Entry) (journal.SigningKey, error) {
	return scriptedKey(), nil
}

func (scriptedSigners) RepeatedBy(*journal.Signature) (*journal.Repeated, error) { return nil, nil }

func (scriptedSigners) Signed(context.Context, uint64) (*journal.SignedRequest, error) {
	return &journal.SignedRequest{Key: scriptedKey(), Base: "base", Value: []byte{1}, Erased: true}, nil
}

// scriptedHolds has one hold.
type scriptedHolds struct{}

func (scriptedHolds) All(time.Time) ([]holds.Hold, error) { return []holds.Hold{{ID: "hold"}}, nil }

func (scriptedHolds) Add(_ context.Context, h holds.Hold, _ journal.Entry) (holds.Hold, error) {
	return h, nil
}

func (scriptedHolds) Lift(_ context.Context, id string, _ journal.Entry) (holds.Hold, bool, error) {
	return holds.Hold{ID: id}, id == "hold", nil
}

// scriptedEraser finds nothing of anybody.
type scriptedEraser struct{}

func (scriptedEraser) PreviewErasure(_ context.Context, iri, _ string, _ journal.Entry) (store.ErasurePreview, error) {
	return store.ErasurePreview{IRIs: []string{iri}}, nil
}

func (scriptedEraser) Erase(context.Context, string, string, journal.Entry) (store.Erased, error) {
	return store.Erased{Index: 1, Salt: "AQIDBAUGBwgJCgsMDQ4PEA"}, nil
}

// signedService is a service on a file, to which robots send signed requests.
type signedService struct {
	*fixture
	t     testing.TB
	file  *persist.Store
	path  string
	now   time.Time
	nonce int
}

func newSignedService(t testing.TB, change ...func(*settings)) *signedService {
	t.Helper()
	s := &signedService{t: t, path: filepath.Join(t.TempDir(), "s.db"), now: time.Now().Truncate(time.Second)}
	s.open(change...)
	t.Cleanup(func() { s.close() })
	return s
}

func (s *signedService) close() {
	if err := s.file.Close(); err != nil {
		s.t.Error(err)
	}
}

func (s *signedService) open(change ...func(*settings)) {
	s.t.Helper()
	var err error
	if s.file, err = persist.Open(s.path, persist.Options{}); err != nil {
		s.t.Fatal(err)
	}
	clock := func() time.Time { return s.now }
	contexts, err := resolver.Open(s.file.Contexts(), resolver.Options{Settings: resolver.Defaults(), Now: clock})
	if err != nil {
		s.t.Fatal(err)
	}
	s.fixture = newService(s.t, append([]func(*settings){func(c *settings) {
		graph := persist.ResolvedGraph{Graph: s.file, Store: s.file, Resolver: contexts}
		c.Graph, c.Lines, c.Eraser, c.Follower, c.Forgotten = graph, graph, graph, graph, s.file.Forgotten
		c.Journal, c.Contexts, c.Revocations, c.Signers, c.Holds = s.file, contexts, s.file, signers.Of(s.file.Store), holds.Of(s.file.Store)
		c.Retries, c.Translog, c.Now = s.file.Retries, nil, clock
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // where httptest's requests come from
	}}, change...)...)
}

// robot returns a private key that depends on n alone.
func robot(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func idOf(key ed25519.PrivateKey) string {
	return journal.IDOf(key.Public().(ed25519.PublicKey)).String()
}

// addKey adds a robot's key by the API.
func (s *signedService) addKey(user string, key ed25519.PrivateKey) {
	s.t.Helper()
	body, _ := json.Marshal(map[string]string{"user": user, "public_key": journal.PublicPEM(key.Public().(ed25519.PublicKey))})
	w := s.do(s.t, call{method: "POST", path: "/admin/keys", body: string(body), token: s.token(s.t, auth.Admin)})
	if w.Code != http.StatusCreated || asJSON[signingKey](s.t, w).ID != idOf(key) {
		s.t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// metadata provides the parameters of a signature to the library.
type metadata struct {
	created      time.Time
	nonce, keyID string
}

func (m metadata) Created() (int, error) { return int(m.created.Unix()), nil }

func (m metadata) Expires() (int, error) { return 0, nil }

func (m metadata) Nonce() (string, error) { return m.nonce, nil }

func (m metadata) Alg() (string, error) { return "ed25519", nil }

func (m metadata) KeyID() (string, error) { return m.keyID, nil }

func (m metadata) Tag() (string, error) { return "segraph", nil }

// toSign describes a signed request. Zero fields have usual values.
type toSign struct {
	path, body, kind, coding, host string
	list                           string // the List-Digest, in place of a Content-Digest
	key                            ed25519.PrivateKey
	metadata
}

// signed returns a request signed by a library of another project.
func (s *signedService) signed(c toSign) *http.Request {
	s.t.Helper()
	s.nonce++
	usual := func(v *string, value string) {
		if *v == "" {
			*v = value
		}
	}
	usual(&c.path, "/ttl")
	usual(&c.body, ttl(small, "robot"))
	usual(&c.kind, "application/json")
	usual(&c.nonce, fmt.Sprintf("nonce-%04d", s.nonce))
	if c.key == nil {
		c.key = robot(1)
	}
	usual(&c.keyID, idOf(c.key))
	if c.created.IsZero() {
		c.created = s.now
	}
	r := httptest.NewRequest("POST", c.path, strings.NewReader(c.body))
	usual(&c.host, r.Host)
	r.Host = c.host
	r.Header.Set("Content-Type", c.kind)
	r.Header.Set("Authorization", "Bearer "+s.token(s.t, auth.Logger)) // of ari
	fields := []string{"@method", "@authority", "@path", "@query", "content-type", "content-digest"}
	if c.list != "" {
		r.Header.Set("List-Digest", c.list)
		fields[len(fields)-1] = "list-digest"
	}
	if c.coding != "" {
		r.Header.Set("Content-Encoding", c.coding)
		fields = append(fields, "content-encoding")
	}
	err := httpsig.Sign(r, httpsig.SigningOptions{
		PrivateKey: c.key, Algorithm: httpsig.Algo_ED25519, Fields: httpsig.Fields(fields...),
		Metadata:  []httpsig.Metadata{httpsig.MetaCreated, httpsig.MetaKeyID, httpsig.MetaNonce, httpsig.MetaTag},
		MetaKeyID: c.keyID, MetaTag: "segraph",
	}, c.metadata)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// again returns a changed copy of a request, as an eavesdropper would send it.
func again(r *http.Request, change func(*http.Request)) *http.Request {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	out := r.Clone(r.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	change(out)
	return out
}

func (s *signedService) send(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// entries returns the number of entries in the journal.
func (s *signedService) entries() (n uint64) {
	s.t.Helper()
	if err := s.file.View(func(snap *engine.Snapshot) error { n = journal.Count(snap.KV()); return nil }); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// keptRequest is what the service keeps of a signed request.
type keptRequest struct {
	Public    string `json:"public_key"`
	User      string `json:"user"`
	Base      string `json:"signature_base"`
	Signature []byte `json:"signature"`
	Body      []byte `json:"body"`
	Erased    bool   `json:"body_erased"`
}

func (s *signedService) kept(logID string) keptRequest {
	s.t.Helper()
	w := s.do(s.t, call{method: "GET", path: "/logs/" + logID + "/signature", token: s.token(s.t, auth.Auditor)})
	if w.Code != http.StatusOK {
		s.t.Fatalf("%d %s", w.Code, w.Body)
	}
	k := asJSON[keptRequest](s.t, w)
	public, err := journal.ParsePublicKey([]byte(k.Public))
	if err != nil || !ed25519.Verify(public, []byte(k.Base), k.Signature) {
		s.t.Errorf("what is kept does not verify: %+v", k)
	}
	return k
}

func unchanged(*http.Request) {}
