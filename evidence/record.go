package evidence

import (
	"encoding/base64"
	"fmt"
	"io"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/turtle"
)

// Record is what a bundle holds, for a document that is made of the same logs.
type Record struct {
	Claim     Claim
	Key       string   // the log's verifier key
	Size      uint64   // number of entries under the checkpoint
	Root      string   // the root hash of the checkpoint, in base64
	Signed    string   // the signed checkpoint
	Witnesses []string // names of those who signed the checkpoint, other than the log
	Logs      []RecordLog
	Decisions []RecordEntry // of people, on what the logs mention
	Limits    []string      // what the bundle does not prove, in sentences
}

// RecordLog is a log, or a part of one, in a bundle.
type RecordLog struct {
	Index  uint64
	Entry  *journal.Entry
	Quads  []rdf.Quad // nil if Gone says why the bundle does not have them
	Gone   string
	Signed bool // with a key of its sender
}

// RecordEntry is another entry: what it records, in a sentence with its values quoted.
type RecordEntry struct {
	Index uint64
	Says  string
}

// ReadRecord reads a bundle that the caller made, and so does not verify it. The error is a *Failure
// if r is a file that no bundle is.
func ReadRecord(r io.ReaderAt, size int64) (*Record, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	m := members{}
	for name := range a.places {
		if m[name], err = a.read(name); err != nil {
			return nil, err
		}
	}
	c, err := m.decode()
	if err != nil {
		return nil, err
	}
	out := &Record{Claim: c.claim, Key: c.keys[len(c.keys)-1].key, Size: c.checkpoint.size, Root: base64.StdEncoding.EncodeToString(c.checkpoint.root),
		Signed: string(c.checkpoint.signed), Witnesses: c.checkpoint.witnesses(), Limits: c.limits(false)}
	for _, item := range c.logs() {
		log := RecordLog{Index: item.Index, Entry: c.entries[item.Index], Signed: c.signatures[item.Index] != nil}
		if text, has := c.graphs[item.Index]; has {
			if log.Quads, err = turtle.Parse(text, turtle.NQuads, turtle.Options{}); err != nil {
				return nil, fmt.Errorf("reading the log at %d of a bundle: %w", item.Index, err)
			}
		} else {
			log.Gone = c.gone(item)
		}
		out.Logs = append(out.Logs, log)
	}
	for _, item := range c.claim.Entries {
		if e := c.entries[item.Index]; e.Decides() && !isObservation(e) {
			out.Decisions = append(out.Decisions, RecordEntry{item.Index, describe(e)})
		}
	}
	return out, nil
}
