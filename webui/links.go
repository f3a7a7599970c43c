package webui

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
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

// longAddress is the longest query, in bytes, that fits an address. A longer one is sent by
// POST only.
const longAddress = 16 << 10

// queryAddress returns the address of the page that runs a query, or "" if it is too long.
func queryAddress(query string) string {
	if to := "/query?" + (url.Values{"query": {query}}).Encode(); len(to) <= longAddress {
		return to
	}
	return ""
}

// pictureAddress returns the address of the picture of a query's triples.
func pictureAddress(query string) string {
	return "/kg-graph?" + views.PlainIRIs.Replace(url.Values{"construct": {query}}.Encode())
}

// aboutIRI returns the address of the page about an IRI.
func aboutIRI(iri string) string {
	if !rdf.IsIRI(iri) {
		return ""
	}
	return "/kg-graph?" + url.Values{"node": {iri}}.Encode()
}

// tripleLogs returns the address of the page with the logs that contributed a triple, or "" if
// the triple is too long for an address.
func tripleLogs(t rdf.Triple) string {
	if len(t.O.Value()) > longAddress/2 {
		return ""
	}
	return "/query/logs?triple=" + views.PlainIRIs.Replace(url.QueryEscape(fmt.Sprintf("%s %s %s", t.S, t.P, t.O)))
}

// whyAddress returns the address of the explanation of an IRI, or "".
func whyAddress(iri string) string {
	if !rdf.IsIRI(iri) {
		return ""
	}
	return "/why?iri=" + views.PlainIRIs.Replace(url.QueryEscape(iri))
}

// contextAddress returns the address of the page about a context.
func contextAddress(uri string) string {
	return "/shared-context/context?" + url.Values{"uri": {uri}}.Encode()
}

// ofRequest returns the address of the lines of a request.
func ofRequest(id string) string { return "/system/logs?request=" + url.QueryEscape(id) }

// withdrawPath returns the address of the page that confirms a withdrawal.
func withdrawPath(logID string) string {
	return "/logs/insert?withdraw=" + url.QueryEscape(logID)
}
