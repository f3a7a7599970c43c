package admin

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/views/viewstest"
)

func TestAnAdminAddsAndRemovesKeys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.SignedIn("admin")
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public := private.Public().(ed25519.PublicKey)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	secret := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	viewstest.WantPage(t, b.Get("/keys"), 200, "No keys")
	for _, c := range []struct {
		user, key string
		status    int
		says      string
	}{
		{"tiago", secret, 422, "This is a private key"},
		{"tiago", "x", 422, "The key is not in PEM"},
		{"tiago", journal.PublicPEM(make([]byte, ed25519.PublicKeySize)), 422, "prove nothing"},
		{"", journal.PublicPEM(public), 422, "Name the user"},
		{s.Token("admin"), journal.PublicPEM(public), 422, "what looks like a token"},
		{"tiago", journal.PublicPEM(public), 303, ""},
		{"tiago", journal.PublicPEM(public), 409, "in use already"},
		{"other", journal.PublicPEM(public), 409, "belongs to another user"},
	} {
		w := b.Post("/keys", url.Values{"do": {"add"}, "user": {c.user}, "key": {c.key}})
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%.20q, %.30q: %d, want %d and %q", c.user, c.key, w.Code, c.status, c.says)
		}
		if c.key == secret && strings.Contains(w.Body.String(), strings.Split(secret, "\n")[1]) {
			t.Error("the page shows the private key")
		}
	}
	id := journal.IDOf(public).String()
	viewstest.Want(t, b.Get("/keys").Body.String(), "1 key", "tiago", id, "Remove")
	viewstest.WantPage(t, b.Get("/keys?user=ari"), 200, "No keys")
	if w := b.Post("/keys", url.Values{"do": {"remove"}, "id": {id}}); w.Code != http.StatusSeeOther {
		t.Fatalf("removing: %d %s", w.Code, w.Body)
	}
	viewstest.Want(t, b.Get("/keys?user=tiago").Body.String(), "1 key", "removed ")
	viewstest.WantPage(t, b.Post("/keys", url.Values{"do": {"remove"}, "id": {"x"}}), 404, "There is no such key")
	page, err := s.Store.Logs(t.Context(), journal.Filter{Limit: 2, Look: 10}, nil)
	if err != nil || page.Entries[0].Action != journal.DropKey || page.Entries[1].Action != journal.UseKey || page.Entries[0].Actor != "ari" {
		t.Errorf("the journal ends with %+v, %v", page.Entries, err)
	}
}
