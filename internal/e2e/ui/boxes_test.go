package ui

import (
	"testing"
	"time"

	core "github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
)

// fleet is a centre with boxes that never change.
type fleet struct {
	core.Centre
	boxes []centre.Status
}

func (f fleet) Boxes() ([]centre.Status, error) { return f.boxes, nil }

// An admin sees each box, and what to do about those in trouble.
func TestBoxesAreShown(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	well := centre.Status{Log: "museum.example/hall-1", Entries: 123_456, Newest: now, Logged: now.Add(-time.Hour), Heard: now,
		Report: pack.Report{Time: now, Entries: 123_456, Version: "v1.2.3", Free: 5 << 30}}
	slow, old := well, well
	slow.Log, slow.Alarm, slow.Ahead = "museum.example/hall-2", centre.Behind, -7*time.Second
	slow.Report.Entries, slow.Report.Waiting = 124_000, now.Add(-3*time.Minute)
	old.Log, old.Alarm, old.Detail = "museum.example/hall-3", centre.Ahead, "ahead: the centre has 123456 entries of this box, and its file only 80000"
	s := start(t, setup{secret: testSecret, centre: fleet{boxes: []centre.Status{well, slow, old}}})
	inLights(t, func(t *testing.T, l look) {
		b := open(t, s.ui, l)
		b.signIn(s, "admin")
		b.goTo("/boxes")
		b.see("main", "restored from an older backup")
		b.see("main", "544 for 3 minutes")
		b.see("#needs", "2 of 3 boxes need you")
		b.see("#boxes", "3 boxes: 1 restored, 1 behind, 1 current")
		b.accessible()
		b.shot("boxes", l)
	})
}
