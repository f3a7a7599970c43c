package front

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

// Form is what a form of a page sent, received whole. Until it is closed it holds its
// share of the memory and of the processors for documents, so that Validate and Insert
// take none of their own.
type Form struct {
	values url.Values
	files  map[string]file
	turn   *service.Turn
}

type file struct {
	name    string
	content []byte
}

// ReceiveForm reads the form that is a request's body, as
// application/x-www-form-urlencoded (1 MiB at most) or multipart/form-data (16 MiB for a
// document, and 1 MiB). Who receives closes. The error is a
// *Problem, an *http.MaxBytesError, or the request's context's.
func (f *Front) ReceiveForm(w http.ResponseWriter, r *http.Request) (*Form, error) {
	if coded, err := contentCoding(r); err != nil || coded != "" {
		return nil, NewProblem(http.StatusUnsupportedMediaType, "a form with a Content-Encoding is not accepted")
	}
	kind, err := ContentType(r)
	if err != nil {
		return nil, err
	}
	limit := f.limits.Body
	switch kind {
	case MediaForm:
	case mediaMultipart:
		limit += f.limits.Document
	default:
		return nil, NewProblem(http.StatusUnsupportedMediaType, "this page takes forms; it was sent something else")
	}
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	u, err := f.Receive(r)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := u.Close(); err != nil {
			f.log.WarnContext(r.Context(), "a form was not let go of", "error", err)
		}
	}()
	form := &Form{files: map[string]file{}}
	if form.turn, err = f.service.BeginDocument(r.Context(), u.Size); err != nil {
		return nil, err
	}
	if err := form.read(u, r, kind); err != nil {
		form.Close()
		return nil, err
	}
	return form, nil
}

// Media types of forms.
const MediaForm = "application/x-www-form-urlencoded"

const mediaMultipart = "multipart/form-data"

func (f *Form) read(u *Upload, r *http.Request, kind string) error {
	text, err := u.Take()
	if err != nil {
		return err
	}
	if kind == MediaForm {
		if f.values, err = url.ParseQuery(string(text)); err != nil {
			return NewProblem(http.StatusBadRequest, "the form can't be read: %v", err)
		}
		return nil
	}
	f.values = url.Values{}
	r.Body = io.NopCloser(bytes.NewReader(text))
	parts, err := r.MultipartReader()
	if err != nil {
		return NewProblem(http.StatusBadRequest, "the form can't be read: %v", err)
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
			return NewProblem(http.StatusBadRequest, "the form can't be read: %v", err)
		}
	}
	return NewProblem(http.StatusBadRequest, "the form has more than %d fields", maxParts)
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

// Value returns the first value of a field, or "".
func (f *Form) Value(name string) string { return f.values.Get(name) }

// Values returns all values of a field, in the order of the page.
func (f *Form) Values(name string) []string { return f.values[name] }

// File returns the content of a file that was chosen, and what it is called; nil where
// none was.
func (f *Form) File(name string) (content []byte, called string) {
	return f.files[name].content, f.files[name].name
}

// Close releases what the form holds.
func (f *Form) Close() { f.turn.End() }
