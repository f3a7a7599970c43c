package admin

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// TestSettingsAreGroupedByWhatTheyAreFor has an area without a change before one with a change.
func TestSettingsAreGroupedByWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	list := []views.Setting{
		{Name: "TLS", Value: "not set", From: "default", Help: "A certificate.", Area: "Encryption", About: "For HTTPS."},
		{Name: "API", Value: ":1", From: "--api", Help: "An address.", Area: "Addresses", About: "Where it listens."},
		{Name: "UI", Value: ":2", From: "default", Area: "Addresses"},
		{Name: "KEY", Value: "set, not shown", From: "KEY_FILE", Area: "Addresses"},
		{Name: "HOSTS", Value: "a", From: "HOSTS", Area: "Addresses"},
	}
	var page strings.Builder
	if err := SettingsPage(views.Frame{}, list).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if err := viewstest.InOrder(viewstest.WordsOf(page.String()), "Addresses Where it listens. 3 of 4 settings set", "API An address. :1 command line --api",
		":2 default", "set, not shown file KEY_FILE", "environment HOSTS", "Encryption For HTTPS. 1 setting, all by default"); err != nil {
		t.Error(err)
	}
}
