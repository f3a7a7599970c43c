package webui

import (
	"net/http"
	"strings"
)

// Pages and their handlers know the paths of this service without its base path:
// "/query", never "/seg/query". It is added where an answer goes out: to redirects and
// links here, and to the service's address by front.Front.Address.

// base returns what comes before every path of this service; "" is nothing.
func (u *UI) base() string { return u.front.BasePath() }

// redirect sends the reader to a path of this service, with a GET.
func (u *UI) redirect(w http.ResponseWriter, r *http.Request, path string) {
	http.Redirect(w, r, u.base()+path, http.StatusSeeOther)
}

// addressAttributes are the attributes of elements whose values are addresses: those that
// browsers, htmx and the scripts of pages follow.
var addressAttributes = []string{"href", "src", "action", "formaction", "hx-get", "hx-post",
	"data-next", "data-png", "data-previous", "data-tail"}

// below returns a replacer that makes the links of a page lead below base. It looks for
// ` href="/` and the like. Only attributes have these bytes, because templ escapes every
// quotation mark of a text.
func below(base string) *strings.Replacer {
	var pairs []string
	for _, name := range addressAttributes {
		start := " " + name + `="`
		pairs = append(pairs, start+"/", start+base+"/")
	}
	return strings.NewReplacer(pairs...)
}
