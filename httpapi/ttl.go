package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/logbuf"
	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/internal/strictjson"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/turtle"
)

// MaxNesting is how deep brackets of a document may nest.
const MaxNesting = 1000

// publication is what a client wants to publish, and as whom.
type publication struct {
	content []byte
	format  turtle.Format // of the content
	claimed string        // the user that the client named; "" for none
	page    bool          // a person sends it with the page for that
}

// postTTL stores a document: all of it, or nothing.
func (a *API) postTTL(w http.ResponseWriter, r *http.Request) error {
	u, err := a.receivePublication(r)
	if err != nil {
		return err
	}
	defer u.discard(a, r)
	turn, err := a.work.begin(r.Context(), u.size)
	if err != nil {
		return err
	}
	defer turn.end()
	p, err := u.read(a)
	if err != nil {
		return err
	}
	added, err := a.insert(r.Context(), requestOf(r).actor, p, turn)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusCreated, added)
}

// Insertion is the answer of POST /ttl.
type Insertion struct {
	Message string `json:"message"`
	LogID   string `json:"log_id"`
	Triples int    `json:"triples"` // distinct ones of the document
	Added   int    `json:"added"`   // of those, the new ones
	User    string `json:"user"`

	// Warnings are about IRIs and language tags that others may refuse: the first ones, and how many there are.
	Warnings     []semcheck.Issue `json:"warnings,omitempty"`
	WarningCount int              `json:"warning_count,omitempty"`
}

// Insert stores a Turtle document, all of it or nothing; then it is on disk. claimed is the name
// that the actor gives; "" is none. The caller has its turn among those who work on documents; see Form.
func (a *API) Insert(ctx context.Context, actor auth.Actor, claimed string, content []byte) (Insertion, error) {
	t := &turn{load: &a.work} // for its triples
	defer t.end()
	return a.insert(ctx, actor, publication{content, turtle.Turtle, claimed, true}, t)
}

// insert is Insert. Once the document is read t holds its triples, and no processor: only the disk is waited for.
func (a *API) insert(ctx context.Context, actor auth.Actor, p publication, t *turn) (Insertion, error) {
	d, err := readDocument(ctx, p.content, p.format, turtle.Options{CheckIRIs: true, StrictIRIs: a.config.StrictIRIs})
	if err != nil {
		return Insertion{}, err
	}
	e := a.entry(ctx, actor, journal.Insert, p.claimed)
	e.Page = p.page
	sum := sha256.Sum256(p.content)
	e.SHA256 = hex.EncodeToString(sum[:])
	e.Detail = d.odd.detail()
	t.checked()
	if d.read == 0 {
		return Insertion{}, newProblem(http.StatusBadRequest, "the document has no triples")
	}
	earlier, repeated, err := a.config.Journal.Repeated(ctx, e)
	if err != nil {
		return Insertion{}, fmt.Errorf("look whether a document is stored: %w", err)
	}
	if repeated {
		return insertionOf(earlier, d.odd), nil
	}
	if e, err = a.keep(ctx, d, e, t); err != nil {
		return Insertion{}, retriable(fmt.Errorf("store a document: %w", err))
	}
	return insertionOf(e, d.odd), nil
}

// keep stores a document and returns the journal's entry of it.
func (a *API) keep(ctx context.Context, d *reading, e journal.Entry, t *turn) (_ journal.Entry, err error) {
	if d.held != nil {
		e.Triples = d.held.Distinct()
		e.Added, err = a.config.Graph.Add(ctx, d.held, e)
		return e, err
	}
	if err := t.hold(ctx, d); err != nil {
		return e, err
	}
	return a.config.Graph.AddText(ctx, &d.text, e)
}

// insertionOf is the answer to whoever published a log.
func insertionOf(e journal.Entry, odd oddIRIs) Insertion {
	return Insertion{"TTL inserted", e.LogID, e.Triples, e.Added, userName(e), semcheck.OfIRIs(odd.first, semcheck.Warning), odd.total}
}

// retriable tells a client whose document may be stored or not how to find out; see Journal.Repeated.
func retriable(err error) error {
	if !errors.Is(err, store.ErrInDoubt) {
		return err
	}
	p := problemOf(err)
	p.Detail += " Then send the request again, unchanged and with this answer's request_id as its X-Request-ID: " +
		"a document that is stored is answered as it would have been now, and is not stored twice."
	return p
}

