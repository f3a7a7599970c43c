package docs_test

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/docs"
)

func TestEveryQuestionStandsByItself(t *testing.T) {
	all := docs.Questions()
	if len(all) != 10 {
		t.Errorf("%d questions, want 10", len(all))
	}
	for _, q := range all {
		if q.Title == "" || strings.HasPrefix(q.Title, "#") || q.About == "" || !strings.HasPrefix(q.Query, "PREFIX ") || !strings.Contains(q.Query, "\nSELECT ") {
			t.Errorf("%+v", q)
		}
	}
	if all[0].About != "Robots and visitors" || all[9].About != "Robots at work" {
		t.Errorf("they are about %q and %q", all[0].About, all[9].About)
	}
}
