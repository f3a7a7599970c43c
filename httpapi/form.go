package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/segraph/segraph/service"
)

// maxParts is how many fields a form may have.
const maxParts = 100

// Form is what a form of a page sent, received whole. Until it is closed it holds its share of the
// memory and of the processors for documents, so that Validate and Insert take none of their own.
type Form struct {
	values url.Values
	files  map[string]file
	turn   *service.Turn
}

type file struct {
	name    string
	content []byte
}

// ReceiveForm reads the form that is a request's body, as application/x-www-form-urlencoded (1 MiB at
// most) or multipart/form-data (16 MiB for a document, and 1 MiB). Who receives closes. The error is a
// *Problem, an *http.MaxBytesError, or the request's context's.
func (a *API) ReceiveForm(w http.ResponseWriter, r *http.Request) (*Form, error) {
	if coded, err := contentCoding(r); err != nil || coded != "" {
		return nil, newProblem(http.StatusUnsupportedMediaType, "a form with a Content-Encoding is not accepted")
	}
	kind, err := contentType(r)
	if err != nil {
		return nil, err
	}
	limit := a.config.Limits.Body
	switch kind {
	case mediaForm:
	case mediaMultipart:
		limit += a.config.Limits.Document
	default:
		return nil, newProblem(http.StatusUnsupportedMediaType, "this page takes forms; it was sent something else")
	}
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	u, err := a.receive(r)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := u.close(); err != nil {
			a.log.WarnContext(r.Context(), "a form was not let go of", "error", err)
		}
	}()
	f := &Form{files: map[string]file{}}
	if f.turn, err = a.service.BeginDocument(r.Context(), u.size); err != nil {
		return nil, err
	}
	if err := f.read(u, r, kind); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

const mediaMultipart = "multipart/form-data"

func (f *Form) read(u *upload, r *http.Request, kind string) error {
	text, err := u.take()
	if err != nil {
		return err
	}
	if kind == mediaForm {
		if f.values, err = url.ParseQuery(string(text)); err != nil {
			return newProblem(http.StatusBadRequest, "the form can't be read: %v", err)
		}
		return nil
	}
	f.values = url.Values{}
	r.Body = io.NopCloser(bytes.NewReader(text))
	parts, err := r.MultipartReader()
	if err != nil {
		return newProblem(http.StatusBadRequest, "the form can't be read: %v", err)
	}
	for range maxParts {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.add(part)
		}
		if err != nil {
			return newProblem(http.StatusBadRequest, "the form can't be read: %v", err)
		}
	}
	return newProblem(http.StatusBadRequest, "the form has more than %d fields", maxParts)
}

func (f *Form) add(part *multipart.Part) error {
	content, err := io.ReadAll(part)
	if err != nil {
		return fmt.Errorf("read a field: %w", err)
	}
	if part.FileName() != "" {
		f.files[part.FormName()] = file{part.FileName(), content}
		return nil
	}
	// A browser sends a file that was not chosen as one without a name or content.
	f.values.Add(part.FormName(), string(content))
	return nil
}

// Value gives the first value of a field, or "".
func (f *Form) Value(name string) string { return f.values.Get(name) }

// Values gives all values of a field, in the order of the page.
func (f *Form) Values(name string) []string { return f.values[name] }

// File gives the content of a file that was chosen, and what it is called; nil where none was.
func (f *Form) File(name string) (content []byte, called string) {
	return f.files[name].content, f.files[name].name
}

// Close gives back what the form holds.
func (f *Form) Close() { f.turn.End() }
