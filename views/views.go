// Package views is the look of the web UI: pages as templ components, and the models that
// they show. Its rules:
//
//   - No I/O, no clock, and neither a store nor the resolver: a model holds all that its page shows.
//   - The core task of every page works with links and forms alone. Scripts add to it.
//   - No inline script, no style attribute, no templ.Raw, no templ.SafeURL: what comes from the graph is
//     text, and an IRI of the graph links to a page of this service, never out.
//   - Colours, spaces and type are those of static/src/parts/tokens.css.
//
// The files *_templ.go are generated, and committed so that `go build` alone works.
package views

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.977 generate -include-version=false

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Frame is what every page has around its content.
type Frame struct {
	Title   string   // where one is
	Path    string   // of the page, without Base
	Base    string   // what comes before every path where it is shown as text; links get it later
	Nav     []Link   // the pages that the reader may open
	Who     Who      // the reader
	Pending *int     // review cases that wait; nil where nobody counts them, or the reader may not know
	Scripts []string // what the page loads besides app.js, as static.URL knows it
	Styles  []string // what the page loads besides app.css
	Width   string   // "wide", "narrow" or "" of the content
	Keys    []Key    // what the page's keys do, shown by "?"
	Refresh int      // seconds after which the page is loaded again where there are no scripts; 0 is never
	Version string   // of the program
	Now     time.Time
}

// Link is a page, in the header.
type Link struct {
	Path string
	Name string
}

// Key is a key and what it does.
type Key struct{ Press, Does string }

// Who is the reader of a page.
type Who struct {
	AuthOff bool // everybody may do everything
	Name    string
	Roles   []string  // none where nobody is signed in
	Expires time.Time // of the token
}

// SignedIn reports whether there is a session.
func (w Who) SignedIn() bool { return len(w.Roles) > 0 && !w.AuthOff }

// Problem is an error as a page shows it.
type Problem struct {
	Status    int
	Title     string
	Detail    string
	RequestID string
	Forbidden bool
}

// stamp is a time for machines, in UTC.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// clock is a time for people, in UTC.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }

// In returns how far t is from now, such as "in 2 hours" or "5 minutes ago".
func In(t, now time.Time) string {
	d := t.Sub(now)
	ahead := d >= 0
	text := plural(int(d.Abs().Seconds()), "second")
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if d.Abs() >= u.size {
			text = plural(int(d.Abs()/u.size), u.name)
			break
		}
	}
	if ahead {
		return "in " + text
	}
	return text + " ago"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Count writes a number with commas between thousands.
func Count[T ~int | ~int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// list joins words: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// milliseconds writes a duration as people compare them.
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}
