package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// fullJournal appends entries unless its disk is full.
type fullJournal struct {
	Journal
	err     error
	entered []string
}

func (j *fullJournal) Note(_ context.Context, e journal.Entry) error {
	if j.err == nil {
		text := e.Subject
		if e.Actor != "" {
			text += " by " + e.Actor
		}
		j.entered = append(j.entered, text)
	}
	return j.err
}

// TestLooksWaitForRoomOnTheDisk: on a full disk a look is counted, and entered once there is room,
// without the name of somebody who was erased meanwhile.
func TestLooksWaitForRoomOnTheDisk(t *testing.T) {
	t.Parallel()
	j := &fullJournal{err: fmt.Errorf("entering: %w", store.ErrDiskFull)}
	s := New(Config{Journal: j, Log: logs.New(logs.Options{Name: "none"})})
	for n := 1; n <= maxLooks; n++ {
		if waiting, err := s.EnterLooks(t.Context(), journal.Entry{Subject: fmt.Sprint(n)}); err != nil || waiting != n {
			t.Fatalf("%d: %d %v", n, waiting, err)
		}
	}
	if _, err := s.EnterLooks(t.Context(), journal.Entry{}); ErrorOf(err) == nil || ErrorOf(err).Kind != NoRoom {
		t.Errorf("one too many: %v", err)
	}
	s.looks[2].Subject, s.looks[3].Actor = "http://ex/2#me", "http://ex/2"
	s.erased([]string{"2", "http://ex/2"})
	j.err = nil
	if waiting, err := s.EnterLooks(t.Context()); err != nil || waiting != 0 || len(j.entered) != maxLooks || !slices.Equal(j.entered[:5], []string{"1", "", "", "4 by erased", "5"}) {
		t.Errorf("%d %v, entered %d, first %q", waiting, err, len(j.entered), j.entered[:5])
	}
	j.err = errors.New("damaged")
	if _, err := s.EnterLooks(t.Context(), journal.Entry{Subject: "x"}); err == nil || len(s.looks) != 0 {
		t.Errorf("an entry that failed: %v, waiting %d", err, len(s.looks))
	}
}
