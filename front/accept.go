package front

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/service"
)

// Negotiate returns the offered media type that the client prefers, or "" if it accepts
// none.
func Negotiate(r *http.Request, offers ...string) string {
	if list := accepted(r, offers...); len(list) > 0 {
		return list[0]
	}
	return ""
}

// ChooseFormat returns the format of RDF that the client prefers. The error is a *Problem.
func ChooseFormat(w http.ResponseWriter, r *http.Request, offers []service.RDF) (service.RDF, error) {
	w.Header().Add("Vary", "Accept")
	media := service.MediaTypes(offers)
	f, ok := service.FormatOf(Negotiate(r, media...))
	if !ok {
		return f, notAcceptable(media)
	}
	return f, nil
}

// notAcceptable returns the problem of a client that accepts none of the media types.
func notAcceptable(offers []string) *Problem {
	return NewProblem(http.StatusNotAcceptable, "Accept allows none of the available media types: %s", strings.Join(offers, ", "))
}

// accepted returns the offered media types that the client accepts, best first (RFC 9110,
// section 12.5.1). The most specific range of a type counts. Types of equal weight keep
// the order of the offers.
func accepted(r *http.Request, offers ...string) []string {
	accept := acceptOf(r)
	if strings.TrimSpace(accept) == "" {
		accept = "*/*"
	}
	weights := make(map[string]float64, len(offers))
	var list []string
	for _, offer := range offers {
		if weights[offer] = weight(accept, offer); weights[offer] > 0 {
			list = append(list, offer)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(weights[b], weights[a]) })
	return list
}

// weight returns the weight, from 0 to 1, that an Accept header gives a media type.
func weight(accept, offer string) float64 {
	kind, _, _ := strings.Cut(offer, "/")
	found, weight := 0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		mediaRange, parameters, _ := strings.Cut(part, ";")
		specific := 0
		switch strings.ToLower(strings.TrimSpace(mediaRange)) {
		case offer:
			specific = 3
		case kind + "/*":
			specific = 2
		case "*/*":
			specific = 1
		}
		if specific > found {
			found, weight = specific, quality(parameters)
		}
	}
	return weight
}

// quality parses the parameter q. An invalid value counts as 1, like a missing one.
func quality(parameters string) float64 {
	if q, err := strconv.ParseFloat(parameter(parameters, "q"), 64); err == nil && q >= 0 && q <= 1 {
		return q
	}
	return 1
}

// parameter returns the value of a parameter, or "" if it is missing.
func parameter(parameters, name string) string {
	for p := range strings.SplitSeq(parameters, ";") {
		if n, value, _ := strings.Cut(p, "="); strings.EqualFold(strings.TrimSpace(n), name) {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

func acceptOf(r *http.Request) string { return strings.Join(r.Header.Values("Accept"), ",") }

// onlyRDF11 reports whether Accept allows a media type only with version=1.1. Every other
// version includes RDF 1.1, and all of them count as one.
func onlyRDF11(r *http.Request, media string) bool {
	accept := acceptOf(r)
	var others []string
	for part := range strings.SplitSeq(accept, ",") {
		if parameter(part, "version") != "1.1" {
			others = append(others, part)
		}
	}
	return weight(accept, media) > 0 && weight(strings.Join(others, ","), media) == 0
}
