package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/segraph/segraph/store/engine/kv"
)

// idsName is the bucket of log ids: the 16 bytes of an id and the number of the entry -> what
// is beside it (beside.go). UUIDs of version 7 increase with time, so the bucket grows at its
// end.
const idsName = "logids"

const idSize = 16

// NewLogID returns a new id for a log: a UUID of version 7 (RFC 9562, section 5.7).
func NewLogID() string { return uuid.Must(uuid.NewV7()).String() }

// idOf returns the bytes of a log id in the bucket: the UUID, or a hash of any other
// text.
func idOf(logID string) []byte {
	if id, err := uuid.Parse(logID); err == nil {
		return id[:]
	}
	sum := sha256.Sum256([]byte(logID))
	return sum[:idSize]
}

// Numbered is an entry with its number, which begins at 1.
type Numbered struct {
	Seq uint64 `json:"seq"`
	Entry
}

// Index returns the entry's place in the transparency log, which begins at 0.
func (n *Numbered) Index() uint64 { return n.Seq - 1 }

// Find returns up to limit entries of a log, in order: one, or one for each part in which
// it was stored. It returns none if there is no such log.
func Find(tx kv.Reader, logID string, limit int) ([]Numbered, error) {
	var out []Numbered
	ids, id := tx.Bucket(idsName), idOf(logID)
	for k := range kv.From(ids, id) {
		if !bytes.HasPrefix(k, id) || len(out) == limit {
			break
		}
		seq := binary.BigEndian.Uint64(k[idSize:])
		e, err := Get(tx, seq)
		if err != nil {
			return nil, err
		}
		if e.LogID == logID {
			out = append(out, Numbered{seq, e})
		}
	}
	return out, nil
}

// Get returns the entry with a number.
func Get(tx kv.Reader, seq uint64) (Entry, error) {
	e, err := get(tx, seq)
	if err == nil {
		err = e.addBeside(tx, seq)
	}
	return e, err
}

// CheckIDs verifies that every entry can be found by its id.
func CheckIDs(tx kv.Reader) error {
	ids := tx.Bucket(idsName)
	n, last := uint64(0), HeadOf(tx).Seq
	for k := range kv.All(ids) {
		if len(k) != idSize+8 {
			return &DamagedError{Detail: fmt.Sprintf("%x is not a log", k)}
		}
		seq := binary.BigEndian.Uint64(k[idSize:])
		e, err := get(tx, seq)
		if err != nil {
			return err
		}
		if !bytes.Equal(idOf(e.LogID), k[:idSize]) {
			return &DamagedError{Seq: seq, Detail: "is found by another log's id"}
		}
		n++
	}
	if n != last {
		return &DamagedError{Seq: last, Detail: fmt.Sprintf("of %d entries %d can be found by their ids", last, n)}
	}
	return nil
}

// Filter selects entries. Zero fields are ignored. Entries of the action Resolve are left
// out unless Action or LogID asks for them.
type Filter struct {
	Before  uint64 // only numbers less than this one
	Oldest  bool   // the oldest entries first, from After on
	After   uint64 // with Oldest: only numbers greater than this one
	LogID   string
	Begins  string // first characters of the log id, in lower case
	Undone  string // first characters of the id of the log that the entry withdrew, in lower case
	Actor   string // user of the token
	Claimed string // user that the client named
	Action  Action
	Any     []Action  // in place of Action: one of these
	Page    bool      // only logs that a person inserted with the web UI
	Since   time.Time // at this time or later
	Until   time.Time // before this time
	Limit   int       // largest number of entries to return
	Look    uint64    // largest number of entries to examine
}

// listByID returns the newest entries whose log id begins with f.Begins, at most f.Limit of the
// f.Look newest; no page follows. It uses the index, in which ids of version 7 are sorted by time.
func listByID(ctx context.Context, tx kv.Reader, f Filter) (p Page, err error) {
	low, high := bound(f.Begins, '0'), bound(f.Begins, 'f')
	c := tx.Bucket(idsName).Cursor()
	c.Seek(append(high, seqKey(^uint64(0))...))
	k, _ := c.Prev()
	for looked := uint64(0); k != nil && bytes.Compare(k[:idSize], low) >= 0 && looked < f.Look && len(p.Entries) < f.Limit; k, _ = c.Prev() {
		if looked++; looked%1000 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		n := Numbered{Seq: binary.BigEndian.Uint64(k[idSize:])}
		if n.Entry, err = Get(tx, n.Seq); err != nil {
			return p, err
		}
		if f.Wants(&n.Entry) && (n.Action != Resolve || f.Action == Resolve) {
			p.Entries = append(p.Entries, n)
		}
	}
	return p, nil
}

