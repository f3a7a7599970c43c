package views

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/mux"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/static"
	"github.com/segraph/segraph/store"
)

// Config configures a UI. Front, Auth and Log are required.
type Config struct {
	Front   *front.Front
	Version string // version of this program, shown on pages
	Auth    *auth.Authenticator
	Log     *logs.Buffer
	// Pending counts the pending review cases, for the header. If nil, no number is
	// shown.
	Pending func(context.Context) (int, error)
	// Walker finds the nodes within some steps of a node, for the graph page. If nil, the
	// page does not offer it.
	Walker store.Walker
	// Settings are the settings of the service, for the page that lists them.
	Settings []Setting
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
	// Patience is how long a page waits for what it can load or send later: 80 ms if zero.
	Patience time.Duration
}

// UI serves the pages. Create one with New.
type UI struct {
	Config   Config
	Front    *front.Front
	Service  *service.Service
	Pages    []Page
	finders  []finder
	follow   string // see Room
	sessions *sessions
	people   *peopleCache
	router   *mux.Router
	Log      *slog.Logger
	Demo     atomic.Bool       // the store had the demo when a page last looked; every page then leads to it
	links    *strings.Replacer // see below in addresses.go
}

// New returns the UI of a service, with the pages of some rooms.
func New(c Config, rooms ...func(*UI) Room) *UI {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Patience == 0 {
		c.Patience = 80 * time.Millisecond
	}
	u := &UI{Config: c, Front: c.Front, Service: c.Front.Service(), sessions: newSessions(c.Now, c.Auth.Revoked), people: &peopleCache{}, router: mux.NewRouter().SkipClean(true), Log: c.Log.Logger("segraph.ui"),
		links: below(c.Front.BasePath())}
	u.Service.OnErased(u.people.clear)
	u.furnish(rooms)
	u.route()
	return u
}

// route adds the table of pages to the router.
func (u *UI) route() {
	router := u.router
	router.HandleFunc("/", u.home)
	router.HandleFunc("/static/{file}", u.file)
	for _, p := range u.Pages {
		router.Handle(p.Path, u.serve(p))
		for _, part := range p.Parts {
			part.page = p
			router.Handle(part.Path, u.servePart(part))
		}
	}
	router.NotFoundHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.fail(w, r, front.NewProblem(http.StatusNotFound, "there is nothing at this address"))
	})
}

// ServeHTTP serves a request that has passed through front.Front.Wrap.
func (u *UI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	nonce := rand.Text()
	h := w.Header()
	h.Set("Content-Security-Policy", policy(nonce))
	// With no-referrer, browsers would send "Origin: null" with a form, and without TLS
	// they send nothing else that identifies the form's site.
	h.Set("Referrer-Policy", "same-origin")
	ctx := templ.WithNonce(r.Context(), nonce)
	v := &Visit{nonce: nonce, Zone: zoneOf(r)}
	v.Now = u.Config.Now().In(v.Zone)
	v.Actor, v.Known = u.actor(r)
	if q := logs.RequestOf(ctx); q != nil {
		q.Actor, v.RequestID = v.Actor.Username, q.ID
	}
	u.router.ServeHTTP(w, r.WithContext(context.WithValue(ctx, visitKey{}, v)))
}

// policy returns the Content Security Policy (Level 3) of pages, which may load only what
// this service serves. The nonce is for the styles that the editor creates. No page has
// inline scripts or styles.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
}

// Visit holds what is known about a request for a page.
type Visit struct {
	Actor     auth.Actor
	Known     bool // the visitor has a session, or authentication is off
	nonce     string
	RequestID string
	Zone      *time.Location // the reader's
	Now       time.Time      // in that zone
}

type visitKey struct{}

func visitOf(r *http.Request) *Visit {
	if v, ok := r.Context().Value(visitKey{}).(*Visit); ok {
		return v
	}
	return &Visit{} // the request was refused before it reached the UI
}

// actor returns the visitor. While authentication is off, all visitors are the same.
func (u *UI) actor(r *http.Request) (actor auth.Actor, ok bool) {
	if !u.Config.Auth.Enabled() {
		return auth.Actor{Username: auth.Anonymous, Roles: auth.Roles()}, true
	}
	return u.sessions.actor(u.sessionID(r))
}

