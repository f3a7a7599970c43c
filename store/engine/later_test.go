package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/turtle"
)

// submit begins to store a triple.
func submit(t *testing.T, s *Store, n int, later bool) *Ticket {
	t.Helper()
	d := document(t, turtle.Turtle, fmt.Sprintf("<http://ex/s> <http://ex/p> %d .", n))
	ticket, err := s.SubmitAfter(context.Background(), nil, later, func(tx *Tx) error { return tx.AddLog(d, &journal.Entry{}) })
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func TestWritesThatMayWaitShareTheSyncOfTheNextThatMayNot(t *testing.T) {
	s := openStore(t)
	s.queue.later = time.Hour
	var waiting []*Ticket
	for i := range 5 {
		waiting = append(waiting, submit(t, s, i, true))
	}
	time.Sleep(20 * time.Millisecond) // many times what a sync takes
	for i, w := range waiting {
		if w.stored.Load() {
			t.Errorf("write %d did not wait", i)
		}
	}
	if err := submit(t, s, 5, false).Wait(); err != nil {
		t.Fatal(err)
	}
	for i, w := range waiting {
		if !w.stored.Load() {
			t.Errorf("write %d was not stored with a later one", i)
		}
	}
	if err := submit(t, s, 6, true).Wait(); err != nil { // whoever waits does not wait for others
		t.Error(err)
	}
}

func TestWritesThatMayWaitWaitForMilliseconds(t *testing.T) {
	s := openStore(t)
	select {
	case <-submit(t, s, 0, true).done:
	case <-time.After(10 * time.Second):
		t.Error("a write was not stored for 10 s")
	}
}

func TestAwaitUpkeepWaitsForAFlush(t *testing.T) {
	s := openStore(t)
	s.queue.set(&s.queue.flushes, true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.AwaitUpkeep()
	}()
	select {
	case <-ended:
		t.Fatal("it did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	s.queue.set(&s.queue.flushes, false)
	<-ended
}
