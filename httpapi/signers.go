package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
)

// signable describes signed requests.
const signable = "The request may be signed (RFC 9421, Ed25519): see docs/signing.md. If a required signature is missing, or the signature is not valid, the answer is 401, " +
	"with Accept-Signature and Date. A signed request that is sent again gets the first answer."

// signerRoutes returns the routes of the keys with which users sign requests, and of what
// they signed.
func (a *API) signerRoutes() []route {
	limit := a.service.Config().Limits.Body
	key := []content{{"application/json", "SigningKey"}}
	return []route{
		{http.MethodGet, "/admin/keys", admin, limit, a.getKeys, operation{
			id: "signingKeys", tag: "Operation", summary: "List the keys with which users sign requests",
			description: "Removed keys stay in the list, because they verify what they signed before.",
			responses:   []answer{{200, "The keys.", []content{{"application/json", "SigningKeys"}}}},
			problems:    []int{503},
		}},
		{http.MethodPost, "/admin/keys", admin, limit, a.postKey, operation{
			id: "addSigningKey", retry: byKey, tag: "Operation", summary: "Add a key with which a user signs requests",
			description: "An Ed25519 public key. Its key_id is its JWK thumbprint (RFC 7638), which signatures name as keyid. The journal gets an entry that names the key and the user.",
			body:        []content{{"application/json", "NewSigningKey"}},
			responses:   []answer{{201, "The key.", key}},
			problems:    []int{409, 422},
			links:       []link{{"removeSigningKey", "key_id", "/key_id"}},
		}},
		{http.MethodPost, "/admin/keys/{key_id}/remove", admin, limit, a.postKeyRemoval, operation{
			id: "removeSigningKey", retry: byKey, tag: "Operation", summary: "Remove a key with which a user signs requests",
			description:  "From now on, its signatures are refused. The key can't be added again.",
			parameters:   []parameter{{name: "key_id", in: "path", description: "The key_id.", schema: anyText}},
			body:         []content{{"application/json", "NoMembers"}},
			optionalBody: true,
			responses:    []answer{{200, "The key.", key}},
			problems:     []int{404, 503, 507},

			destructive: true,
		}},
		{http.MethodGet, "/logs/{log_id}/signature", []auth.Role{auth.Auditor, auth.Admin}, limit, a.getSignature, operation{
			id: "signature", tag: "Journal", summary: "Get the signed request of a log or an observation",
			description: "What anyone needs to verify who sent it, without this service: the public key, the signature base (RFC 9421), the signature, and the body as received. " +
				"The body is erased with the content. " + inCodings,
			parameters: []parameter{logID},
			responses:  []answer{{200, "The signed request.", []content{{"application/json", "SignedRequest"}}}},
			problems:   []int{404, 406, 503},
		}},
	}
}

// signingKey is a key in an answer.
type signingKey struct {
	ID      string    `json:"key_id"`
	User    string    `json:"user"`
	Public  string    `json:"public_key"`
	Added   time.Time `json:"added"`
	AddedBy string    `json:"added_by"`
	Removed time.Time `json:"removed,omitzero"`
}

func toSigningKey(k journal.SigningKey) signingKey {
	return signingKey{k.ID.String(), k.User, journal.PublicPEM(k.Public), k.Added, k.AddedBy, k.Removed}
}

func encodeKey(k journal.SigningKey) any { return toSigningKey(k) }

func (a *API) getKeys(w http.ResponseWriter, r *http.Request) error {
	keys, err := a.service.Keys(r.Context())
	if err != nil {
		return err
	}
	list := make([]signingKey, len(keys))
	for i, k := range keys {
		list[i] = toSigningKey(k)
	}
	return front.WriteJSON(w, http.StatusOK, struct {
		Count int          `json:"count"`
		Keys  []signingKey `json:"keys"`
	}{len(list), list})
}

func (a *API) postKey(w http.ResponseWriter, r *http.Request) error {
	m := a.front.Members(r)
	user, public := m.Text("user"), m.Text("public_key")
	m.Only("user", "public_key")
	if err := m.Err(); err != nil {
		return err
	}
	front.EncodeResult(r, encodeKey)
	k, err := a.service.AddKey(r.Context(), front.ActorOf(r), user, []byte(public))
	return front.WriteResult(w, http.StatusCreated, toSigningKey(k), err)
}

func (a *API) postKeyRemoval(w http.ResponseWriter, r *http.Request) error {
	if err := a.noMembers(r); err != nil {
		return err
	}
	front.EncodeResult(r, encodeKey)
	k, err := a.service.RemoveKey(r.Context(), front.ActorOf(r), mux.Vars(r)["key_id"])
	return front.WriteResult(w, http.StatusOK, toSigningKey(k), err)
}

func (a *API) getSignature(w http.ResponseWriter, r *http.Request) error {
	return a.front.Page(w, r, 1, func(ctx context.Context, kept *service.Kept) (any, error) {
		s, err := a.service.Signed(ctx, mux.Vars(r)["log_id"])
		if err != nil {
			return nil, err
		}
		return struct {
			Key       string `json:"key_id"`
			User      string `json:"user"`
			Public    string `json:"public_key"`
			Base      string `json:"signature_base"`
			Signature []byte `json:"signature"`
			Body      []byte `json:"body,omitempty"`
			Erased    bool   `json:"body_erased"`
		}{s.Key.ID.String(), s.Key.User, journal.PublicPEM(s.Key.Public), s.Base, s.Value, s.Body, s.Erased}, kept.Take(4 * len(s.Body)) // with three copies in base64
	})
}
