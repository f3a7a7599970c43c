package views

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/front"
)

// Handler answers a request for a page from a visitor who may see it.
type Handler func(http.ResponseWriter, *http.Request, *Visit) error

// Form returns a Handler that receives a form for do. It closes the form, if do has not.
func (u *UI) Form(do func(http.ResponseWriter, *http.Request, *Visit, *front.Form) error) Handler {
	return func(w http.ResponseWriter, r *http.Request, v *Visit) error {
		form, err := u.Front.ReceiveForm(w, r)
		if err != nil {
			return err
		}
		defer form.Close()
		return do(w, r, v, form)
	}
}

// Page is one page. The router, the navigation and the tests of roles use it.
type Page struct {
	Path  string
	Name  string      // its name in the navigation, or ""
	Icon  string      // its symbol there, in icons.svg
	About string      // what it is for; /session lists all pages with a name
	Menu  Menu        // the part of the menu Admin that lists it; "" is the header's bar
	Of    string      // path of the page that the navigation marks instead, or ""
	Roles []auth.Role // any one of them suffices; empty means that the page is public
	Get   Handler
	Post  Handler // nil if the page has no form
	Parts []Part
}

// Menu is a part of the menu Admin.
type Menu string

// The parts of the menu, in order.
const (
	MenuStored  Menu = "What is stored"
	MenuAccess  Menu = "Access"
	MenuService Menu = "The service"

	menuWho Menu = "who" // the header has a link of its own
)

var menus = []Menu{MenuStored, MenuAccess, MenuService}

// Part is a further path below a page's, for the same roles.
type Part struct {
	Path string
	Get  Handler // one of the two is set, or both
	Post Handler
	page Page
}

// Room is one subject of the UI: its pages, in navigation order, and what the search finds there.
type Room struct {
	Pages []Page
	Find  finder             // nil if the search finds nothing there
	Files map[string]Handler // files for anyone, by their paths
	// Follow is the address that leads pages to the latest event of a live demo, or "".
	Follow string
}

// The roles that pages require.
var (
	Admins   = []auth.Role{auth.Admin}
	Auditors = []auth.Role{auth.Auditor, auth.Admin}
)

// furnish adds the pages of rooms to the table, in the order of the navigation, and then the
// pages that belong to no room.
func (u *UI) furnish(rooms []func(*UI) Room) {
	for _, open := range rooms {
		room := open(u)
		u.Pages = append(u.Pages, room.Pages...)
		if room.Find != nil {
			u.finders = append(u.finders, room.Find)
		}
		for path, get := range room.Files {
			u.router.Handle(path, u.endpoint(Page{}, get, nil))
		}
		u.follow = cmp.Or(u.follow, room.Follow)
	}
	u.Pages = append(u.Pages, []Page{
		{Path: "/session", Name: "Sign in", Menu: menuWho, Get: u.getSession, Post: u.postSession, Parts: []Part{{Path: "/session/end", Post: u.endSession}, {Path: "/session/zone", Post: u.postZone}}},
	}...)
}

// opens reports whether a visitor may see the page.
func (p Page) opens(v *Visit) bool {
	return len(p.Roles) == 0 || v.Known && v.Actor.Is(p.Roles...)
}

// marked returns the path of the page that the navigation marks at an address. That is the page that
// Page.Of names or, without it, the page that the address is of or in.
func (u *UI) marked(path string) string {
	var found Page
	for _, p := range u.Pages {
		if (path == p.Path || strings.HasPrefix(path, p.Path+"/")) && len(p.Path) > len(found.Path) {
			found = p
		}
	}
	return cmp.Or(found.Of, found.Path)
}

func (u *UI) serve(p Page) http.Handler {
	return u.endpoint(p, p.Get, p.Post)
}

func (u *UI) servePart(p Part) http.Handler { return u.endpoint(p.page, p.Get, p.Post) }

// endpoint returns a handler that checks the page's roles, and calls get or post.
func (u *UI) endpoint(p Page, get, post Handler) http.Handler {
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
		if len(p.Roles) > 0 && !v.Known {
			u.signInFirst(w, r, p)
			return
		}
		if len(p.Roles) > 0 && !v.Actor.Is(p.Roles...) {
			u.fail(w, r, front.NewProblem(http.StatusForbidden, "this page requires the role %s, and your token has %s",
				auth.RoleList(p.Roles, " or "), auth.RoleList(v.Actor.Roles, " and ")))
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
// is lost, so it leads back to the form's page; but if a script sent it, the page stays.
func (u *UI) signInFirst(w http.ResponseWriter, r *http.Request, p Page) {
	if Partial(r) && r.Method == http.MethodPost {
		u.fail(w, r, front.NewProblem(http.StatusUnauthorized, "the session is over, and nothing was changed"))
		return
	}
	next := p.Path
	if r.Method != http.MethodPost && !Partial(r) {
		next = cmp.Or(localPath(r.URL.RequestURI()), next)
	}
	to := "/session?next=" + url.QueryEscape(next)
	if Partial(r) { // htmx follows this header with the whole page
		w.Header().Set("HX-Redirect", u.Base()+to)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	u.Redirect(w, r, to)
}
