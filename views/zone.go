package views

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the container image has no other time zones
)

// zoneCookie names the cookie with the reader's time zone. Without it, times are in UTC.
const zoneCookie = "segraph_zone"

// zoneName matches the names that may be looked up. Each part begins with a capital letter, so that none is a
// folder of a system, such as posix, or the zone of the server.
var zoneName = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*){0,2}$`)

// Zone returns the time zone with an IANA name such as "Europe/Madrid", and reports whether there is one.
// "Local" is not one, since a reader does not know where the service is. Times of one request share the location, but
// none is kept for the next, because a client chooses the name.
func Zone(name string) (zone *time.Location, ok bool) {
	if name == "UTC" {
		return time.UTC, true
	}
	if len(name) > 64 || name == "Local" || !zoneName.MatchString(name) {
		return time.UTC, false
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC, false
	}
	return z, true
}

// zoneOf returns the zone that a reader chose, or UTC.
func zoneOf(r *http.Request) *time.Location {
	if c, err := r.Cookie(zoneCookie); err == nil {
		z, _ := Zone(c.Value)
		return z
	}
	return time.UTC
}

// ZoneOf returns the zone of a page's reader, or UTC.
func ZoneOf(ctx context.Context) *time.Location {
	if v, ok := ctx.Value(visitKey{}).(*Visit); ok && v.Zone != nil {
		return v.Zone
	}
	return time.UTC
}

// In returns a time in the reader's zone.
func (v *Visit) In(t time.Time) time.Time { return t.In(cmp.Or(v.Zone, time.UTC)) }

// Local returns a time in the reader's zone.
func Local(ctx context.Context, t time.Time) time.Time { return t.In(ZoneOf(ctx)) }

// Forms of a day and of a time for people, on all pages.
const (
	DayForm   = "2 Jan 2006"
	TimeForm  = DayForm + ", 15:04:05"
	ClockForm = TimeForm + " MST"
)

// Clock formats a time for people, in the reader's zone.
func Clock(ctx context.Context, t time.Time) string { return Local(ctx, t).Format(ClockForm) }

// ZoneWord names the reader's zone for the head of a column or a field: "UTC" or "Europe/Madrid".
func ZoneWord(ctx context.Context) string { return ZoneOf(ctx).String() }

// ZoneField is the name of the parameter for the zone of those times in an address that do not state one.
const ZoneField = "zone"

// GivenTime parses a time that a form sent, like ParseTime. Without a zone it is in the zone that the
// form sent with it, or in UTC.
func GivenTime(text string, form url.Values) (at time.Time, ok bool) {
	z, _ := Zone(form.Get(ZoneField))
	return ParseTimeIn(text, z)
}

// FieldTime formats a time for a field of type datetime-local, in the reader's zone; the zero time is "".
func FieldTime(ctx context.Context, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Local(ctx, t).Format("2006-01-02T15:04:05")
}

// FieldTimeOf formats a time from an address for a field. It returns a text that is no time as it is.
func FieldTimeOf(ctx context.Context, text string) string {
	if at, ok := ParseTime(text); ok {
		return FieldTime(ctx, at)
	}
	return text
}

// Floor returns the start of the interval of a size that contains a time, by the clock of the time's zone.
// Sizes are those that divide an hour, whole hours that divide a day, and whole days.
func Floor(t time.Time, size time.Duration) time.Time {
	if size <= time.Hour {
		_, east := t.Zone()
		from := t.Add(time.Duration(east) * time.Second).Truncate(size).Add(-time.Duration(east) * time.Second)
		if change, _ := t.ZoneBounds(); !change.IsZero() && from.Before(change) {
			return change
		}
		return from
	}
	days := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), 0, 0, 0, time.UTC).Truncate(size)
	from := time.Date(days.Year(), days.Month(), days.Day(), days.Hour(), 0, 0, 0, t.Location())
	if from.Day() != days.Day() { // the clock skips midnight
		_, from = from.ZoneBounds()
	}
	return from
}

// Next returns the start of the interval after the one that begins at a time.
func Next(from time.Time, size time.Duration) time.Time {
	if size > time.Hour {
		return Floor(from.Add(size+size/2), size) // days have 23 to 25 hours
	}
	next := Floor(from.Add(size), size)
	if _, change := from.ZoneBounds(); !change.IsZero() && next.After(change) {
		return change
	}
	return next
}

// postZone keeps the zone that a reader chose in a cookie, and leads back to the page. A
// button of the form sends the zone as pick, the field as ZoneField. The cookie lasts 400
// days, the most that browsers allow.
func (u *UI) postZone(w http.ResponseWriter, r *http.Request, v *Visit) error {
	form, err := u.Front.ReceiveFields(w, r)
	if err != nil {
		return err
	}
	name, back := strings.TrimSpace(cmp.Or(form.Value("pick"), form.Value(ZoneField))), localPath(form.Value("back"))
	if _, ok := Zone(name); !ok {
		m := u.sessionModel(v, "")
		m.Back, m.ZoneWrong = back, fmt.Sprintf("There is no time zone %s; examples are UTC and Europe/Madrid.", Said(name))
		return u.Show(w, r, http.StatusUnprocessableEntity, SessionPage(u.Frame(r, v, "Sign in"), m))
	}
	c := &http.Cookie{Name: zoneCookie, Value: name, Path: u.Base(), MaxAge: 400 * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: u.Front.Secure(r)}
	if c.Path == "" {
		c.Path = "/"
	}
	http.SetCookie(w, c)
	u.Redirect(w, r, cmp.Or(back, "/session"))
	return nil
}

// cameFrom returns the address of the page that led here, or "".
func (u *UI) cameFrom(r *http.Request) string {
	at, err := url.Parse(r.Referer())
	if err != nil || at.Host != r.Host || at.Fragment != "" {
		return ""
	}
	back := localPath(strings.TrimPrefix(at.RequestURI(), u.Base()))
	if strings.HasPrefix(back, "/session") {
		return ""
	}
	return back
}
