package suite

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Route is a row of the tables of routes and pages in the documents, which are the contract.
type Route struct {
	Method, Path string   // Method is "" for a page
	Roles        []string // any one of them suffices; nil means public
}

var (
	tableRow  = regexp.MustCompile("(?m)^\\| ((?:`[^`]+`(?:, )?)+) \\| ([^|;]+)[^|]* \\|")
	rowOfPath = regexp.MustCompile("`(?:([A-Z]+) )?(/[^`?]*)[^`]*`")
)

// Routes returns the routes of docs/NAME in their order.
func Routes(t testing.TB, name string) []Route {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []Route
	for _, row := range tableRow.FindAllStringSubmatch(string(text), -1) {
		for _, at := range rowOfPath.FindAllStringSubmatch(row[1], -1) {
			r := Route{Method: at[1], Path: at[2]}
			if roles := strings.TrimSpace(row[2]); roles != "public" {
				r.Roles = strings.Split(roles, " or ")
			}
			all = append(all, r)
		}
	}
	if len(all) < 20 {
		t.Fatalf("docs/%s has %d routes", name, len(all))
	}
	return all
}
