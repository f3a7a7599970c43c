package record_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/segraph/segraph/resolver/record"
	"github.com/segraph/segraph/resolver/weigh"
)

// roundTrip checks that random records of a type are decoded as encoded, and that every
// truncated value is an error.
func roundTrip[T any, P interface {
	*T
	record.Coded
}](t *testing.T, valid func(*T)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Make[T]().Draw(t, "record")
		valid(&want)
		value := record.Encode[T, P](&want)
		got, err := record.Decode[T, P](value)
		if err != nil {
			t.Fatal(err)
		}
		if again := record.Encode[T, P](got); !bytes.Equal(again, value) {
			t.Fatalf("%+v came back as %+v", want, *got)
		}
		cut := rapid.IntRange(0, len(value)-1).Draw(t, "cut")
		if _, err := record.Decode[T, P](value[:cut]); !errors.Is(err, record.ErrEncoding) {
			t.Fatalf("%d of %d bytes were read: %v", cut, len(value), err)
		}
	})
}

func TestRecordsRoundTrip(t *testing.T) {
	t.Run("context", func(t *testing.T) { roundTrip(t, func(*record.Context) {}) })
	t.Run("observation", func(t *testing.T) { roundTrip(t, func(*record.Observation) {}) })
	t.Run("case", func(t *testing.T) { roundTrip(t, func(k *record.Case) { k.Status %= record.Superseded + 1 }) })
	t.Run("decision", func(t *testing.T) { roundTrip(t, func(d *record.Decision) { d.Kind %= record.Undoing + 1 }) })
	t.Run("repeat", func(t *testing.T) { roundTrip(t, func(*record.Repeat) {}) })
	t.Run("alias", func(t *testing.T) { roundTrip(t, func(*record.Alias) {}) })
	t.Run("reuse", func(t *testing.T) { roundTrip(t, func(*record.Reuse) {}) })
	t.Run("clock", func(t *testing.T) {
		roundTrip(t, func(c *record.Clock) {
			for i := range c.Steps {
				c.Steps[i].Shown %= record.ByPerson + 1
			}
		})
	})
	t.Run("kind", func(t *testing.T) { roundTrip(t, func(*record.Kind) {}) })
	t.Run("frequency", func(t *testing.T) { roundTrip(t, func(*record.Frequency) {}) })
	t.Run("scale", func(t *testing.T) { roundTrip(t, func(*record.Scale) {}) })
	t.Run("reviews", func(t *testing.T) { roundTrip(t, func(*record.Reviews) {}) })
	t.Run("series", func(t *testing.T) { roundTrip(t, func(*record.Series) {}) })
	t.Run("totals", func(t *testing.T) { roundTrip(t, func(*record.Totals) {}) })
	t.Run("subject", func(t *testing.T) { roundTrip(t, func(s *record.Subject) { s.State %= record.Confirmed + 1 }) })
	t.Run("pair", func(t *testing.T) { roundTrip(t, func(*record.Pair) {}) })
	t.Run("relay", func(t *testing.T) { roundTrip(t, func(r *record.Relay) { r.State %= record.RejectedRelay + 1 }) })
	t.Run("newer", func(t *testing.T) {
		if _, err := record.Decode[record.Scale]([]byte{5}); !errors.Is(err, record.ErrEncoding) {
			t.Errorf("a record of a newer version: %v", err)
		}
	})
}

// TestEveryFieldIsStored fails if a field was added to a record but not to its encoding.
func TestEveryFieldIsStored(t *testing.T) {
	want := record.Context{Number: 1, URI: "u", Kind: "k", Into: 2, Created: 3, At: -4, Count: 5, Origins: []uint64{1, 6},
		Members:     []record.Member{{Origin: 1, At: 7, Coarse: true, Subject: "s", Generic: true, Modality: "m", Text: "t", Robot: "r", Location: "l", Received: 8, Late: true}},
		Separations: []record.Separation{{Own: 1, Other: 8}}, Doubts: []record.Doubt{{Own: 1, Case: 9}}, LateOf: 10}
	holds(t, want)
	holds(t, record.Observation{Number: 1, Context: 2, Decision: 6, Received: 3, At: 4, Corrected: 5, Kind: "k", ObservedAt: "a", Subject: "s", Modality: "m",
		Text: "t", URI: "u", Robot: "r", Location: "l", Key: record.Hash{1}, Reused: true, Salt: record.Salt{1}, Alias: "x"})
	holds(t, record.Alias{URI: "u", Context: 1, Observation: 2, Decision: 3})
	holds(t, record.Repeat{Context: 1, Case: 2, Content: record.Hash{3}})
	holds(t, record.Reuse{Robot: "r", Count: 1})
	holds(t, record.Clock{Robot: "r", Offset: 1, Anchors: 2, Lead: -3, Kind: 4, Letters: 30, Shortest: 31, Gain: 32, Lags: []int64{5, -6}, Lag: 7, Timed: true, Odd: []int64{8},
		Steps: []record.Step{{From: 9, By: 10, Shown: record.ByPerson}}, Segment: 11, Friends: []uint32{12}, Disputes: 13, Earlier: 14, Later: 15,
		Claims: []record.Claim{{Partner: "p", Own: 16, Theirs: 17, Since: 18, Recent: []int64{19}, About: 20, Sentences: 21,
			Subjects: []uint32{22}, Texts: []uint32{23}, Reversed: 24, Against: 25, Arrived: 26}}, DecidedBy: "c", DecidedAt: 27, Revoked: true, Confirmed: 28, Moved: 29, Heard: 30})
	holds(t, record.Decision{Number: 1, Kind: record.Rejection, At: 2, Plan: "p", By: "b", Robot: "r", Observation: 3, Source: 4, Target: 5, Case: 6,
		LogOdds: 7, Probability: 8, Closed: []uint64{9}, Joined: []record.Separation{{Own: 1, Other: 2}}, Undone: 10})
	holds(t, record.Kind{Name: "n", Made: 1, Contexts: 2, Subjects: 3, Places: 4, Open: []int64{-4}})
	holds(t, record.Subject{Subject: "s", State: record.Overruled, Since: 1, DecidedBy: "d", Joined: 2,
		Pairs: []record.SubjectPair{{First: "a", Second: "b", Conflicts: 3, Elsewhere: 4, Agreements: 5}}})
	holds(t, record.Relay{Robot: "r", State: record.Repeating, Of: "o", Since: 1, DecidedBy: "d", Reports: 2,
		Sources: []record.RelaySource{{Robot: "o", Repeats: 3, Joined: 4, Live: 7, Exact: 8}}, Late: 5, Delays: []int64{6}})
	holds(t, record.Pair{First: "a", Second: "b", Similar: 1, Conflicts: 2, Gaps: [record.PairBins]int64{3}, Accepted: 4, Rejected: 5})
	holds(t, record.Case{Number: 1, Source: 2, Status: record.Accepted, Reason: "r", Any: 3, Opened: 4, Decided: 5, DecidedBy: "d", Selected: 6,
		Decision: 7, Targets: []record.Target{{Context: 8, Probability: 9, LogOdds: 10, Shares: record.Shares{Time: 1, Text: 2, Subject: 3, Modality: 4},
			Parts: []record.Part{{Feature: "f", Weight: 11, Value: "v"}}, Gap: 12, Claimed: 18, Likeness: 13,
			Gates: weigh.Gates{EventKind: true, Rival: true, Subject: true, Modality: true, Text: true, Time: true, Place: true, Robot: true}}},
		Weighed: record.Weighed{At: 14, MaxGap: 15, MinText: 16, Probability: 17}})
}

