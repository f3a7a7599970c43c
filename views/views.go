// Package views is the web UI: its core here, and a room in a package of its own for each subject, with
// handlers, models, templates, scripts and styles side by side. A room imports the core, and
// rooms.All lists the rooms. The rules of both:
//
//   - Pages are declared in tables, which rooms pass to New. The router, the navigation and the tests of
//     roles use them.
//   - The visitor is checked first. Visitors without a session are sent to /session, and from there
//     back to the page. Without the role the answer is 403 and names the required role.
//   - A page trusts nothing from the browser. Every change is a POST, and package front refuses a
//     POST that comes from another site.
//   - A handler fills a model and shows it. Components do no I/O and read no clock: a model holds
//     everything that its page shows.
//   - A handler returns its error. Package front turns it into a problem. Fail shows the problem as a
//     page, or as a part of one if a script requested a part.
//   - The core task of every page works with links and forms alone. Scripts enhance it.
//   - No inline script or style, no templ.Raw, no templ.SafeURL, and nothing that makes the browser
//     contact another host (see policy): content of the graph is text, and an IRI of the graph links to
//     a page of this service.
//   - Colours, spacing and type come from parts/tokens.css.
//
// The files *_templ.go are generated, and committed so that `go build` alone works.
//
// A form that changes something each time it is sent is answered with a redirect whose address names only what
// it was about: a reload shows the current state, and the second of two people sees what the first decided. Charts are measured
// in percent horizontally and pixels vertically, so their text is as large on a phone.
package views

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.977 generate -include-version=false

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/segraph/segraph/internal/quoted"
)

// Frame is the model of what surrounds every page's content.
type Frame struct {
	Title   string   // title of the page
	Path    string   // path of the page, without Base
	Marked  string   // path of the page that the navigation marks
	Base    string   // prefix of every path shown as text; links get it later
	Nav     []Link   // pages that the reader may open, in the header's bar
	Admin   []Link   // those in the menu Admin, by its parts
	Who     Who      // the reader
	Pending *int     // number of undecided review cases; nil if unknown or not for this reader
	Scripts []string // scripts besides app.js, by their names in static.URL
	Styles  []string // styles besides app.css
	Width   string   // width of the content: "wide", "narrow" or ""
	Keys    []Key    // keyboard shortcuts of the page, shown by "?"
	Follow  string   // address at which a script follows the story of a live demo; "" follows none
	Refresh int      // without scripts, reload after this many seconds; 0 means never
	Version string   // version of the program
	Now     time.Time
}

// Link is a link in the header.
type Link struct {
	Path string
	Name string
	Icon string // a symbol of icons.svg, or ""
	Menu Menu   // the part of the menu Admin, or ""
}

// here returns the name of the page in the navigation that is marked, or "Pages".
func (f Frame) here() string {
	if f.inAdmin() {
		return "Admin"
	}
	if i := slices.IndexFunc(f.Nav, func(l Link) bool { return l.Path == f.Marked }); i >= 0 {
		return f.Nav[i].Name
	}
	return "Menu"
}

// inAdmin reports whether the page belongs to the menu Admin, which has more than one page.
func (f Frame) inAdmin() bool {
	return len(f.Admin) > 1 && slices.ContainsFunc(f.Admin, func(l Link) bool { return l.Path == f.Marked })
}

// Setting is a setting of the service. From is where it was set, and Area and About tell what it is for. Value is never a
// secret.
type Setting struct{ Name, Value, From, Help, Area, About string }

// Key is a key and its action.
type Key struct{ Press, Does string }

// Who is the reader of a page.
type Who struct {
	AuthOff bool // authentication is off
	Name    string
	Roles   []string  // empty if nobody is signed in
	Expires time.Time // expiry of the token
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

// Stamp formats a time for machines, in UTC.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// In returns how far t is from now, such as "in 2 hours", "5 minutes ago" or "just now".
func In(t, now time.Time) string {
	d := t.Sub(now)
	if d.Abs() < time.Second {
		return "just now"
	}
	ahead := d >= 0
	text := Plural(int(d.Abs().Seconds()), "second")
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if d.Abs() >= u.size {
			text = Plural(int(d.Abs()/u.size), u.name)
			break
		}
	}
	if ahead {
		return "in " + text
	}
	return text + " ago"
}

