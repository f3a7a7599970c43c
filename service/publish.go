package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/semcheck"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// MaxNesting is how deeply the brackets of a document may nest.
const MaxNesting = 1000

// Publication is a document to be published.
type Publication struct {
	Content []byte
	Format  turtle.Format // format of the content
	Version rdf.Version   // of the content: features of a higher one are refused
	Host    string        // where the client sent it, such as localhost:5000, or ""
	Claimed string        // the user that the client named, or ""
	Page    bool          // a person sent it with the web UI
	Raw     bool          // the content is the body of the request
	// Signature is the verified signature of the request, or nil.
	Signature *journal.Signature
	demo      bool // it is a log of the demo
}

// options adds to o what the publication says about itself.
func (p Publication) options(o turtle.Options) turtle.Options {
	o.Version, o.Context = p.Version, ContextsOf(p.Host)
	return o
}

// Insertion is the result of a publication. Its JSON is the answer of POST /ttl.
type Insertion struct {
	Message string `json:"message"`
	LogID   string `json:"log_id"`
	Triples int    `json:"triples"` // distinct triples of the document
	Added   int    `json:"added"`   // how many of them are new
	User    string `json:"user"`
	Receipt        // only its log_index, unless a front end adds the rest
	*Placed        // of a line with an observation

	Warned

	Withheld  int  `json:"withheld,omitempty"`  // triples that were not stored, because they name somebody who was erased
	Withdrawn bool `json:"withdrawn,omitempty"` // of a retry: the log was withdrawn or deleted since
}

// Warned lists the first IRIs and language tags that other programs may refuse, a comment
// that may hide the rest of a document, unknown terms of known namespaces, and ill-typed
// times. WarningCount counts all.
type Warned struct {
	Warnings     []semcheck.Issue `json:"warnings,omitempty"`
	WarningCount int              `json:"warning_count,omitempty"`
}

// Publish stores a document, completely or not at all. When it returns, the document is
// on disk. t is the result of BeginDocument for this document. Publish releases its
// processor once the document is read. A nil t means that the caller releases it.
func (s *Service) Publish(ctx context.Context, actor auth.Actor, p Publication, t *admit.Turn) (Insertion, error) {
	s.arrived()
	if !p.demo {
		if err := s.MaySend(actor.Username, p.Signature); err != nil {
			return Insertion{}, err
		}
	}
	signed, done, err := s.once(ctx, p.Signature)
	if err != nil {
		return Insertion{}, err
	}
	defer done()
	if t == nil {
		t = s.documents.Unread() // holds the memory for the document's triples
		defer t.End()
	}
	d, err := readDocument(ctx, p.Content, p.Format, p.options(turtle.Options{CheckIRIs: true, StrictIRIs: s.config.StrictIRIs}))
	if err != nil {
		return Insertion{}, err
	}
	defer s.withholding()()
	withheld, err := s.withhold(d, p.Signature != nil)
	if err = cmp.Or(err, s.checkClaimed(p.Claimed, p.Signature)); err != nil {
		return Insertion{}, err
	}
	e := s.entry(ctx, actor, journal.Insert, p.Claimed)
	e.Withheld = withheld
	e.Page, e.Number, e.Signature = p.Page, new(uint64), p.Signature
	store.Commit(&e, p.Content, d.parsed, canonSteps)
	if e.Detail = d.odd.detail(); p.demo {
		e.Detail = demoDetail
	}
	t.Checked()
	if d.odd.swallowed = p.swallowed(); d.read == 0 {
		return Insertion{}, refuse(Malformed, "the document has no triples")
	}
	room := semcheck.MaxText
	warned := d.odd.warned(&room)
	if signed != nil {
		signed.Entry.Number = &signed.Entry.Seq
		return s.marked(ctx, insertionOf(signed.Entry.Entry, warned))
	}
	if e.Retry == nil || e.Retry.ByRequest { // a new key means a new request
		earlier, repeated, err := s.config.Journal.Repeated(ctx, e)
		if err != nil {
			return Insertion{}, fmt.Errorf("check whether the document is stored: %w", err)
		}
		if repeated {
			return s.marked(ctx, insertionOf(earlier, warned))
		}
	}
	if err := keepWarnings(e.Retry, warned); err != nil {
		return Insertion{}, err
	}
	if e, err = s.keep(ctx, d, e, t); err != nil {
		return Insertion{}, retriable(fmt.Errorf("store a document: %w", unsignable(err)))
	}
	return insertionOf(e, warned), nil
}

// keep stores a document and returns its journal entry.
func (s *Service) keep(ctx context.Context, d *reading, e journal.Entry, t *admit.Turn) (_ journal.Entry, err error) {
	if d.parsed != nil {
		e.Triples = d.parsed.Distinct()
		e.Added, err = s.config.Graph.Add(ctx, d.parsed, e)
		return e, err
	}
	if err := t.Reserve(ctx, d.read, d.labels); err != nil {
		return e, err
	}
	return s.config.Graph.AddText(ctx, &d.text, e)
}

// insertionOf returns the answer for a published log.
func insertionOf(e journal.Entry, w Warned) Insertion {
	var receipt Receipt
	if e.Number != nil {
		receipt.Index = indexOf(*e.Number)
	}
	return Insertion{Message: "TTL inserted", LogID: e.LogID, Triples: e.Triples, Added: e.Added, User: UserOf(e), Withheld: e.Withheld, Receipt: receipt, Warned: w}
}

// UserOf returns whom a log is filed under: the user that the client named, or that of the token.
func UserOf(e journal.Entry) string { return cmp.Or(e.Claimed, e.Actor) }

// retriable extends an error that leaves open whether the document is stored: it tells
// the client how to find out. See Journal.Repeated.
func retriable(err error) error {
	if !errors.Is(err, store.ErrInDoubt) {
		return err
	}
	e := ErrorOf(err)
	e.Detail += " Then send the request again, unchanged and with this answer's request_id as its X-Request-ID: " +
		"a document that is already stored gets the same answer and is not stored again."
	return e
}

// Clear removes the published graph, and with contexts also shared contexts, cases and
// decisions. claimed is the name that the actor claims, or "".
func (s *Service) Clear(ctx context.Context, actor auth.Actor, claimed string, contexts bool) (store.Cleared, error) {
	if err := s.alone(); err != nil {
		return store.Cleared{}, err
	}
	defer s.withholding()()
	e := s.entry(ctx, actor, journal.Clear, claimed)
	if contexts {
		e.Detail = "with shared contexts, cases and decisions"
	}
	cleared, err := s.config.Graph.Clear(ctx, contexts, e)
	var room *backup.NoRoomError
	if errors.As(err, &room) {
		refused := ErrorOf(err)
		refused.Detail += " To delete without a snapshot, start the service with --snapshot-keep 0."
		return store.Cleared{}, refused
	}
	if err != nil {
		return store.Cleared{}, fmt.Errorf("clear the graph: %w", err)
	}
	return cleared, nil
}
