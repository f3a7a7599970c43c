package mirror_test

import (
	"testing"

	"github.com/segraph/segraph/resolver/mirror"
	"github.com/segraph/segraph/resolver/record"
)

func TestANumberKeepsTheNameThatItsSeriesGave(t *testing.T) {
	names := mirror.Names{Series: []record.Series{
		{Bits: [16]byte{0xab}, Observations: 1, Cases: 1, Decisions: 1},
		{Bits: [16]byte{1}, Observations: 5, Cases: 1, Decisions: 3}, {Bits: [16]byte{2}, Observations: 9, Cases: 1, Decisions: 4}, {Bits: [16]byte{3}, Observations: 9, Cases: 2, Decisions: 1 << 41},
	}}
	for want, got := range map[string]string{
		"observation_ab0000000000000000000000000000000000000004": names.Observation(4),
		"observation_010000000000000000000000000000000000000005": names.Observation(5),
		"observation_010000000000000000000000000000000000000008": names.Observation(8),
		"observation_030000000000000000000000000000000000000009": names.Observation(9),
		"review_020000000000000000000000000000000000000001":      names.Case(1),
		"review_0300000000000000000000000000000000000000ff":      names.Case(255),
		"decision_ab0000000000000000000000000000000000000002":    names.Decision(2),
		"decision_010000000000000000000000000000000000000003":    names.Decision(3),
		"decision_02000000000000000000000000000000ffffffffff":    names.Decision(1<<40 - 1),
		"decision_0300000000000000000000000000000020000000000":   names.Decision(1 << 41),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for name, want := range map[string]uint64{
		names.Case(255): 255, names.Decision(2): 2, names.Decision(1 << 41): 1 << 41,
		"https://ex/human_utterance_" + mirror.Suffix([]byte("0123456789abcdef"), 77): 77,
		"": 0, "_": 0, "decision_": 0, "decision_1": 0, "review_ab0000000000000000000z": 0, "review_ab00000000000000000000": 0,
	} {
		if got := mirror.Number(name); got != want {
			t.Errorf("the number of %q is %d, want %d", name, got, want)
		}
	}
}
