package webui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
)

// handler answers a request for a page from a visitor who may see it.
type handler func(http.ResponseWriter, *http.Request, *visit) error

// page is one page. The router, the navigation and the tests of roles use it.
type page struct {
	path  string
	name  string      // its name in the navigation, or ""
	admin bool        // the navigation lists it in the menu Admin
	of    string      // path of the page that the navigation marks instead, or ""
	roles []auth.Role // any one of them suffices; empty means that the page is public
	get   handler
	post  handler // nil if the page has no form
	parts []part
}

// part is a further path below a page's, for the same roles.
type part struct {
	path string
	get  handler // one of the two is set
	post handler
	page page
}

// Room is one subject of the UI: its pages, in navigation order, and what the search finds there.
type Room struct {
	pages []page
	find  finder             // nil if the search finds nothing there
	files map[string]handler // files for anyone, by their paths
	// follow is the address that leads pages to the latest event of a live demo, or "".
	follow string
}

// The roles that pages require.
var (
	admins   = []auth.Role{auth.Admin}
	auditors = []auth.Role{auth.Auditor, auth.Admin}
)

// furnish adds the pages of rooms to the table, and then those of no room. "/" redirects to the
// first one that the visitor may see and that requires a role.
func (u *UI) furnish(rooms []func(*UI) Room) {
	for _, open := range rooms {
		room := open(u)
		u.pages = append(u.pages, room.pages...)
		if room.find != nil {
			u.finders = append(u.finders, room.find)
		}
		for path, get := range room.files {
			u.router.Handle(path, u.endpoint(page{}, get, nil))
		}
		u.follow += room.follow
	}
	u.pages = append(u.pages, []page{
		{path: "/search", get: u.getFind},
		{path: "/session", name: "Sign in", admin: true, get: u.getSession, post: u.postSession, parts: []part{{path: "/session/end", post: u.endSession}}},
	}...)
}

// opens reports whether a visitor may see the page.
func (p page) opens(v *visit) bool {
	return len(p.roles) == 0 || v.known && v.actor.Is(p.roles...)
}

// marked returns the path of the page that the navigation marks at an address: the page
// itself, the page that this is a part of, or the page named by of.
func (u *UI) marked(path string) string {
	for _, p := range u.pages {
		if path == p.path || strings.HasPrefix(path, p.path+"/") {
			return cmp.Or(p.of, p.path)
		}
	}
	return ""
}

func (u *UI) serve(p page) http.Handler {
	return u.endpoint(p, p.get, p.post)
}

func (u *UI) servePart(p part) http.Handler { return u.endpoint(p.page, p.get, p.post) }

// endpoint returns a handler that checks the page's roles, and calls get or post.
func (u *UI) endpoint(p page, get, post handler) http.Handler {
	var methods []string
	if get != nil {
		methods = append(methods, http.MethodGet, http.MethodHead)
	}
	if post != nil {
		methods = append(methods, http.MethodPost)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			u.fail(w, r, wrongMethod(strings.Join(methods, ", ")))
			return
		}
		v := visitOf(r)
		if len(p.roles) > 0 && !v.known {
			u.signInFirst(w, r, p)
			return
		}
		if len(p.roles) > 0 && !v.actor.Is(p.roles...) {
			u.fail(w, r, front.NewProblem(http.StatusForbidden, "this page requires the role %s, and your token has %s",
				auth.RoleList(p.roles, " or "), auth.RoleList(v.actor.Roles, " and ")))
			return
		}
		do := get
		if r.Method == http.MethodPost {
			do = post
		}
		if err := do(w, r, v); err != nil {
			u.fail(w, r, err)
		}
	})
}

func wrongMethod(allow string) error {
	return front.NewProblem(http.StatusMethodNotAllowed, "this address accepts only %s", allow).With("Allow", allow)
}

// signInFirst redirects to /session, which leads back to the page. The content of a form
// is lost, so it leads back to the form's page.
func (u *UI) signInFirst(w http.ResponseWriter, r *http.Request, p page) {
	next := p.path
	if r.Method != http.MethodPost && !partial(r) {
		next = cmp.Or(localPath(r.URL.RequestURI()), next)
	}
	to := "/session?next=" + url.QueryEscape(next)
	if partial(r) { // htmx follows this header with the whole page
		w.Header().Set("HX-Redirect", u.base()+to)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	u.redirect(w, r, to)
}
