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

// TestARobotsTrafficIsSmallOnTheWire forwards what two robots published: as a backlog, and log by log.
func TestARobotsTrafficIsSmallOnTheWire(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(suite.Shared(t, "data", "robot-capture.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		each bool // each log is sent before the next arrives
		most float64
	}{"backlog": {false, 10}, "each": {true, 35}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 19, 1)
			b, sent, triples := w.boxes[0], 0, 0
			w.settle()
			b.spoilt = func(p *pack.Pack) {
				wire, err := p.Encode()
				if err != nil {
					t.Error(err)
				}
				sent += len(wire)
			}
			lines := bufio.NewScanner(bytes.NewReader(text))
			for lines.Buffer(nil, 1<<20); lines.Scan(); {
				var log struct {
					User string `json:"user"`
					Text string `json:"ttl_content"`
				}
				if err := json.Unmarshal(lines.Bytes(), &log); err != nil {
					t.Fatal(err)
				}
				d := storetest.Document(t, turtle.Turtle, log.Text)
				e := journal.Entry{LogID: journal.NewLogID(), Actor: log.User, Triples: d.Distinct()}
				store.Commit(&e, []byte(log.Text), d, pack.CanonSteps)
				if _, err := b.store.Add(t.Context(), d, e); err != nil {
					t.Fatal(err)
				}
				if triples += e.Triples; c.each {
					w.settle()
				}
			}
			w.settle()
			w.agree(b)
			got := float64(sent) / float64(triples)
			t.Logf("%d triples in %d bytes: %.1f bytes a triple", triples, sent, got)
			if triples < 2000 || sent == 0 || got > c.most {
				t.Errorf("%.1f bytes a triple, want at most %.0f", got, c.most)
			}
		})
	}
}
