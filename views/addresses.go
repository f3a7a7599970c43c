package views

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/segraph/segraph/store/rdf"
)

// Pages and their handlers use paths without the base path: "/query", never "/seg/query".
// The base path is added on output: to redirects and links here, and to the service's
// address by front.Front.Address.

// Base returns the prefix of every path of this service, or "".
func (u *UI) Base() string { return u.Front.BasePath() }

// Redirect redirects to a path of this service, with a GET.
func (u *UI) Redirect(w http.ResponseWriter, r *http.Request, path string) {
	http.Redirect(w, r, u.Base()+path, http.StatusSeeOther)
}

// AddressAttributes are the attributes whose values are addresses, as used by browsers,
// htmx and the scripts of pages.
var AddressAttributes = []string{"href", "src", "action", "formaction", "hx-get", "hx-post",
	"data-events", "data-feed", "data-follow", "data-next", "data-png", "data-tail"}

// below returns a replacer that adds base to the links of a page. It looks for ` href="/`
// and the like, which occurs only in attributes, because templ escapes quotation marks in
// text.
func below(base string) *strings.Replacer {
	var pairs []string
	for _, name := range AddressAttributes {
		start := " " + name + `="`
		pairs = append(pairs, start+"/", start+base+"/")
	}
	return strings.NewReplacer(pairs...)
}

// LongAddress is the longest query, in bytes, that fits an address. A longer one is sent by
// POST only.
const LongAddress = 16 << 10

// QueryAddress returns the address of the page that runs a query, or "" if it is too long.
func QueryAddress(query string) string {
	if to := "/query?" + (url.Values{"query": {query}}).Encode(); len(to) <= LongAddress {
		return to
	}
	return ""
}

// PictureAddress returns the address of the picture of a query's triples.
func PictureAddress(query string) string {
	return "/kg-graph?" + PlainIRIs.Replace(url.Values{"construct": {query}}.Encode())
}

// AboutIRI returns the address of the page about an IRI.
func AboutIRI(iri string) string {
	if !rdf.IsIRI(iri) {
		return ""
	}
	return "/kg-graph?" + url.Values{"node": {iri}}.Encode()
}

// TripleLogs returns the address of the page with the logs that contributed a triple, or "" if
// the triple is too long for an address.
func TripleLogs(t rdf.Triple) string {
	if len(t.O.Value()) > LongAddress/2 {
		return ""
	}
	return "/query/logs?triple=" + PlainIRIs.Replace(url.QueryEscape(fmt.Sprintf("%s %s %s", t.S, t.P, t.O)))
}

// WhyAddress returns the address of the explanation of an IRI, or "".
func WhyAddress(iri string) string {
	if !rdf.IsIRI(iri) {
		return ""
	}
	return "/why?iri=" + PlainIRIs.Replace(url.QueryEscape(iri))
}

// ContextAddress returns the address of the page about a context.
func ContextAddress(uri string) string {
	return "/shared-context/context?" + url.Values{"uri": {uri}}.Encode()
}

// OfRequest returns the address of the lines of a request.
func OfRequest(id string) string { return "/system/logs?request=" + url.QueryEscape(id) }

// WithdrawPath returns the address of the page that confirms a withdrawal.
func WithdrawPath(logID string) string {
	return "/logs/insert?withdraw=" + url.QueryEscape(logID)
}
