package front

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/segraph/segraph/internal/coding"
)

// contentCoding returns the content coding of a request's body, or "" (RFC 9110, section
// 8.4). The error is a *Problem: the coding is unknown, or there are several.
func contentCoding(r *http.Request) (string, error) {
	var names []string
	for name := range strings.SplitSeq(strings.Join(r.Header.Values("Content-Encoding"), ","), ",") {
		if name = strings.ToLower(strings.Trim(name, " \t")); name != "" && name != "identity" {
			names = append(names, name)
		}
	}
	switch {
	case len(names) == 0:
		return "", nil
	case len(names) > 1:
		return "", unknownCoding("the body has more than one Content-Encoding; send it with one of %s, or uncompressed", coding.Accepted)
	}
	switch names[0] {
	case coding.Gzip, "x-gzip":
		return coding.Gzip, nil
	case coding.Zstd:
		return coding.Zstd, nil
	}
	return "", unknownCoding("the Content-Encoding of the body is not supported; send it with one of %s, or uncompressed", coding.Accepted)
}

// unknownCoding returns a problem that lists the supported codings (RFC 9110, section
// 12.5.3).
func unknownCoding(format string, args ...any) *Problem {
	return NewProblem(http.StatusUnsupportedMediaType, format, args...).With("Accept-Encoding", coding.Accepted)
}

// wireLimit returns the largest compressed size of a body with limit bytes. Data that
// can't be compressed grows a little.
func wireLimit(limit int64) int64 { return limit + limit/64 + 1024 }

// decompress replaces a received body with its decompressed content, of at most
// q.bodyLimit bytes. It waits for a slot, since even a tiny body can demand a window of 8
// MiB.
func (f *Front) decompress(r *http.Request, q *request, sent *Upload) (*Upload, error) {
	end, err := f.service.BeginDecompressing(r.Context())
	if err != nil {
		return nil, errors.Join(err, sent.Close())
	}
	defer end()
	in := coding.NewReader(q.coding, sent.reader())
	defer in.Close()
	u, err := f.collect(io.LimitReader(q.attempt.tee(in), q.bodyLimit+1), -1)
	if closing := sent.Close(); err == nil && closing != nil {
		err = errors.Join(closing, u.Close())
	}
	if err == nil && u.Size > q.bodyLimit {
		err = errors.Join(&http.MaxBytesError{Limit: q.bodyLimit}, u.Close())
	}
	if invalid, ok := errors.AsType[*coding.InvalidError](err); ok {
		return nil, NewProblem(http.StatusBadRequest, "the body is %v", invalid)
	}
	return u, err
}

// reader returns a reader of the whole body. It may be called once.
func (u *Upload) reader() io.Reader {
	if u.rest == nil {
		return bytes.NewReader(u.head)
	}
	return io.MultiReader(bytes.NewReader(u.head), io.LimitReader(u.rest, u.Size-int64(len(u.head))))
}
