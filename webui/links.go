package webui

import (
	"net/http"
	"strings"
)

// Pages and their handlers use paths without the base path: "/query", never "/seg/query".
// The base path is added on output: to redirects and links here, and to the service's
// address by front.Front.Address.

// base returns the prefix of every path of this service, or "".
func (u *UI) base() string { return u.front.BasePath() }

// redirect redirects to a path of this service, with a GET.
func (u *UI) redirect(w http.ResponseWriter, r *http.Request, path string) {
	http.Redirect(w, r, u.base()+path, http.StatusSeeOther)
}

// addressAttributes are the attributes whose values are addresses, as used by browsers,
// htmx and the scripts of pages.
var addressAttributes = []string{"href", "src", "action", "formaction", "hx-get", "hx-post",
	"data-events", "data-feed", "data-follow", "data-next", "data-png", "data-tail"}

// below returns a replacer that adds base to the links of a page. It looks for ` href="/`
// and the like, which occurs only in attributes, because templ escapes quotation marks in
// text.
func below(base string) *strings.Replacer {
	var pairs []string
	for _, name := range addressAttributes {
		start := " " + name + `="`
		pairs = append(pairs, start+"/", start+base+"/")
	}
	return strings.NewReplacer(pairs...)
}
