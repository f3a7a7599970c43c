package fleet_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/fleet/pack"
	"github.com/segraph/segraph/store/log/translog"
)

// TestAnOldKeySignsNothingAfterARotation lets a thief have the key that SEGRAPH_BOXES still names.
func TestAnOldKeySignsNothingAfterARotation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 22, 1)
	b := w.boxes[0]
	w.publish(b)
	w.settle()
	keyFile := filepath.Join(w.folder, b.name+".key")
	text, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := pem.Decode(text)
	key, err := x509.ParsePKCS8PrivateKey(in.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	seed := append([]byte{1}, key.(ed25519.PrivateKey).Seed()...)
	thief, err := note.NewSigner("PRIVATE+KEY+" + w.keys[0][:len(b.name)+len("+01234567+")] + base64.StdEncoding.EncodeToString(seed))
	if err != nil {
		t.Fatal(err)
	}
	w.fixed = true
	if _, err := translog.Rotate(t.Context(), b.store, translog.Options{KeyFile: keyFile, Origin: b.name}, nil, "eva"); err != nil {
		t.Fatal(err)
	}
	w.restart(b)
	w.openHub()
	w.start(b)
	w.settle()
	w.agree(b)
	w.publish(b)
	b.spoilt = func(p *pack.Pack) {
		text, _, _ := strings.Cut(string(p.Checkpoint), "\n\n")
		p.Checkpoint, err = note.Sign(&note.Note{Text: text + "\n"}, thief)
		p.Handovers = nil
	}
	w.settle()
	if got := b.sender.Status(); err != nil || got.State != box.Refused || !strings.Contains(got.Detail, "not signed with the log's key") {
		t.Errorf("with the old key the box is %s: %s; %v", got.State, got.Detail, err)
	}
	b.spoilt = nil
	w.settle()
	w.settle()
	w.agree(b)
}

// TestAnOldReportDoesNotHideASilentBox sends the last report of a box again after a minute and a half.
func TestAnOldReportDoesNotHideASilentBox(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, time.Hour} {
		w := newWorld(t, 23, 1)
		b := w.boxes[0]
		b.ahead, w.now = ahead, time.Now().UTC()
		w.openHub()
		w.start(b)
		w.settle()
		var reports [][]byte
		b.spoilt = func(p *pack.Pack) { reports = append(reports, p.Report) }
		for range 2 {
			w.now = w.now.Add(20 * time.Second)
			w.publish(b)
			b.sender.Step(t.Context())
		}
		b.spoilt = nil
		w.start(b)
		w.openHub() // which forgets the runs that it knew
		b.sender.Step(t.Context())
		w.now = w.now.Add(91 * time.Second)
		for _, report := range reports[:1] { // the last is of all entries that came
			again := &pack.Pack{Log: b.name, First: 1, Report: report}
			sent, err := again.Encode()
			if err != nil || len(report) == 0 {
				t.Fatalf("the report is %q, %v", report, err)
			}
			if _, err := w.hub.ReceiveAt(t.Context(), sent, centre.Place{}); err != nil {
				t.Fatal(err)
			}
		}
		if all, err := w.hub.Boxes(); err != nil || len(reports) != 2 || all[0].Alarm != centre.Silent {
			t.Errorf("with a clock %v ahead and %d reports, the centre shows %+v, %v", ahead, len(reports), all, err)
		}
	}
}

// TestAClockThatIsSetIsHeard lets a box's clock be an hour ahead for one report, and many years behind.
func TestAClockThatIsSetIsHeard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 25, 1)
	b := w.boxes[0]
	w.now = time.Now().UTC()
	w.openHub()
	w.start(b)
	w.settle()
	for _, b.ahead = range []time.Duration{time.Hour, 0, -400_000 * time.Hour, -400_000 * time.Hour, 0} {
		w.now = w.now.Add(21 * time.Second)
		w.start(b) // its first step reports
		b.sender.Step(t.Context())
		if all, err := w.hub.Boxes(); err != nil || all[0].Ahead != b.ahead || !all[0].Heard.Equal(w.now) {
			t.Errorf("at %v, with a clock %v ahead, the centre shows %+v, %v", w.now, b.ahead, all, err)
		}
	}
}

// TestACentreWhoseClockIsSetBackMissesASilentBox hears of a box an hour too late.
func TestACentreWhoseClockIsSetBackMissesASilentBox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 26, 1)
	right := time.Now().UTC()
	w.now = right.Add(time.Hour)
	w.openHub()
	w.start(w.boxes[0])
	w.settle()
	for after, want := range []centre.Alarm{centre.Quiet, centre.Quiet, centre.Silent} {
		w.now = right.Add(time.Duration(after) * time.Minute)
		if all, err := w.hub.Boxes(); err != nil || all[0].Alarm != want || all[0].Heard.After(w.now) {
			t.Errorf("after %d minutes, the centre shows %+v, %v", after, all, err)
		}
	}
}
