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

// declare returns the table of all pages, in navigation order. "/" redirects to the first
// one that the visitor may see and that requires a role.
func (u *UI) declare() []page {
	admin := []auth.Role{auth.Admin}
	auditors := []auth.Role{auth.Auditor, auth.Admin}
	var live []page
	if u.config.Live != nil {
		live = []page{{path: "/live", name: "Live", roles: admin, get: u.getLive, parts: []part{
			{path: "/live/stage", get: u.getStage}, {path: "/live/follow", get: u.getFollow},
		}}, {path: "/vote", get: u.getVote, post: u.postVote}}
	}
	return append(live, []page{
		{path: "/reports", name: "Sessions", roles: auditors, get: u.getReports, parts: []part{
			{path: "/reports/table", get: u.getReportTable}, {path: "/reports/rows", get: u.getReportRows},
		}},
		{path: "/replay", of: "/reports", roles: auditors, get: u.getReplay, parts: []part{
			{path: "/replay/feed", get: u.getReplayFeed}, {path: "/replay/events", get: u.getReplayEvents},
		}},
		{path: "/kg-graph", name: "Graph", roles: auditors, get: u.getGraph, parts: []part{
			{path: "/kg-graph/picture.svg", get: u.getPictureSVG}, {path: "/kg-graph/picture.ttl", get: u.getPictureTurtle},
			{path: "/kg-graph/path", get: u.getPath},
		}},
		{path: "/why", of: "/reports", roles: auditors, get: u.getWhy},
		{path: "/query", name: "Query", roles: auditors, get: u.getQuery, post: u.postQuery, parts: []part{
			{path: "/query/check", post: u.checkQuery}, {path: "/query/terms", get: u.getQueryTerms}, {path: "/query/download", post: u.downloadQuery},
			{path: "/query/logs", get: u.getTripleLogs}, {path: "/query/save", post: u.postSavedQuery}, {path: "/query/forget", post: u.postForgottenQuery},
		}},
		{path: "/log", of: "/reports", roles: auditors, get: u.getLog, parts: []part{{path: "/log/text.ttl", get: u.getLogText}}},
		{path: "/evidence", of: "/reports", roles: auditors, get: u.getEvidence, post: u.postEvidence},
		{path: "/shared-context", name: "Review", roles: admin, get: u.getReview, parts: []part{
			{path: "/shared-context/decide", post: u.postDecision}, {path: "/shared-context/undo", post: u.postUndo},
			{path: "/shared-context/many", post: u.postMany}, {path: "/shared-context/batch", get: u.getBatch, post: u.postBatch},
			{path: "/shared-context/batch/run", post: u.postRunBatch}, {path: "/shared-context/batch/undo", post: u.postUndoBatch},
			{path: "/shared-context/subject", post: u.postSubject},
			{path: "/shared-context/relay", post: u.postRelay}, {path: "/shared-context/clock", post: u.postClock}, {path: "/shared-context/counts", get: u.getReviewCounts},
			{path: "/shared-context/context", get: u.getContext}, {path: "/shared-context/context/undo", post: u.postUnmatch},
		}},
		{path: "/demo", roles: admin, get: u.getDemo, post: u.postDemo},
		{path: "/connect", name: "Connect", admin: true, roles: admin, get: u.getConnect, parts: []part{{path: "/connect/arrival", get: u.getArrival}}},
		{path: "/logs/insert", name: "Insert", admin: true, roles: admin, get: u.getInsert, post: u.postInsert},
		{path: "/logs/delete", name: "Delete", admin: true, roles: admin, get: u.getDelete, post: u.postDelete, parts: []part{
			{path: "/logs/delete/graph.ttl", get: u.getCopy}, {path: "/logs/delete/graph.nt", get: u.getCopy},
			{path: "/logs/delete/back", post: u.postImport},
		}},
		{path: "/classes", name: "Classes", admin: true, roles: admin, get: u.getClasses, post: u.postClass},
		{path: "/keys", name: "Keys", admin: true, roles: admin, get: u.getKeys, post: u.postKey},
		{path: "/system/logs", name: "Server log", admin: true, roles: admin, get: u.getSystemLogs, parts: []part{
			{path: "/system/logs/new", get: u.getNewLogs}, {path: "/system/logs/line", get: u.getLogLine}, {path: "/system/logs/download", get: u.downloadLogs},
		}},
		{path: "/search", get: u.getFind},
		{path: "/health", name: "Health", admin: true, get: u.getHealth},
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