// deleteAll empties the published graph, and where that is asked for removes contexts, cases and
// decisions too.
func (a *API) deleteAll(w http.ResponseWriter, r *http.Request) error {
	body, err := a.onlyJSON(r)
	if err != nil {
		return err
	}
	o, err := strictjson.Parse(body)
	if err != nil {
		return err
	}
	claimed, contexts := a.readUser(o), o.OptionalBool("contexts")
	if err := o.Err(); err != nil {
		return err
	}
	cleared, err := a.Clear(r.Context(), requestOf(r).actor, claimed, contexts)
	if err != nil {
		return err
	}
	answer := struct {
		Message  string `json:"message"`
		Removed  int64  `json:"removed"`
		Contexts *int64 `json:"contexts,omitempty"`
	}{Message: "Graph cleared.", Removed: cleared.Triples}
	if cleared == (store.Cleared{}) {
		answer.Message = "No TTLs to delete"
	}
	if contexts {
		answer.Contexts = &cleared.Contexts
	}
	return writeJSON(w, http.StatusOK, answer)
}

// Clear removes the published graph, and with contexts also shared contexts, cases and decisions. claimed is
// as in Insert.
func (a *API) Clear(ctx context.Context, actor auth.Actor, claimed string, contexts bool) (store.Cleared, error) {
	e := a.entry(ctx, actor, journal.Clear, claimed)
	if contexts {
		e.Detail = "with shared contexts, cases and decisions"
	}
	cleared, err := a.config.Graph.Clear(ctx, contexts, e)
	var room *backup.NoRoomError
	if errors.As(err, &room) {
		p := problemOf(err)
		p.Detail += " Where there can be none, a service that was started with --snapshot-keep 0 deletes without a snapshot."
		return store.Cleared{}, p
	}
	if err != nil {
		return store.Cleared{}, fmt.Errorf("clear the graph: %w", err)
	}
	return cleared, nil
}

// entry begins the journal's entry of a write.
func (a *API) entry(ctx context.Context, actor auth.Actor, action journal.Action, claimed string) journal.Entry {
	q := logbuf.RequestOf(ctx)
	return journal.Entry{
		LogID:     journal.NewLogID(),
		Action:    action,
		Time:      a.config.Now().UTC(),
		Actor:     actor.Username,
		Claimed:   claimed,
		Address:   q.Address,
		RequestID: q.ID,
	}
}

// userName is the name under which a write is answered: the claimed one, or the token's.
func userName(e journal.Entry) string {
	if e.Claimed != "" {
		return e.Claimed
	}
	return e.Actor
}

// receivedPublication is the body of POST /ttl or /ttl/validate: JSON with Turtle in it, or Turtle or N-Triples
// itself with the user in the query.
type receivedPublication struct {
	*upload
	json   bool
	format turtle.Format
	user   string // of the query
}

func (a *API) receivePublication(r *http.Request) (*receivedPublication, error) {
	kind, err := contentType(r)
	if err != nil {
		return nil, err
	}
	p := &receivedPublication{format: turtle.Turtle}
	switch kind {
	case "application/json":
		p.json = true
	case mediaTurtle:
	case mediaNTriples:
		p.format = turtle.NTriples
	default:
		return nil, newProblem(http.StatusUnsupportedMediaType,
			"this path takes JSON, Turtle or N-Triples; send it with Content-Type: application/json, text/turtle or application/n-triples")
	}
	given, err := parameters(r)
	if err != nil {
		return nil, err
	}
	if p.user, err = publicationUser(given, p.json); err != nil {
		return nil, err
	}
	p.upload, err = a.receive(r)
	return p, err
}

// discard lets go of what was received, whatever became of it.
func (p *receivedPublication) discard(a *API, r *http.Request) {
	if err := p.close(); err != nil {
		a.log.WarnContext(r.Context(), "a body was not let go of", "error", err)
	}
}

// read returns what was received. It is called once.
func (p *receivedPublication) read(a *API) (publication, error) {
	text, err := p.take()
	if err != nil {
		return publication{}, err
	}
	if !p.json {
		return publication{content: text, format: p.format, claimed: strings.TrimSpace(p.user)}, nil
	}
	o, err := strictjson.Parse(text)
	if err != nil {
		return publication{}, err
	}
	out := publication{format: turtle.Turtle, content: []byte(o.Text("ttl_content")), claimed: a.readUser(o)}
	return out, o.Err()
}

// readUser returns the member "user", the name that the client goes by. Blank is nobody. Clients of
// SEGB may leave it out.
func (a *API) readUser(o *strictjson.Object) string {
	read := o.TextOrNull
	if a.config.SEGB {
		read = o.OptionalText
	}
	user := read("user")
	if err := auth.CheckName(user); err != nil {
		o.Fault("user", "the user is %v", err)
	}
	return strings.TrimSpace(user)
}