func Plural(n int, noun string) string { return Count(n) + " " + Noun(n, noun) }

// Noun returns a noun in the form that follows a number: "case" or "cases", "entry" or "entries", "person" or
// "people".
func Noun[T ~int | ~int64](n T, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case noun == "person":
		return "people"
	case y && strings.Trim(stem[len(stem)-1:], "aeiou") != "":
		return stem + "ies"
	case strings.HasSuffix(noun, "x"):
		return noun + "es"
	}
	return noun + "s"
}

// Count formats a number with commas between thousands.
func Count[T ~int | ~int64 | ~uint64](n T) string {
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

// List joins words: "a", "a and b", "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// MaxNames is how many names of a list are shown.
const MaxNames = 8

// FewOf joins the first MaxNames of some words as List does, and counts the others.
func FewOf(words []string) string {
	if more := len(words) - MaxNames; more > 0 {
		words = append(slices.Clone(words[:MaxNames]), Count(more)+" more")
	}
	return List(words)
}

// Milliseconds formats a duration in milliseconds.
func Milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// IsLate reports whether the time of a cause is after that of its effect. The zero time is unknown.
func IsLate(cause, effect time.Time) bool { return !effect.IsZero() && cause.After(effect) }

// LateWords say what is odd about a cause that is later than its effect.
const LateWords = "its time is after what it led to"

// Said quotes a value that somebody sent, for a sentence that told shows.
func Said(value string) string { return quoted.Value(value) }

// Name is a name for a sentence that Told shows; it is quoted if it may be more than a name.
func Name(name string) string { return quoted.Name(name) }

// AllNamed joins names as List does.
func AllNamed(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, Name(n))
	}
	return List(out)
}

// SomeSaid quotes a value as Said does, and returns "" for "".
func SomeSaid(value string) string {
	if value == "" {
		return ""
	}
	return Said(value)
}

// AllSaid quotes each of some words and joins them as List does.
func AllSaid(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, Said(w))
	}
	return List(out)
}

// Size formats bytes for people.
func Size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.3g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.3g MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.3g KiB", float64(n)/(1<<10))
}

// WaitFor returns a part of a page that waits for its model before it is written.
func WaitFor[T any](later func() (T, error), part func(T) templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		m, err := later()
		if err != nil {
			return err
		}
		return part(m).Render(ctx, w)
	})
}

func Pixels(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// Number formats a length in a drawing.
func Number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// Percentage formats a fraction from 0 to 1 as a percentage, with a digit after the point unless it is 0. Less than 1
// never becomes 100 %. It returns "" if the fraction is negative.
func Percentage(f float64) string {
	if f < 0 {
		return ""
	}
	if f < 1 {
		f = min(f, 0.999)
	}
	return strings.TrimSuffix(strconv.FormatFloat(100*f, 'f', 1, 64), ".0") + "\u00a0%"
}

// Likelihood formats a fraction from 0 to 1 as a whole percentage. One of 99 % and more has a digit after the point, so
// that less than 1 never becomes 100 %.
func Likelihood(f float64) string {
	if f >= 0.99 && f < 1 {
		return strconv.FormatFloat(math.Floor(1000*f)/10, 'f', 1, 64) + "\u00a0%"
	}
	return strconv.FormatFloat(100*min(f, 1), 'f', 0, 64) + "\u00a0%"
}

// Roughly names a duration in about two figures: "3 days", "90 minutes".
func Roughly(d time.Duration) string {
	for _, u := range []struct {
		least, size time.Duration
		name        string
	}{{48 * time.Hour, 24 * time.Hour, "day"}, {2 * time.Hour, time.Hour, "hour"}, {2 * time.Minute, time.Minute, "minute"}} {
		if d >= u.least {
			return Plural(int(d/u.size), u.name)
		}
	}
	return Plural(int(d/time.Second), "second")
}
