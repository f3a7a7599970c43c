package httpapi

import (
	"net/http"
	"strings"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// postTTL stores a document, completely or not at all.
func (a *API) postTTL(w http.ResponseWriter, r *http.Request) error {
	return a.withPublication(r, func(p service.Publication, turn *admit.Turn) error {
		p.Signature = front.SignatureOf(r)
		added, err := a.service.Publish(r.Context(), front.ActorOf(r), p, turn)
		if err != nil {
			return err
		}
		turn.End() // a client that does not read its answer holds nothing
		if wantsReceipt(r) {
			a.addReceipt(w, r, &added)
		}
		return front.WriteJSON(w, http.StatusCreated, added)
	})
}

// withPublication receives a document, and calls do with it once it has its turn, which do may end.
func (a *API) withPublication(r *http.Request, do func(service.Publication, *admit.Turn) error) error {
	u, err := a.receivePublication(r)
	if err != nil {
		return err
	}
	defer u.discard(a, r)
	turn, err := a.service.BeginDocument(r.Context(), u.Size)
	if err != nil {
		return err
	}
	defer turn.End()
	p, err := u.read(a, r)
	if err != nil {
		return err
	}
	return do(p, turn)
}

// deleteAll deletes the published graph and, if requested, contexts, cases and decisions.
func (a *API) deleteAll(w http.ResponseWriter, r *http.Request) error {
	o := a.front.Members(r)
	claimed, contexts := a.readUser(o), o.OptionalBool("contexts")
	if err := o.Err(); err != nil {
		return err
	}
	front.EncodeResult(r, func(c store.Cleared) any { return toDeletion(c, contexts) })
	cleared, err := a.service.Clear(r.Context(), front.ActorOf(r), claimed, contexts)
	return front.WriteResult(w, http.StatusOK, toDeletion(cleared, contexts), err)
}

// deletion is the answer to a deletion of the graph.
type deletion struct {
	Message  string `json:"message"`
	Removed  int64  `json:"removed"`
	Contexts *int64 `json:"contexts,omitempty"`
}

// toDeletion returns the answer for what was cleared. contexts says that the client asked to clear contexts too.
func toDeletion(c store.Cleared, contexts bool) deletion {
	answer := deletion{Message: "Graph cleared.", Removed: c.Triples}
	if c == (store.Cleared{}) {
		answer.Message = "No TTLs to delete"
	}
	if contexts {
		answer.Contexts = &c.Contexts
	}
	return answer
}

// receivedPublication is the body of POST /ttl or /ttl/validate: JSON that contains
// Turtle, or a document in another format with the user in the query string.
type receivedPublication struct {
	*front.Upload
	json    bool
	format  turtle.Format
	version rdf.Version // features of a higher one are refused
	user    string      // from the query string
	host    string      // that the client addressed
}

// receivePublication reads a document to publish or to check, with its parameters.
func (a *API) receivePublication(r *http.Request) (*receivedPublication, error) {
	kind, err := front.ContentType(r)
	if err != nil {
		return nil, err
	}
	format, _ := service.FormatOf(kind)
	p := &receivedPublication{json: kind == "application/json", format: format.Format, host: r.Host}
	if !format.Published && !p.json {
		return nil, front.NewProblem(http.StatusUnsupportedMediaType,
			"this path accepts JSON, Turtle, N-Triples, RDF/XML or JSON-LD; send it with Content-Type: %s", service.Alternatives(append([]string{"application/json"}, service.MediaTypes(service.PublishedFormats())...)))
	}
	if !p.json {
		if p.version, err = front.ContentVersion(r); err != nil {
			return nil, err
		}
	}
	values, err := front.Parameters(r)
	if err != nil {
		return nil, err
	}
	if p.user, err = publicationUser(values, p.json); err != nil {
		return nil, err
	}
	p.Upload, err = a.front.Receive(r)
	return p, err
}

// discard releases the received body.
func (p *receivedPublication) discard(a *API, r *http.Request) {
	if err := p.Close(); err != nil {
		a.log.WarnContext(r.Context(), "closing a body failed", "error", err)
	}
}

// read returns the document. It is called once.
func (p *receivedPublication) read(a *API, r *http.Request) (service.Publication, error) {
	text, err := p.Take()
	if err != nil {
		return service.Publication{}, err
	}
	front.KeepBody(r, text)
	if !p.json {
		if len(text) == 0 {
			return service.Publication{}, front.NewProblem(http.StatusBadRequest, "the body is empty, so the document has no triples. %s", service.CurlData)
		}
		return service.Publication{Content: text, Format: p.format, Version: p.version, Host: p.host, Claimed: strings.TrimSpace(p.user), Raw: true}, nil
	}
	o := strictjson.Read(text, nil)
	out := service.Publication{Format: turtle.Turtle, Content: []byte(o.Text("ttl_content")), Claimed: a.readUser(o)}
	return out, o.Err()
}

// readUser returns the member "user", the name that the client claims. A blank name
// counts as none. Clients of SEGB may omit it.
func (a *API) readUser(o *strictjson.Object) string {
	read := o.TextOrNull
	if a.service.Config().SEGB {
		read = o.OptionalText
	}
	user := read("user")
	if err := auth.CheckName(user); err != nil {
		o.Fault("user", "the user is %v", err)
	}
	return strings.TrimSpace(user)
}
