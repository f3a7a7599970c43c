package httpsig

import (
	"net/http"
	"strings"

	"github.com/dunglas/httpsfv"
)

// ParseBase parses a signature base that Verify returned, also of a request that is
// signed over a list of lines. It returns the signed request, with one name in
// Authorities, and the signature without its value. The error is an *Error.
func ParseBase(base string) (*Signature, Request, error) {
	r := Request{Header: http.Header{}}
	components, parameters, _ := strings.Cut(base, "\n"+`"@signature-params": `)
	list, err := httpsfv.UnmarshalList([]string{parameters})
	if err != nil || len(list) != 1 || len(base) > maxBase {
		return nil, r, refuse("the signature base has no parameters that can be parsed")
	}
	s := &Signature{}
	s.input, _ = list[0].(httpsfv.InnerList)
	if s.input.Params == nil {
		return nil, r, refuse("the signature base has no parameters that can be parsed")
	}
	if tag, _ := s.input.Params.Get("tag"); tag != Tag {
		return nil, r, refuse(`the signature base lacks the parameter tag="%s"`, Tag)
	}
	if err := s.parameters(s.input.Params); err != nil {
		return nil, r, err
	}
	authority := ""
	for line := range strings.SplitSeq(components, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		switch name {
		case `"@method"`:
			r.Method = value
		case `"@authority"`:
			authority = value
		case `"@path"`:
			r.Path = value
		case `"@query"`:
			r.Query = strings.TrimPrefix(value, "?")
		default:
			r.Header.Set(strings.Trim(name, `"`), value)
		}
	}
	r.List = r.Header.Get("List-Digest") != ""
	if err := s.covers(Components(r.List, r.Header.Get("Content-Encoding") != "")); err != nil {
		return nil, r, err
	}
	if again, err := s.base(r, authority); err != nil || again != base {
		return nil, r, refuse("the signature base is not the one of a request")
	}
	r.Authorities = []string{authority}
	return s, r, nil
}
