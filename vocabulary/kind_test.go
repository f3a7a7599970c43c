package vocabulary_test

import (
	"testing"

	. "github.com/segraph/segraph/vocabulary"
)

func TestAKindIsTheMostSpecificClassWhateverComesFirst(t *testing.T) {
	for _, c := range []struct {
		want    string
		classes []string
	}{
		{"", nil},
		{ProvEntity, []string{ProvEntity}},
		{OroRobot, []string{ProvAgent, OroRobot}},
		{OroHuman, []string{FOAFPerson, OroHuman, ProvPerson}},
		{OroListeningEvent, []string{ProvActivity, SegbLoggedActivity, OroListeningEvent}},
		{AmorEmotionAnnotation, []string{ProvActivity, AmorEmotionAnnotation, OAAnnotation, ProvEntity, SegbResult}},
		{OroInitialMessage, []string{SchemaMessage, OroInitialMessage, ProvEntity}},
		{SchemaEvent, []string{SOSAObservation, ProvEntity, SchemaEvent}},
		{OroEmotionRecognitionEvent, []string{OnyxEmotionAnalysis, OroEmotionRecognitionEvent}},
	} {
		for range 2 {
			if got := Kind(c.classes); got != c.want {
				t.Errorf("%v: %s, want %s", c.classes, got, c.want)
			}
			for i, j := 0, len(c.classes)-1; i < j; i, j = i+1, j-1 {
				c.classes[i], c.classes[j] = c.classes[j], c.classes[i]
			}
		}
	}
}