// home redirects to the first page that the visitor may see.
func (u *UI) home(w http.ResponseWriter, r *http.Request) {
	v, to := visitOf(r), "/session"
	if v.Known {
		for _, p := range u.Pages {
			if len(p.Roles) > 0 && v.Actor.Is(p.Roles...) {
				to = p.Path
				break
			}
		}
	}
	u.Redirect(w, r, to)
}

// file serves a script, a style or the icons.
func (u *UI) file(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		u.fail(w, r, wrongMethod("GET, HEAD"))
		return
	}
	front.Quiet(r)
	if err := serveFile(w, r, mux.Vars(r)["file"]); err != nil {
		u.fail(w, r, err)
	}
}

// serveFile serves a built file, which browsers may keep: its name changes with its content.
func serveFile(w http.ResponseWriter, r *http.Request, name string) error {
	data, contentType, ok := static.File(name, codingOf(w, r))
	if !ok {
		return front.NewProblem(http.StatusNotFound, "there is no such file")
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	return front.WriteCoded(w, "", http.StatusOK, contentType, data)
}

func (u *UI) fail(w http.ResponseWriter, r *http.Request, err error) { u.Front.Fail(w, r, err) }

// Fail answers a request with a problem, as a page, or as the part of a page that a
// script requested.
func (u *UI) Fail(w http.ResponseWriter, r *http.Request, p *front.Problem) {
	v := visitOf(r)
	h := w.Header()
	if h.Get("Content-Security-Policy") == "" {
		h.Set("Content-Security-Policy", policy(rand.Text()))
	}
	shown := Problem{
		Status: p.Status, Title: p.Title, Detail: p.Detail, RequestID: p.RequestID,
		Forbidden: p.Status == http.StatusForbidden && u.Config.Auth.Enabled(),
	}
	var content templ.Component
	switch {
	case Partial(r):
		content = ProblemNotice(shown)
	case u.Front.Guest(r):
		content = GuestPage(Guest{Wrong: p.Detail})
	default:
		content = ProblemPage(u.Frame(r, v, "Error"), shown)
	}
	if err := u.Show(w, r, p.Status, content); err != nil { // a programming error: the page can't be rendered
		panic(err)
	}
}

// Partial reports whether a script requests a part of a page, according to a header of
// htmx.
func Partial(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// Frame returns the frame of a page.
func (u *UI) Frame(r *http.Request, v *Visit, title string) Frame {
	f := Frame{
		Title: title, Base: u.Base(), Path: r.URL.Path, Marked: u.marked(r.URL.Path), Version: u.Config.Version, Now: u.Config.Now(),
		Who: Who{AuthOff: !u.Config.Auth.Enabled()},
	}
	if v.Known {
		f.Who.Name, f.Who.Expires = v.Actor.Username, v.Actor.Expires
		for _, role := range v.Actor.Roles {
			f.Who.Roles = append(f.Who.Roles, string(role))
		}
	}
	if given, err := url.ParseQuery(r.URL.Query().Get("follow")); u.follow != "" && err == nil && given.Has("page") {
		f.Follow = u.follow + "?" + url.Values{"page": {given.Get("page")}, "after": {given.Get("after")}}.Encode()
	}
	for _, p := range u.Pages {
		if p.Name == "" || p.Menu == menuWho || !p.opens(v) {
			continue
		}
		if link := (Link{Path: p.Path, Name: p.Name, Icon: p.Icon, Menu: p.Menu}); p.Menu != "" {
			f.Admin = append(f.Admin, link)
		} else {
			f.Nav = append(f.Nav, link)
		}
	}
	slices.SortStableFunc(f.Admin, func(a, b Link) int { return cmp.Compare(slices.Index(menus, a.Menu), slices.Index(menus, b.Menu)) })
	if v.Known && v.Actor.Is(auth.Admin) && u.Demo.Load() {
		f.Nav = append(f.Nav, Link{Path: "/demo", Name: "Demo", Icon: "list"})
	}
	if u.Config.Pending != nil && v.Known && v.Actor.Is(auth.Admin) {
		if n, err := u.Config.Pending(r.Context()); err == nil {
			f.Pending = &n
		} else if !errors.Is(err, context.Canceled) {
			u.Log.WarnContext(r.Context(), "the pending cases can't be counted", "error", err)
		}
	}
	return f
}
