package httpapi

import "testing"

func TestADetailIsOneSentence(t *testing.T) {
	for text, want := range map[string]string{
		"the disk is full":         "The disk is full.",
		"The disk is full.":        "The disk is full.",
		"did you mean /ttl?":       "Did you mean /ttl?",
		"stop!":                    "Stop!",
		"it begins with abc…":      "It begins with abc…",
		"émile is no role":         "Émile is no role.",
		`expected "." or ";"`:      `Expected "." or ";".`,
		"the limit (1) is too low": "The limit (1) is too low.",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	faults := []fault{{Msg: "The member \"user\" is missing."}, {Msg: "x."}, {Msg: "y."}}
	for n, want := range []string{`The member "user" is missing.`, `The member "user" is missing (and 1 more).`, `The member "user" is missing (and 2 more).`} {
		if got := wrong(faults[:n+1]...).Detail; got != want {
			t.Errorf("%d faults: %q, want %q", n+1, got, want)
		}
	}
}
