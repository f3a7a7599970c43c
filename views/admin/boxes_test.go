package admin

import (
	"testing"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/views/viewstest"
)

// TestTheBoxesPageSaysWhatToDo shows a box that is well, and one with each kind of trouble.
func TestTheBoxesPageSaysWhatToDo(t *testing.T) {
	t.Parallel()
	now := viewstest.Now
	well := centre.Status{Log: "hall-1", Entries: 1234, Newest: now.Add(-time.Minute), Logged: now.Add(-time.Hour), Heard: now.Add(-2 * time.Second),
		Report: pack.Report{Time: now, Entries: 1234, Version: "v1.2.3", Free: 5 << 30}}
	slow := well
	slow.Log, slow.Alarm, slow.Ahead = "hall-2", centre.Behind, -7*time.Second
	slow.Report.Entries, slow.Report.Waiting, slow.Report.Free = 1235, now.Add(-3*time.Minute), -1
	f := service.Fleet{Boxes: []centre.Status{well, slow, {Log: "hall-3", Alarm: centre.Unseen}, {Log: "<b>", Alarm: centre.Forked, Detail: "fork: another <history> of 80000 “12345” at a:18443"}},
		Centres: []box.Status{{Name: "segraph/centre/1", State: box.Current}}, Late: "This centre has not read all of its stream."}
	viewstest.Show(t, BoxesPage(viewstest.Frame("Boxes", "/boxes"), boxesModel(f, now))).Reads(`
# Boxes
Which robots’ journals have arrived here, and what to do about those that have not.
This centre is behind
This centre has not read all of its stream.
# 3 of 4 boxes need you
<b> has another history than it sent.
Another <history> of 80,000 “12345” at a:18443.
What to do: Find out who rewrote its file, or uses a copy of it. Then restore it with segraph restore, and replace its key in SEGRAPH_BOXES.
hall-2 is behind: it sends more slowly than it logs.
What to do: Wait: it catches up. If it falls further behind, its link is too slow, or SEGRAPH_FORWARD_RATE too low.
hall-3 has never been heard.
What to do: Start it with SEGRAPH_FORWARD_TO and a token of the role box. Its own health page says why it can’t reach this centre.
# 4 boxes: 1 fork, 1 behind, 1 unseen, 1 current
Box | State | Verified until | Missing | Last contact | Last log
<b> | fork | –0 entries here | – | – | –
hall-2 Clock 7 seconds behind · version “v1.2.3” | behind | 4 Jun 2026, 11:52:18 UTC1,234 entries here | 1 for 3 minutes | 2 seconds ago | 1 hour ago
hall-3 | unseen | –0 entries here | – | – | –
hall-1 Clock right · 5 GiB free · version “v1.2.3” | current | 4 Jun 2026, 11:52:18 UTC1,234 entries here | – | 2 seconds ago | 1 hour ago
# Centres that get this journal
Centre | State | Entries | Confirmed
segraph/centre/1 | has all entries | 0 | never
`)
	viewstest.Show(t, BoxesPage(viewstest.Frame("Boxes", "/boxes"), boxesModel(service.Fleet{Boxes: []centre.Status{well}}, now))).Reads(`
# Boxes
Which robots’ journals have arrived here, and what to do about those that have not.
No box needs you
All that the boxes logged has arrived, or is on its way.
# 1 box: current
Box | State | Verified until | Missing | Last contact | Last log
hall-1 Clock right · 5 GiB free · version “v1.2.3” | current | 4 Jun 2026, 11:52:18 UTC1,234 entries here | – | 2 seconds ago | 1 hour ago
`)
}

// TestEachAlarmHasWords goes through the alarms of a centre.
func TestEachAlarmHasWords(t *testing.T) {
	t.Parallel()
	for _, a := range []centre.Alarm{centre.Ahead, centre.Forked, centre.Denied, centre.Unseen, centre.Silent, centre.Behind} {
		if w := alarms[a]; w.word == "" || w.kind == "" || w.says == "" || w.do == "" {
			t.Errorf("the alarm %q has the words %+v", a, w)
		}
	}
}
