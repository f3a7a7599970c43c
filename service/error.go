package service

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service/admit"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/format"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// Error is a refusal. Its text is written for the client.
type Error struct {
	Kind   Kind
	Detail string // one sentence or more: what is wrong, why, and what to do
	// Limit is the limit that was reached, by its name in metrics, or "".
	Limit string
	// RetryAfter is how long the client should wait before it tries again. 0 means
	// unspecified.
	RetryAfter time.Duration
	// Line and Column locate the fault in a text, counted from 1. 0 means unknown.
	Line, Column int

	Member    string        // the invalid member of the client's object, or ""
	Parameter string        // the invalid parameter, or ""
	Code      resolver.Code // set for refusals of the resolver
	Context   string        // where the source of a superseded case is now
}

// Kind classifies an Error.
type Kind int

// The kinds of Error.
const (
	Malformed   Kind = iota // the text can't be parsed
	Invalid                 // the value is not allowed
	NotFound                // the thing does not exist
	Conflict                // it conflicts with what is stored
	TooLarge                // it exceeds what one request may use
	BadForm                 // the answer can't be written in the requested form
	Unavailable             // not possible now; a retry may succeed
	TimedOut                // it took too long
	NoRoom                  // the disk is full
	Damaged                 // the file is damaged
	Forbidden               // the signer may not send this request
	TooMany                 // too many requests
	Unsigned                // it must be signed, or its signature is not accepted
)

func (e *Error) Error() string { return e.Detail }

// refuse returns an Error whose detail is the formatted text, made a sentence.
func refuse(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Detail: Sentence(fmt.Sprintf(format, args...))}
}

// limited sets the limit that was reached.
func (e *Error) limited(name string) *Error {
	e.Limit = name
	return e
}

// retry sets how long the client should wait.
func (e *Error) retry(after time.Duration) *Error {
	e.RetryAfter = after
	return e
}

// What a refusal with Kind NoRoom says about a request that writes in one unit of work, and about one that writes in several.
const (
	nothingStored = "nothing of the request was stored"
	changesKept   = "changes made so far are kept, and the same request makes the rest"
)

// partly returns err with kept in place of nothingStored.
func partly(err error, kept string) error {
	if e := ErrorOf(err); e != nil && e.Kind == NoRoom {
		e.Detail = strings.Replace(e.Detail, nothingStored, kept, 1)
		return e
	}
	return err
}

// ErrorOf returns err as a refusal with words for the client, or nil if clients are not told of it: the server failed.
func ErrorOf(err error) *Error {
	var (
		e       *Error
		syntax  *turtle.SyntaxError
		refused *store.RefusedError
		unready *store.UnreadyError
		ofCase  *resolver.Error
		room    *backup.NoRoomError
		form    *format.UnwritableError
		large   *admit.TooLargeError
		busy    *admit.BusyError
		damaged interface{ Damaged() string } // implemented by errors about damaged files
	)
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &syntax):
		e = refuse(Malformed, "the document can't be read: line %d, column %d: %s", syntax.Line, syntax.Column, syntax.Msg)
		e.Line, e.Column = syntax.Line, syntax.Column
		return e
	case errors.As(err, &large):
		return refuse(TooLarge, "%v", large).limited("document_memory")
	case errors.As(err, &busy):
		return refuse(Unavailable, "%v", busy).limited("documents").retry(busy.Patience)
	case errors.Is(err, format.ErrTripleTerms):
		return refuse(BadForm, "%v", format.ErrTripleTerms)
	case errors.As(err, &form):
		return refuse(BadForm, "RDF/XML can't represent the graph: %v", form)
	case errors.Is(err, auth.ErrName):
		return refuse(Invalid, "%v", err)
	case errors.As(err, &ofCase):
		return ofResolver(ofCase)
	case errors.As(err, &refused):
		return refuse(Invalid, "%v", refused)
	case errors.Is(err, journal.ErrKeyRemoved):
		return refuse(Unsigned, "the key of the signature was removed; sign with another one")
	case errors.Is(err, store.ErrInDoubt):
		return refuse(Unavailable, "the disk failed while this request was being stored; whether it is stored, completely or not at all, "+
			"is known only after the service restarts").limited("disk").retry(5 * time.Second)
	case errors.As(err, &room):
		return refuse(NoRoom, "the disk has no room for a snapshot, so nothing was changed: %v; free some disk space", room).limited("snapshot_room")
	case errors.Is(err, store.ErrDiskFull):
		return refuse(NoRoom, "the disk is full; "+nothingStored+"; free some disk space").limited("disk")
	case errors.Is(err, store.ErrAtLimit):
		return refuse(NoRoom, "%v; "+nothingStored+"; the operator must move the file to a 64-bit system", store.ErrAtLimit).limited("disk")
	case errors.Is(err, spool.ErrRevoked):
		return refuse(Unavailable, "somebody was erased while this was answered; ask again").retry(time.Second)
	case errors.Is(err, spool.ErrStalled):
		return refuse(Unavailable, "no disk space was left for waiting answers, and this one took too long; try again later").limited("spool").retry(10 * time.Second)
	case errors.As(err, &unready):
		return refuse(Unavailable, "%s; try again later", unready.Detail).retry(5 * time.Second)
	case errors.As(err, &damaged): // the error's text names the file, so only the server log shows it
		return refuse(Damaged, "the file of the store is damaged: the operator must restore a backup; the server's log has details under this request's id")
	case errors.Is(err, store.ErrUnavailable):
		return refuse(Unavailable, "the graph store is not available; try again later").retry(5 * time.Second)
	}
	return nil
}

// Alternatives joins two or more names, as in "a, b or c".
func Alternatives(list []string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// TooLong returns the refusal of a body of more than limit bytes.
func TooLong(limit int64) *Error {
	return refuse(TooLarge, "the body is larger than the limit of %s, which counts decompressed bytes; split it", BytesText(limit)).limited("body_size")
}

// ofResolver turns an error of the resolver into a refusal.
func ofResolver(e *resolver.Error) *Error {
	kind, ok := map[resolver.Code]Kind{
		resolver.Invalid:          Invalid,
		resolver.TargetNotOffered: Invalid,
		resolver.CaseNotFound:     NotFound,
		resolver.ContextNotFound:  NotFound,
	}[e.Code]
	if !ok {
		kind = Conflict
	}
	out := refuse(kind, "%s", e.Detail)
	out.Code, out.Context, out.Member = e.Code, e.CurrentContext, e.Member
	return out
}

// Sentence makes a text a sentence: it starts with a capital letter, except for a member
// name such as event_kind or a prefixed name such as prov:used, and ends with a full stop,
// unless it has another end. It returns an empty text unchanged.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	word, _, _ := strings.Cut(s, " ")
	if name := strings.Contains(word, "_") || strings.Contains(strings.TrimSuffix(word, ":"), ":"); !name {
		first, size := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".?!…", last) {
		s += "."
	}
	return s
}

// BytesText formats a number of bytes for people: in MiB and bytes if it is a whole
// number of MiB, otherwise in bytes.
func BytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB (%d bytes)", n>>20, n)
	}
	return fmt.Sprintf("%d bytes", n)
}
