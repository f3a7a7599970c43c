package retention

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/engine/kv"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/notes"
)

// Tally is what was removed since the last entry, and when the last day ended.
type Tally struct {
	Last      time.Time         `json:"last,omitzero"`
	Logs      map[string]int    `json:"logs,omitempty"`     // by rule
	Contexts  map[string]int    `json:"contexts,omitempty"` // by rule
	Triples   int64             `json:"triples,omitempty"`
	Indexes   string            `json:"indexes,omitempty"` // of the logs, and of the observations of contexts
	Snapshots int               `json:"snapshots,omitempty"`
	Refused   int               `json:"refused,omitempty"`    // logs that could not be withdrawn on the last day
	Doubted   time.Time         `json:"doubted,omitzero"`     // when the clock was found to have jumped
	DoubtedAt uint64            `json:"doubted_at,omitempty"` // the number of the newest entry then
	Jumps     []store.ClockJump `json:"jumps,omitempty"`
}

// tallyIn reads what retention removed so far.
func tallyIn(tx kv.Reader) (t Tally, err error) {
	list, err := notes.In(tx, kind, owner)
	if err == nil && len(list) > 0 {
		err = json.Unmarshal([]byte(list[0].Text), &t)
	}
	if err != nil {
		return t, fmt.Errorf("reading what retention removed: %w", err)
	}
	return t, nil
}

// Tally returns what was removed since the last entry, and when the last day ended.
func (r *Retention) Tally() (Tally, error) {
	return engine.Read(r.options.Store, func(snap *engine.Snapshot) (Tally, error) { return tallyIn(snap.KV()) })
}

func (t *Tally) put(tx *engine.Tx) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return notes.PutIn(tx, notes.Note{Kind: kind, Owner: owner, Name: "tally", Text: string(text)})
}

// ended returns what stays of the tally after its entry.
func (t *Tally) ended() *Tally {
	return &Tally{Last: t.Last, Refused: t.Refused, Doubted: t.Doubted, DoubtedAt: t.DoubtedAt, Jumps: t.Jumps}
}

func increased(counts map[string]int, rule Rule) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	counts[rule.String()]++
	return counts
}

func sum(logs map[string]int) (n int) {
	for _, of := range logs {
		n += of
	}
	return n
}

// enter appends the journal's entry about a tally that is not empty.
func (t *Tally) enter(tx *engine.Tx, now time.Time) error {
	if t.Indexes == "" && t.Snapshots == 0 && len(t.Contexts) == 0 {
		return nil
	}
	var said []string
	for what, by := range map[string]map[string]int{"logs": t.Logs, "contexts": t.Contexts} {
		for rule, n := range by {
			said = append(said, fmt.Sprintf("%s: %s: %d", rule, what, n))
		}
	}
	slices.Sort(said)
	for _, c := range []struct {
		what string
		n    int
	}{{"snapshots", t.Snapshots}, {"logs that can't be withdrawn", t.Refused}} {
		if c.n > 0 {
			said = append(said, fmt.Sprintf("%s: %d", c.what, c.n))
		}
	}
	return tx.Journal(journal.Entry{LogID: journal.NewLogID(), Action: journal.Expire, Time: now.UTC(), Actor: owner,
		Removed: t.Triples, Lessened: t.Indexes, Detail: strings.Join(said, "; ")})
}
