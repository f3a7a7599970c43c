package reports

import (
	"testing"

	"github.com/segraph/segraph/views/viewstest"
)

func TestTheEvidencePage(t *testing.T) {
	t.Parallel()
	f := viewstest.Frame("Evidence", "/evidence")
	viewstest.Golden(t, "evidence", EvidencePage(f, Evidence{IRI: "http://e/<a>"}))
	viewstest.Golden(t, "evidence-wrong", EvidencePage(f, Evidence{From: "noon", Wrong: "\"noon\" is not a time."}))
}