func holds[T any, P interface {
	*T
	record.Coded
}](t *testing.T, want T) {
	t.Helper()
	for i := range reflect.TypeOf(want).NumField() {
		if reflect.ValueOf(want).Field(i).IsZero() {
			t.Errorf("%T.%s is not tried", want, reflect.TypeOf(want).Field(i).Name)
		}
	}
	got, err := record.Decode[T, P](record.Encode[T, P](&want))
	if err != nil || !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v came back as %+v, %v", want, got, err)
	}
}

func TestKeysAreInTheOrderOfWhatTheyName(t *testing.T) {
	h := record.NewHasher(record.Secret{})
	keys := [][]byte{
		h.TimeKey(1, record.Bucket(-1), 9), h.TimeKey(1, record.Bucket(0), 1), h.TimeKey(1, record.Bucket(0), 2),
		h.TimeKey(1, record.Bucket(record.BucketWidth), 1),
	}
	if !slices.IsSortedFunc(keys, bytes.Compare) {
		t.Errorf("%x", keys)
	}
	from, to := h.TimeRange(1, 0)
	for i, k := range keys {
		if in := bytes.Compare(k, from) >= 0 && bytes.Compare(k, to) < 0; in != (i == 1 || i == 2) {
			t.Errorf("key %d is in the range of bucket 0: %v", i, in)
		}
	}
	if n := record.Number(record.PendingKey(77)); n != 77 {
		t.Errorf("the number of a key is %d", n)
	}
}

// No key and no hash of a name is the same with another secret.
func TestHashesNeedTheSecret(t *testing.T) {
	one, other := record.NewHasher(record.Secret{1}), record.NewHasher(record.Secret{2})
	for name, of := range map[string]func(h *record.Hasher) []byte{
		"Of":         func(h *record.Hasher) []byte { sum := h.Of("uri", "a"); return sum[:] },
		"ReuseKey":   func(h *record.Hasher) []byte { return h.ReuseKey("a") },
		"ClockKey":   func(h *record.Hasher) []byte { return h.ClockKey("a") },
		"WatchedKey": func(h *record.Hasher) []byte { return h.WatchedKey("a") },
		"RelayKey":   func(h *record.Hasher) []byte { return h.RelayKey("a") },
		"PairKey":    func(h *record.Hasher) []byte { return h.PairKey("a", "b") },
		"KindKey":    func(h *record.Hasher) []byte { return h.KindKey(7) },
		"TextKey":    func(h *record.Hasher) []byte { return h.TextKey(7, 8) },
		"SubjectKey": func(h *record.Hasher) []byte { return h.SubjectKey(7, 8) },
		"PlaceKey":   func(h *record.Hasher) []byte { return h.PlaceKey(7, 8) },
		"TimeKey":    func(h *record.Hasher) []byte { return h.TimeKey(7, 8, 9) },
	} {
		if a := of(one); !bytes.Equal(a, of(one)) || bytes.Equal(a, of(other)) {
			t.Errorf("%s: %x, %x, %x with another secret", name, a, of(one), of(other))
		}
	}
	if one.Of("a", "bc") == one.Of("ab", "c") {
		t.Error("parts are not separated")
	}
}

func TestCountsAreHalvedWithTheEpochs(t *testing.T) {
	f := record.Frequency{Epoch: 3, Count: 9}
	for epoch, want := range map[int64]int64{3: 9, 4: 4, 6: 1, 7: 0, 1000: 0} {
		if got := f.Now(epoch); got != want {
			t.Errorf("in epoch %d: %d, want %d", epoch, got, want)
		}
	}
}
