package front

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/segraph/segraph/internal/coding"
)

// chooseCoding decides in which content coding the request is answered, and says so in
// the header of an answer to come; "" is none. The error is a problem.
func ChooseCoding(w http.ResponseWriter, r *http.Request) (string, error) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	chosen, ok := acceptedCoding(r.Header.Values("Accept-Encoding"))
	if !ok {
		return "", NewProblem(http.StatusNotAcceptable, "Accept-Encoding takes none of the codings that there are: %s, identity", coding.Accepted)
	}
	if chosen != "" {
		h.Set("Content-Encoding", chosen)
	}
	return chosen, nil
}

// acceptedCoding returns the content coding that a client wants, "" for none (RFC 9110,
// section 12.5.3). Of those with the same weight it prefers one that is named to one that
// "*" stands for, and any to none. Without the field there is none. ok is false if the
// client takes nothing that there is.
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
	case is:
	case others:
		plain = rest
	default:
		plain = 1e-9 // acceptable, and less than whatever is named
	}
	consider("", plain)
	return chosen, best > 0
}

// entityTag returns the ETag of content in a coding. A coded one is weak: its bytes may
// differ from one version of this program to the next, and are others in each coding (RFC
// 9110, section 8.8.3.3).
func entityTag(tag, coded string) string {
	if coded != "" {
		return `W/"` + tag + `"`
	}
	return `"` + tag + `"`
}

// writeCodedJSON answers with a value as JSON, in the content coding that the client wants.
func WriteCodedJSON(w http.ResponseWriter, r *http.Request, value any) error {
	coded, err := ChooseCoding(w, r)
	if err != nil {
		return err
	}
	if coded == "" {
		return WriteJSON(w, http.StatusOK, value)
	}
	var b bytes.Buffer
	to := coding.NewWriter(coded, &b)
	if err := json.NewEncoder(to).Encode(value); err != nil { // a value that has no JSON: a fault of the code
		panic(fmt.Errorf("write an answer as JSON: %w", err))
	}
	if err := to.Close(); err != nil {
		return fmt.Errorf("compress an answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(http.StatusOK)
	// A client that is gone is noticed by who reads its next request.
	_, _ = w.Write(b.Bytes())
	return nil
}
