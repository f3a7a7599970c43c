package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/turtle"
)

// MaxNesting is how deep brackets of a document may nest.
const MaxNesting = 1000

// Publication is a document that a client wants to publish.
type Publication struct {
	Content []byte
	Format  turtle.Format // of the content
	Claimed string        // the user that the client named; "" for none
	Page    bool          // a person sends it with a page
}

// Insertion says what became of a publication. Its JSON is the answer of POST /ttl.
type Insertion struct {
	Message string `json:"message"`
	LogID   string `json:"log_id"`
	Triples int    `json:"triples"` // distinct ones of the document
	Added   int    `json:"added"`   // of those, the new ones
	User    string `json:"user"`

	// Warnings are about IRIs and language tags that others may refuse: the first ones,
	// and how many there are.
	Warnings     []semcheck.Issue `json:"warnings,omitempty"`
	WarningCount int              `json:"warning_count,omitempty"`
}

// Publish stores a document, all of it or nothing; then it is on disk. t is the turn in
// which the document was received, of which Publish releases the processor once the
// document is read. It is nil if the caller keeps its turn.
func (s *Service) Publish(ctx context.Context, actor auth.Actor, p Publication, t *Turn) (Insertion, error) {
	if t == nil {
		t = &Turn{load: &s.work} // for the document's triples
		defer t.End()
	}
	d, err := readDocument(ctx, p.Content, p.Format, turtle.Options{CheckIRIs: true, StrictIRIs: s.config.StrictIRIs})
	if err != nil {
		return Insertion{}, err
	}
	e := s.entry(ctx, actor, journal.Insert, p.Claimed)
	e.Page = p.Page
	sum := sha256.Sum256(p.Content)
	e.SHA256 = hex.EncodeToString(sum[:])
	e.Detail = d.odd.detail()
	t.checked()
	if d.read == 0 {
		return Insertion{}, refuse(Malformed, "the document has no triples")
	}
	earlier, repeated, err := s.config.Journal.Repeated(ctx, e)
	if err != nil {
		return Insertion{}, fmt.Errorf("look whether a document is stored: %w", err)
	}
	if repeated {
		return insertionOf(earlier, d.odd), nil
	}
	if e, err = s.keep(ctx, d, e, t); err != nil {
		return Insertion{}, retriable(fmt.Errorf("store a document: %w", err))
	}
	return insertionOf(e, d.odd), nil
}

// keep stores a document and returns the journal's entry of it.
func (s *Service) keep(ctx context.Context, d *reading, e journal.Entry, t *Turn) (_ journal.Entry, err error) {
	if d.held != nil {
		e.Triples = d.held.Distinct()
		e.Added, err = s.config.Graph.Add(ctx, d.held, e)
		return e, err
	}
	if err := t.hold(ctx, d); err != nil {
		return e, err
	}
	return s.config.Graph.AddText(ctx, &d.text, e)
}

// insertionOf returns the answer to whoever published a log.
func insertionOf(e journal.Entry, odd oddIRIs) Insertion {
	return Insertion{"TTL inserted", e.LogID, e.Triples, e.Added, userName(e), semcheck.OfIRIs(odd.first, semcheck.Warning), odd.total}
}

// userName returns the name under which a write is answered: the claimed one, or the
// token's.
func userName(e journal.Entry) string {
	if e.Claimed != "" {
		return e.Claimed
	}
	return e.Actor
}

// retriable tells a client whose document may be stored or not how to find out; see
// Journal.Repeated.
func retriable(err error) error {
	if !errors.Is(err, store.ErrInDoubt) {
		return err
	}
	e := ErrorOf(err)
	e.Detail += " Then send the request again, unchanged and with this answer's request_id as its X-Request-ID: " +
		"a document that is stored is answered as it would have been now, and is not stored twice."
	return e
}

// Clear removes the published graph, and with contexts also shared contexts, cases and
// decisions. claimed is the name that the actor gives; "" is none.
func (s *Service) Clear(ctx context.Context, actor auth.Actor, claimed string, contexts bool) (store.Cleared, error) {
	e := s.entry(ctx, actor, journal.Clear, claimed)
	if contexts {
		e.Detail = "with shared contexts, cases and decisions"
	}
	cleared, err := s.config.Graph.Clear(ctx, contexts, e)
	var room *backup.NoRoomError
	if errors.As(err, &room) {
		refused := ErrorOf(err)
		refused.Detail += " Where there can be none, a service that was started with --snapshot-keep 0 deletes without a snapshot."
		return store.Cleared{}, refused
	}
	if err != nil {
		return store.Cleared{}, fmt.Errorf("clear the graph: %w", err)
	}
	return cleared, nil
}
