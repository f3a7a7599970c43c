package views

import (
	"testing"
)

func TestTheEvidencePage(t *testing.T) {
	f := testFrame("Evidence", "/evidence")
	golden(t, "evidence", EvidencePage(f, Evidence{IRI: "http://e/<a>"}))
	golden(t, "evidence-wrong", EvidencePage(f, Evidence{From: "noon", Wrong: "\"noon\" is not a time."}))
}
