package resolver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
	"github.com/segraph/segraph/resolver/record"
)

func withID(o resolver.Observation, id string) resolver.Observation {
	o.ObservationURI = id
	return o
}

const first = "https://ex/ari/message/1"

func heardNews() resolver.Observation {
	return withID(said("2026-02-11T09:12:13.150Z", maria, ari, news), first)
}

// otherContents returns observations with the id of heardNews but other content.
func otherContents() map[string]resolver.Observation {
	out := map[string]resolver.Observation{}
	for name, change := range map[string]func(o *resolver.Observation){
		"kind":     func(o *resolver.Observation) { o.EventKind = "human_gesture" },
		"subject":  func(o *resolver.Observation) { o.SubjectURI = "https://ex/human/juan" },
		"day":      func(o *resolver.Observation) { o.ObservedAt = "2026-02-12T09:12:13.150Z" },
		"modality": func(o *resolver.Observation) { o.Modality = "vision" },
		"text":     func(o *resolver.Observation) { o.Text = "Where is the cloakroom, please?" },
		"robot":    func(o *resolver.Observation) { o.RobotURI = tiago },
	} {
		o := heardNews()
		change(&o)
		out[name] = o
	}
	return out
}

// A robot that numbers its messages from 1 after each start loses nothing. A report with
// a reused id is decided and stored like any other, and a repeat of either report gets
// the same answer as before.
func TestAnIDThatIsReusedNamesAnotherObservation(t *testing.T) {
	for name, other := range otherContents() {
		t.Run(name, func(t *testing.T) {
			store := &memory.Store{}
			r := open(t, store)
			one := resolve(t, r, heardNews())
			two := resolve(t, r, other)
			if one.IDReused || two.Duplicate || !two.IDReused || two.DecisionID == nil {
				t.Fatalf("the first answers %+v, the other %+v", one, two)
			}
			r = open(t, store)
			for _, c := range []struct {
				o      resolver.Observation
				uri    string
				reused bool
			}{{heardNews(), one.SharedContextURI, false}, {other, two.SharedContextURI, true}} {
				if x := resolve(t, r, c.o); !x.Duplicate || x.IDReused != c.reused || x.SharedContextURI != c.uri {
					t.Errorf("a repeat of %+v answers %+v", c.o, x)
				}
			}
			stats, err := r.Stats(t.Context())
			if err != nil || stats.Observations != 2 || stats.Duplicates != 2 || stats.ReusedIDs.Total != 1 || len(stats.ReusedIDs.Robots) != 1 ||
				*stats.ReusedIDs.Robots[0].RobotURI != other.RobotURI || stats.ReusedIDs.Robots[0].Count != 1 {
				t.Errorf("%+v, %v", stats, err)
			}
		})
	}
}

// A retry may write the same content in another form.
func TestARepeatMayStampTheSameInstantOtherwise(t *testing.T) {
	r := open(t, &memory.Store{})
	resolve(t, r, heardNews())
	for _, change := range []func(o *resolver.Observation){
		func(o *resolver.Observation) { o.ObservedAt = "2026-02-11T10:12:13.150000+01:00" },
		func(o *resolver.Observation) { o.ObservedAt = "2026-02-11T09:12:13.15" },
		func(o *resolver.Observation) { o.EventKind, o.Modality = " Human_Utterance", "SPEECH" },
		func(o *resolver.Observation) { o.TimeWindowSeconds, o.LocationURI = 5, "https://ex/room/1" },
	} {
		o := heardNews()
		change(&o)
		if x := resolve(t, r, o); !x.Duplicate || x.IDReused {
			t.Errorf("%+v answers %+v", o, x)
		}
	}
}

// SPARQL distinguishes the observations with the same id.
func TestSPARQLTellsAReusedIDApart(t *testing.T) {
	store := &memory.Store{}
	r := open(t, store)
	resolve(t, r, heardNews())
	resolve(t, r, otherContents()["text"])
	keys, reused := map[string]bool{}, 0
	for _, q := range store.Quads() {
		switch {
		case strings.HasSuffix(q.P.Value(), "requestKey"):
			keys[q.O.Value()] = true
		case strings.HasSuffix(q.P.Value(), "idReused") && q.O.Value() == "true":
			reused++
		}
	}
	if len(keys) != 2 || !keys[first] || reused != 1 {
		t.Errorf("the keys are %v, %d of a reused id", keys, reused)
	}
}

// Even if a client invents many robots, the counts take bounded space, and the total
// stays right.
func TestReuseIsCountedForABoundedNumberOfRobots(t *testing.T) {
	suite.OneGoroutine(t)
	const robots = 1100
	store := &memory.Store{}
	r := open(t, store)
	resolve(t, r, heardNews())
	o := heardNews()
	for i := range robots {
		o.RobotURI = fmt.Sprintf("https://ex/robot/%d", i)
		o.ObservedAt = fmt.Sprintf("2026-02-12T%02d:%02d:%02dZ", i/3600, i/60%60, i%60)
		resolve(t, r, o)
	}
	o.ObservedAt, o.RobotURI = "2026-02-13T09:00:00Z", "https://ex/robot/7"
	resolve(t, r, o)
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := stats.ReusedIDs; c.Total != robots+1 || len(c.Robots) != 100 || *c.Robots[0].RobotURI != "https://ex/robot/7" || c.Robots[0].Count != 2 {
		t.Errorf("%d in all, %d robots, first %+v", c.Total, len(c.Robots), c.Robots[0])
	}
	stored := 0
	from, to := record.ReuseRange()
	if err := store.Scan(from, to, func(_, _ []byte) bool { stored++; return true }); err != nil || stored != 1000 {
		t.Errorf("%d records, %v", stored, err)
	}
}
