package views

import (
	"fmt"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
)

func TestThereAreOnlySoManySessions(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := newSessions(func() time.Time { return now }, func(auth.Actor) bool { return false })
	begin := func(name string) string {
		now = now.Add(time.Millisecond)
		return s.begin(auth.Actor{Username: name, Expires: now.Add(time.Hour)})
	}
	other := begin("other")
	first := begin("ari")
	second := begin("ari")
	for range maxOfUser - 2 {
		begin("ari")
	}
	now = now.Add(time.Millisecond)
	if _, ok := s.actor(first); !ok { // it is used, so that the second becomes the oldest
		t.Fatal("there are fewer than allowed")
	}
	begin("ari")
	if _, ok := s.actor(second); ok {
		t.Error("one user has more than allowed")
	}
	if _, ok := s.actor(first); !ok {
		t.Error("one that was used was ended")
	}
	if _, ok := s.actor(other); !ok {
		t.Error("one of another user was ended")
	}
	for i := range 2 * maxSessions {
		begin(fmt.Sprint("user", i))
	}
	if s.all.Len() != maxSessions {
		t.Errorf("%d sessions", s.all.Len())
	}
	now = now.Add(2 * time.Hour)
	begin("late")
	if s.all.Len() != 1 {
		t.Errorf("%d sessions after all but one have expired", s.all.Len())
	}
}
