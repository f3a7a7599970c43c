package front

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/segraph/segraph/internal/coding"
	"github.com/segraph/segraph/service"
)

// ChooseCoding chooses the content coding of the answer and sets the headers for it. It
// returns "" for no coding. The error is a *Problem.
func ChooseCoding(w http.ResponseWriter, r *http.Request) (string, error) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	chosen, ok := acceptedCoding(r.Header.Values("Accept-Encoding"))
	if !ok {
		return "", NewProblem(http.StatusNotAcceptable, "Accept-Encoding accepts none of the available codings: %s, identity", coding.Accepted)
	}
	if chosen != "" {
		h.Set("Content-Encoding", chosen)
	}
	return chosen, nil
}

// acceptedCoding returns the content coding that the client prefers, or "" for none (RFC
// 9110, section 12.5.3). Among equal weights it prefers a named coding to one matched by
// "*", and any coding to none. Without the header it returns "". ok is false if the
// client accepts nothing that is available.
func acceptedCoding(fields []string) (chosen string, ok bool) {
	if len(fields) == 0 {
		return "", true
	}
	named := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "x-gzip" {
			name = coding.Gzip
		}
		switch name {
		case coding.Zstd, coding.Gzip, "identity", "*":
			if _, twice := named[name]; !twice {
				named[name] = quality(parameters)
			}
		}
	}
	best := 0.0
	consider := func(name string, weight float64) {
		if weight > best {
			chosen, best = name, weight
		}
	}
	consider(coding.Zstd, named[coding.Zstd])
	consider(coding.Gzip, named[coding.Gzip])
	rest, others := named["*"]
	for _, name := range []string{coding.Gzip, coding.Zstd} {
		if _, is := named[name]; !is {
			consider(name, rest)
		}
	}
	plain, is := named["identity"]
	switch {
	case is: // as the client named it
	case others:
		plain = rest
	default:
		plain = 1e-9 // acceptable, but less than anything named
	}
	consider("", plain)
	return chosen, best > 0
}

// entityTag returns the ETag of content in a coding. A coded tag is weak, because the
// bytes depend on the coding and on the version of this program (RFC 9110, section
// 8.8.3.3).
func entityTag(tag, coded string) string {
	if coded != "" {
		return `W/"` + tag + `"`
	}
	return `"` + tag + `"`
}

// WriteCoded answers with data, which it compresses in a content coding that ChooseCoding
// returned.
func WriteCoded(w http.ResponseWriter, coded string, status int, contentType string, data []byte) error {
	if coded != "" {
		var small bytes.Buffer
		to := coding.NewWriter(coded, &small)
		_, err := to.Write(data)
		if err = errors.Join(err, to.Close()); err != nil {
			return fmt.Errorf("compress an answer: %w", err)
		}
		data = small.Bytes()
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // if the client is gone, reading its next request fails
	return nil
}

// Page answers with the JSON of what read returns, up to n entries, in the content coding that the client prefers; see
// Service.Page.
func (f *Front) Page(w http.ResponseWriter, r *http.Request, n int, read func(context.Context, *service.Kept) (any, error)) error {
	return sendPage(w, r, func(coded string) (io.ReadCloser, error) { return f.service.Page(r.Context(), n, coded, read) })
}

// PersonPage is Page for Service.PersonPage.
func (f *Front) PersonPage(w http.ResponseWriter, r *http.Request, n int, read func(context.Context, *service.Kept) (any, error)) error {
	return sendPage(w, r, func(coded string) (io.ReadCloser, error) { return f.service.PersonPage(r.Context(), n, coded, read) })
}

// sendPage answers with the page of JSON that open opens in a content coding.
func sendPage(w http.ResponseWriter, r *http.Request, open func(coded string) (io.ReadCloser, error)) error {
	coded, err := ChooseCoding(w, r)
	if err != nil {
		return err
	}
	page, err := open(coded)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return errors.Join(Send(w, page), page.Close())
}
