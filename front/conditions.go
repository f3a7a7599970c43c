package front

import (
	"net/http"
	"strings"
)

// conditional reports whether a request has preconditions on an entity tag.
func conditional(r *http.Request) bool {
	return r.Header.Values("If-Match") != nil || r.Header.Values("If-None-Match") != nil
}

// CheckIfMatch returns a *Problem if the request has an If-Match that does not list the
// entity tag of the answer, by strong comparison (RFC 9110, sections 8.8.3.2 and 13.1.1).
// A weak tag never matches, but * does.
func CheckIfMatch(r *http.Request, tag string) error {
	header := r.Header.Values("If-Match")
	if header == nil || anyTag(header) || !strings.HasPrefix(tag, "W/") && lists(header, tag) {
		return nil
	}
	if strings.HasPrefix(tag, "W/") {
		return NewProblem(http.StatusPreconditionFailed,
			"If-Match needs a strong ETag, and that of a compressed answer is weak; send Accept-Encoding: identity")
	}
	return NewProblem(http.StatusPreconditionFailed, "If-Match does not list the current ETag, %s; read it again without If-Match", tag)
}

// matches reports whether If-None-Match lists an entity tag, by weak comparison (RFC
// 9110, sections 8.8.3.2 and 13.1.2).
func matches(header []string, tag string) bool {
	return anyTag(header) || lists(header, tag) || lists(header, "W/"+tag)
}

// anyTag reports whether the value of a header is *.
func anyTag(header []string) bool { return len(header) == 1 && strings.TrimSpace(header[0]) == "*" }

// lists reports whether a header lists an entity tag, which has no comma.
func lists(header []string, tag string) bool {
	for part := range strings.SplitSeq(strings.Join(header, ","), ",") {
		if strings.TrimSpace(part) == tag {
			return true
		}
	}
	return false
}
