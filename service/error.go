package service

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/backup"
	"github.com/segraph/segraph/internal/spool"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/turtle"
)

// Error is a refusal, in words for the client.
type Error struct {
	Kind   Kind
	Detail string // one sentence or more: what is wrong, why, and what to do
	// Limit is the limit that was reached, as metrics name it; "" is none.
	Limit string
	// RetryAfter is how long the client should wait before it tries again; 0 is not said.
	RetryAfter time.Duration
	// Line and Column are where a text is wrong, from 1; 0 is not known.
	Line, Column int

	Member    string        // the member of the client's object that is wrong; "" is none
	Parameter string        // the parameter that is wrong; "" is none
	Code      resolver.Code // of what the resolver refuses
	Context   string        // where the source of a superseded case is now
}

// Kind is what sort of refusal an Error is.
type Kind int

// The kinds of refusals.
const (
	Malformed   Kind = iota // a text that can't be read
	Invalid                 // a value that is not allowed
	NotFound                // there is no such thing
	Conflict                // it does not fit what is stored
	TooLarge                // it takes more than one request may have
	BadForm                 // the answer can't be written in the form that was asked for
	Unavailable             // not now; a later try may succeed
	TimedOut                // it took too long
	NoRoom                  // the disk is full
	Damaged                 // the file is damaged
)

func (e *Error) Error() string { return e.Detail }

// refuse returns an Error whose detail is a text that becomes a sentence.
func refuse(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Detail: Sentence(fmt.Sprintf(format, args...))}
}

// limited names the limit that was reached.
func (e *Error) limited(name string) *Error {
	e.Limit = name
	return e
}

// retry asks the client to wait.
func (e *Error) retry(after time.Duration) *Error {
	e.RetryAfter = after
	return e
}

// ErrorOf returns the refusal that an error is, or nil if it is none: then the server has
// failed.
func ErrorOf(err error) *Error {
	var (
		e       *Error
		syntax  *turtle.SyntaxError
		refused *store.RefusedError
		unready *store.UnreadyError
		decided *resolver.Error
		room    *backup.NoRoomError
		damaged interface{ Damaged() string } // of what the store reads
	)
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &syntax):
		e = refuse(Malformed, "the document can't be read: line %d, column %d: %s", syntax.Line, syntax.Column, syntax.Msg)
		e.Line, e.Column = syntax.Line, syntax.Column
		return e
	case errors.Is(err, auth.ErrName):
		return refuse(Invalid, "%v", err)
	case errors.As(err, &decided):
		return undecided(decided)
	case errors.As(err, &refused):
		return refuse(Invalid, "%v", refused)
	case errors.Is(err, store.ErrInDoubt):
		return refuse(Unavailable, "the disk failed while this request was being stored; whether it is stored, all of it or nothing, "+
			"is not known until the service is started again").limited("disk").retry(5 * time.Second)
	case errors.As(err, &room):
		return refuse(NoRoom, "the disk has no room for a snapshot, and nothing was changed: %v; make room", room).limited("snapshot_room")
	case errors.Is(err, store.ErrDiskFull):
		return refuse(NoRoom, "the disk is full; nothing of the request was stored").limited("disk")
	case errors.Is(err, store.ErrAtLimit):
		return refuse(NoRoom, "%v; nothing of the request was stored; whoever runs the service has to move the file to a 64-bit system", store.ErrAtLimit).limited("disk")
	case errors.Is(err, spool.ErrStalled):
		return refuse(Unavailable, "there is no room for answers that wait for their clients, and this one took too long").limited("spool").retry(10 * time.Second)
	case errors.As(err, &unready):
		return refuse(Unavailable, "%s; try again later", unready.Detail).retry(5 * time.Second)
	case errors.As(err, &damaged): // its words name the file, which is for the log
		return refuse(Damaged, "the file of the store is damaged: whoever runs the service has to restore a backup; its log says more about this request's id")
	case errors.Is(err, store.ErrUnavailable):
		return refuse(Unavailable, "the graph store is not available; try again later").retry(5 * time.Second)
	}
	return nil
}

// TooLong returns the refusal of a body with more bytes than a limit.
func TooLong(limit int64) *Error {
	return refuse(TooLarge, "the body is larger than the limit of %s; send it in parts", BytesText(limit)).limited("body_size")
}

// undecided returns the refusal of the resolver.
func undecided(e *resolver.Error) *Error {
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

// Sentence begins a text with a capital letter, unless that is the name of a member such as
// event_kind, and ends it with a full stop, where it has no end yet.
func Sentence(s string) string {
	if word, _, _ := strings.Cut(s, " "); !strings.Contains(word, "_") {
		first, size := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if last, _ := utf8.DecodeLastRuneInString(s); !strings.ContainsRune(".?!…", last) {
		s += "."
	}
	return s
}

// BytesText returns a number of bytes as a person would write it, where it is a round one.
func BytesText(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB (%d bytes)", n>>20, n)
	}
	return fmt.Sprintf("%d bytes", n)
}
