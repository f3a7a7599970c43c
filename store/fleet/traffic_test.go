package fleet_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/segraph/segraph/internal/storetest"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// TestARobotsTrafficIsSmallOnTheWire forwards what two robots published: as a backlog, at its own times, and log by log.
// Reports, which a box makes every 20 s whatever it logs, do not count.
func TestARobotsTrafficIsSmallOnTheWire(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(suite.Shared(t, "data", "robot-capture.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		look func(i int, at float64) int // at which look of the box at its journal a log is sent, given its number and time
		most float64
	}{
		"backlog":   {func(int, float64) int { return 0 }, 10},
		"own times": {func(_ int, at float64) int { return int(at) }, 19}, // an idle box looks every second
		"each":      {func(i int, _ float64) int { return i }, 22},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 19, 1)
			b, sent, packs, triples, logs, look := w.boxes[0], 0, 0, 0, 0, 0
			w.settle()
			b.spoilt = func(p *pack.Pack) {
				wire, err := p.Encode()
				if err != nil {
					t.Error(err)
				}
				packs, sent = packs+1, sent+len(wire)
			}
			lines := bufio.NewScanner(bytes.NewReader(text))
			for lines.Buffer(nil, 1<<20); lines.Scan(); {
				var log struct {
					Time float64 `json:"ts"`
					User string  `json:"user"`
					Text string  `json:"ttl_content"`
				}
				if err := json.Unmarshal(lines.Bytes(), &log); err != nil {
					t.Fatal(err)
				}
				if next := c.look(logs, log.Time); next > look {
					w.settle()
					look = next
				}
				d := storetest.Document(t, turtle.Turtle, log.Text)
				e := journal.Entry{LogID: journal.NewLogID(), Actor: log.User, Triples: d.Distinct()}
				store.Commit(&e, []byte(log.Text), d, pack.CanonSteps)
				if _, err := b.store.Add(t.Context(), d, e); err != nil {
					t.Fatal(err)
				}
				triples, logs = triples+e.Triples, logs+1
			}
			w.settle()
			w.agree(b)
			got := float64(sent) / float64(triples)
			t.Logf("%d triples in %d packs, %d bytes: %.1f bytes a triple", triples, packs, sent, got)
			if triples < 2000 || sent == 0 || got > c.most {
				t.Errorf("%.1f bytes a triple, want at most %.0f", got, c.most)
			}
		})
	}
}
