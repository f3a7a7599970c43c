package provenance

import (
	"context"
	"fmt"

	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
)

// lookBack is how many of the last journal entries are searched, when a store is opened,
// for logs that clients may send again. It exceeds the entries of any transaction, and so
// covers everything that may have been in doubt.
const lookBack = 1024

// repetition holds the properties that two requests to publish the same log share. A
// request id alone does not suffice, because some clients always send the same one.
type repetition struct{ requestID, actor, claimed, sha256 string }

func repetitionOf(e *journal.Entry) (r repetition, ok bool) {
	ok = e.Action == journal.Insert && e.RequestID != "" && e.SHA256 != "" && e.Part == 0
	return repetition{e.RequestID, e.Actor, e.Claimed, e.SHA256}, ok
}

// readPast returns the last logs that were published before the store was opened.
func readPast(r kv.Reader) (map[repetition]journal.Entry, error) {
	page, err := journal.List(context.Background(), r, journal.Filter{Action: journal.Insert, Limit: lookBack, Look: lookBack})
	if err != nil {
		return nil, fmt.Errorf("reading the end of the journal: %w", err)
	}
	past := map[repetition]journal.Entry{}
	for _, e := range page.Entries {
		if r, ok := repetitionOf(&e.Entry); ok {
			if _, later := past[r]; !later {
				e.Number = &e.Seq
				past[r] = e.Entry
			}
		}
	}
	return past, nil
}

// Repeated returns the entry of a log that e would publish again: the log was published
// before the store was opened, with the same request id, user and document. A client
// sends a request again if the first was in doubt or never answered.
func (p *Provenance) Repeated(_ context.Context, e journal.Entry) (earlier journal.Entry, ok bool, err error) {
	r, ok := repetitionOf(&e)
	if !ok {
		return earlier, false, nil
	}
	if earlier, ok = p.past[r]; !ok {
		return earlier, false, nil
	}
	return earlier, true, nil
}
