package front

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/rdf"
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
		return f, NotAcceptable(media)
	}
	return f, nil
}

// NotAcceptable returns the problem of a client that accepts none of the media types.
func NotAcceptable(offers []string) *Problem {
	hint := ""
	if slices.ContainsFunc(offers, service.HasVersions) {
		hint = "; the parameter version may be 1.1, 1.2-basic or 1.2"
	}
	return NewProblem(http.StatusNotAcceptable, "Accept allows none of the available media types: %s%s", strings.Join(offers, ", "), hint)
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
		if weights[offer] = bestWeight(accept, offer); weights[offer] > 0 {
			list = append(list, offer)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(weights[b], weights[a]) })
	return list
}

// versions are the versions of RDF, the highest first.
var versions = []rdf.Version{rdf.RDF12, rdf.RDF12Basic, rdf.RDF11}

// bestWeight returns the greatest weight, from 0 to 1, that an Accept header gives a media
// type in any version.
func bestWeight(accept, offer string) (best float64) {
	if !service.HasVersions(offer) {
		return weight(accept, offer, "")
	}
	for _, v := range versions {
		best = max(best, weight(accept, offer, v.String()))
	}
	return best
}

// weight returns the weight, from 0 to 1, that an Accept header gives offer, a media type in small letters, in a
// version. A range with another version does not match. If version is "", the type has
// none, and the parameter is ignored.
func weight(accept, offer, version string) float64 {
	kind, _, _ := strings.Cut(offer, "/")
	found, weight := 0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		mediaRange, parameters, _ := strings.Cut(part, ";")
		specific := 0 // how precisely the range names the offer; with its version, one more
		switch strings.ToLower(strings.TrimSpace(mediaRange)) {
		case offer:
			specific = 5
		case kind + "/*":
			specific = 3
		case "*/*":
			specific = 1
		}
		switch asked := parameter(parameters, "version"); {
		case version == "" || asked == "" || specific == 0: // no version to compare
		case asked == version:
			specific++
		default:
			continue
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

// acceptedVersion returns the highest version of RDF in which Accept allows a media type.
// Each version includes the lower ones. If Accept does not allow the type, the parameter
// format has chosen it, and then any version may be sent.
func acceptedVersion(r *http.Request, media string) rdf.Version {
	accept := acceptOf(r)
	for _, v := range versions {
		if weight(accept, media, v.String()) > 0 {
			return v
		}
	}
	return rdf.RDF12
}
