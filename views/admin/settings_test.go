package admin

import (
	"strings"
	"testing"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

// TestSettingsAreGroupedByWhatTheyAreFor has those that were set first, and each default in its area.
func TestSettingsAreGroupedByWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	list := []views.Setting{
		{Name: "TLS", Value: "not set", From: "default", Help: "A certificate.", Area: "Encryption", About: "For HTTPS."},
		{Name: "API", Value: ":1", From: "--api", Help: "An `address`.", Area: "Addresses", About: "Where it listens."},
		{Name: "UI", Value: ":2", From: "default", Area: "Addresses"},
		{Name: "KEY", Value: "set, not shown", From: "KEY_FILE", Area: "Addresses"},
		{Name: "HOSTS", Value: "a", From: "HOSTS", Area: "Addresses"},
	}
	var page strings.Builder
	if err := SettingsPage(views.Frame{}, list, "", false).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	if err := viewstest.InOrder(viewstest.WordsOf(page.String()), "Set here", "API An address . :1 command line --api",
		"set, not shown file KEY_FILE", "environment", "By default", "Encryption For HTTPS. 1", "Addresses", ":2 default"); err != nil {
		t.Error(err)
	}
	if set, areas := settingAreas(list, "HTTPS"); len(set) > 0 || len(areas) != 1 || areas[0].list[0].Name != "TLS" {
		t.Errorf("with HTTPS: %v %v", set, areas)
	}
}