// bound returns a UUID that begins with some digits and has the digit rest in all other
// places.
func bound(begins string, rest byte) []byte {
	digits := bytes.Repeat([]byte{rest}, 2*idSize)
	copy(digits, strings.ReplaceAll(begins, "-", ""))
	out := make([]byte, idSize)
	_, _ = hex.Decode(out, digits) // List checks the digits
	return out
}

// skips reports whether a stored entry is left out because it is a resolve. This is much
// faster than decoding the entry.
func (f *Filter) skips(v []byte) bool {
	return f.Action == "" && f.LogID == "" && bytes.Contains(v[:min(len(v), resolveWithin)], isResolve)
}

// isResolve is in the JSON of each resolve, near its beginning: after its link and its
// log id.
var isResolve = []byte(`","action":"resolve",`)

const resolveWithin = 120

// skipCost is how many skipped entries count as one in Filter.Look.
const skipCost = 16

// Wants reports whether an entry matches the filter.
func (f *Filter) Wants(e *Entry) bool {
	return f.mayWant(e) && (f.Actor == "" || e.Actor == f.Actor) && (f.Claimed == "" || e.Claimed == f.Claimed)
}

// mayWant reports whether an entry matches the filter, whatever the values of its groups.
func (f *Filter) mayWant(e *Entry) bool {
	return (f.LogID == "" || e.LogID == f.LogID) && strings.HasPrefix(e.LogID, f.Begins) && strings.HasPrefix(e.Withdrawn, f.Undone) && (f.Action == "" || e.Action == f.Action) && (f.Any == nil || slices.Contains(f.Any, e.Action)) && (!f.Page || e.Page) &&
		(f.Since.IsZero() || !e.Time.Before(f.Since)) && (f.Until.IsZero() || e.Time.Before(f.Until))
}

// OncePerLog returns entries without those of a log that an earlier entry belongs to: a log in parts has several.
func OncePerLog(entries []Numbered) (out []Numbered) {
	seen := map[string]bool{}
	for _, e := range entries {
		if !seen[e.LogID] {
			seen[e.LogID], out = true, append(out, e)
		}
	}
	return out
}

// Page is a page of the journal, newest entry first unless Filter.Oldest.
type Page struct {
	Entries []Numbered
	// Next is the Filter.Before, or Filter.After, of the next page, or 0 at the end. A page may be short or
	// empty without being the last.
	Next uint64
}

// List returns a page of the entries that match a filter. The error is a *DamagedError
// or the context's.
func List(ctx context.Context, tx kv.Reader, f Filter) (p Page, err error) {
	if f.Begins != "" && f.Before == 0 {
		if strings.Trim(f.Begins, "0123456789abcdef-") != "" || len(f.Begins) > 2*idSize+4 {
			return p, nil // f.Begins is not the beginning of a UUID
		}
		return listByID(ctx, tx, f)
	}
	k, v, step := first(tx.Bucket(bucketName).Cursor(), &f)
	skipped := 0
	for looked := uint64(0); k != nil; k, v = step() {
		if len(p.Entries) == f.Limit || looked == f.Look {
			seq := binary.BigEndian.Uint64(k) // the next page begins with it
			p.Next = seq + 1
			if f.Oldest {
				p.Next = seq - 1
			}
			return p, nil
		}
		if (looked+uint64(skipped))%1000 == 0 && ctx.Err() != nil {
			return p, ctx.Err()
		}
		n := Numbered{Seq: binary.BigEndian.Uint64(k)}
		if f.skips(v) {
			if skipped++; skipped%skipCost == 0 {
				looked++
			}
			continue
		}
		looked++
		if n.Entry, err = decode(n.Seq, v); err == nil && f.mayWant(&n.Entry) {
			err = n.addBeside(tx, n.Seq) // for Wants: its groups, such as Actor, are beside the entry
		}
		if err != nil {
			return p, err
		}
		if f.Wants(&n.Entry) {
			p.Entries = append(p.Entries, n)
		}
	}
	return p, nil
}

// first returns the first entry that a filter looks at, and a function that returns the next
// one.
func first(c kv.Cursor, f *Filter) (k, v []byte, step func() (k, v []byte)) {
	if f.Oldest {
		k, v = c.Seek(seqKey(f.After + 1))
		return k, v, c.Next
	}
	k, v = c.Last()
	if f.Before > 0 && k != nil && f.Before <= binary.BigEndian.Uint64(k) {
		c.Seek(seqKey(f.Before))
		k, v = c.Prev()
	}
	return k, v, c.Prev
}
