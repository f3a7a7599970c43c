package service

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/retries"
)

// An Attempt is a request that its client may send again, with a key. Of several requests
// with one key, the first is carried out and the others get its answer. A use case that gets
// the context of In stores the answer in the same unit of work as what it writes.
type Attempt struct {
	request retries.Request
	retry   *journal.Retry // nil until Begin found that it is the first
	leave   func()
	// blocked is called before Begin waits for another request with the key, which then takes at most
	// Limits.DocumentPatience. If it is nil, the wait has no limit.
	blocked func()
	service *Service
	status  int
	encode  func(result any) ([]byte, error)
}

// Attempt returns a request of a user as an Attempt. Path and query are what the client
// sent, and status is that of an answer on success. If byRequest, key is the id of the request,
// which counts only together with the body, and only the answers to writes are kept.
func (s *Service) Attempt(actor auth.Actor, method, path, query, key string, byRequest bool, status int) *Attempt {
	return &Attempt{service: s, status: status, encode: json.Marshal, leave: func() {},
		request: retries.Request{User: actor.Username, Method: method, Path: path, Query: query, Key: key, ByRequest: byRequest}}
}

type attemptKey struct{}

// In returns a context in which use cases store the attempt's answer.
func (a *Attempt) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// retryOf returns what is stored with the entries of the writes in a context, or nil.
func retryOf(ctx context.Context) *journal.Retry {
	if a, ok := ctx.Value(attemptKey{}).(*Attempt); ok {
		return a.retry
	}
	return nil
}

// Encode sets how the result of the use case becomes the body of the answer. The default is
// its JSON.
func (a *Attempt) Encode(encode func(result any) ([]byte, error)) { a.encode = encode }

// MaxKey limits the key of a request or of a line, in characters.
const MaxKey = 255

// IsKey reports whether a key has 1 to MaxKey characters from space to ~.
func IsKey(key string) bool {
	return len(key) >= 1 && len(key) <= MaxKey && strings.IndexFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) < 0
}

// FirstAnswer is the first answer to a request that was sent again.
type FirstAnswer struct {
	Status int
	Body   []byte     // JSON
	Log    *Insertion // the body as a value, if the request published a log
}

// Begin returns the first answer if the request was sent before, and waits for it if it is not
// known yet. Otherwise it returns nil, and the caller carries the request out. Begin is called
// once, with the size and the SHA-256 of the request's body. The caller always calls Close.
func (a *Attempt) Begin(ctx context.Context, size int64, sum [sha256.Size]byte) (*FirstAnswer, error) {
	a.request.Size, a.request.Body = size, sum
	kept := a.service.config.Retries
	t, err := kept.Identify(ctx, &a.request)
	if err != nil {
		return nil, fmt.Errorf("look up a request that may be repeated: %w", err)
	}
	of := string(t.ID[:])
	if t.ByRequest { // some clients always send the same id
		of += string(t.Body[:])
	}
	if a.leave, err = a.service.attempting.enter(ctx, of, a.blocked, a.service.config.Limits.DocumentPatience); err != nil {
		a.leave = func() {}
		return nil, err
	}
	first, err := kept.Find(t)
	if errors.Is(err, retries.ErrOtherBody) {
		return nil, refuse(Invalid, "the Idempotency-Key was used before with another body; use a new key for each request, and send a request again unchanged")
	}
	if err != nil {
		return nil, fmt.Errorf("look up a request that may be repeated: %w", err)
	}
	if first != nil {
		return a.service.firstAnswer(ctx, first)
	}
	t.Status, t.Encode = a.status, func(result any) ([]byte, error) { return a.encode(result) }
	a.retry = t
	return nil, nil
}

// firstAnswer returns the answer that was given first, from what is kept of it. For a log, these are its entries and, as
// JSON, the members that they lack.
func (s *Service) firstAnswer(ctx context.Context, k *retries.Kept) (*FirstAnswer, error) {
	if k.Entry == nil || k.Entry.Action != journal.Insert {
		return &FirstAnswer{Status: k.Status, Body: k.Answer}, nil
	}
	e := k.Entry.Entry
	e.Number = &k.Entry.Seq // insertionOf takes log_index from it
	log := insertionOf(e, Warned{})
	if o := k.Observed; o != nil {
		log.Placed = &Placed{Context: o.Context, Outcome: resolver.Outcome(o.Outcome)}
		if o.Case != "" {
			log.Case = &o.Case
		}
	}
	if len(k.Answer) > 0 {
		if err := json.Unmarshal(k.Answer, &log); err != nil {
			return nil, fmt.Errorf("read a kept answer: %w", err)
		}
	}
	log, err := s.marked(ctx, log)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(log)
	return &FirstAnswer{k.Status, body, &log}, err
}

// marked returns the answer to a repeated publication. If the log was withdrawn or deleted since, the answer says so.
func (s *Service) marked(ctx context.Context, log Insertion) (Insertion, error) {
	now, err := s.config.Journal.Log(ctx, log.LogID, 0)
	if err != nil {
		return log, fmt.Errorf("read a log that was published before: %w", err)
	}
	if log.Withdrawn = !now.Kept; log.Withdrawn {
		log.Warned = Warned{}
	}
	return log, nil
}

// keepWarnings keeps the warnings of an answer, which the journal's entry lacks.
func keepWarnings(t *journal.Retry, w Warned) (err error) {
	if t == nil || w.WarningCount == 0 {
		return nil
	}
	t.Answer, err = json.Marshal(w)
	return err
}

// End keeps an answer that was not stored with a journal entry: a refusal with status 400, 409
// or 422, and a success that changed nothing. If that fails, or the answer names somebody who was erased, a repeated request is
// carried out again.
func (a *Attempt) End(ctx context.Context, status int, body []byte) {
	if a.retry == nil {
		return
	}
	unstored := status/100 == 2 && !a.retry.Entered
	refused := status == 400 || status == 409 || status == 422
	if !unstored && (!refused || a.request.ByRequest) {
		return
	}
	defer a.service.withholding()()
	if a.service.namesForgotten(string(body)) {
		return
	}
	if err := a.service.config.Retries.Keep(ctx, a.retry, status, body, a.service.config.Now()); err != nil {
		a.service.log.WarnContext(ctx, "an answer could not be kept for a retry", "error", err)
	}
}

// Close lets other requests with the key begin.
func (a *Attempt) Close() { a.leave() }

// entrance lets one request with a key in at a time.
type entrance[K comparable] struct {
	mu  sync.Mutex
	now map[K]chan struct{}
}

// enter waits until no request with a key is inside. Before it waits, it calls blocked, unless
// that is nil, and then waits at most patience. The caller calls leave.
func (s *entrance[K]) enter(ctx context.Context, key K, blocked func(), patience time.Duration) (leave func(), err error) {
	var late <-chan time.Time
	for {
		s.mu.Lock()
		other, busy := s.now[key]
		if !busy {
			break
		}
		s.mu.Unlock()
		if blocked != nil {
			blocked()
			if late == nil {
				late = time.After(patience)
			}
		}
		select {
		case <-other:
		case <-late:
			return nil, refuse(Unavailable, "a request with this key has been under way for long; try again later").limited("documents").retry(patience)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	defer s.mu.Unlock()
	if s.now == nil {
		s.now = map[K]chan struct{}{}
	}
	gone := make(chan struct{})
	s.now[key] = gone
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.now, key)
		close(gone)
	}, nil
}
