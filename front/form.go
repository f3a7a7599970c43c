package front

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/segraph/segraph/service/admit"
)

// maxParts is the largest number of fields of a form.
const maxParts = 100

// Form is a form sent by a page, received completely. Until it is closed it holds its
// turn as a document, so Validate and Insert need no turn of their own.
type Form struct {
	values    url.Values
	files     map[string]file
	admission *admit.Turn
}

type file struct {
	name    string
	content []byte
}

// ReceiveForm reads a form from a request's body, as application/x-www-form-urlencoded
// (at most 1 MiB) or multipart/form-data (at most 16 MiB for a document, plus 1 MiB). The
// caller must close the Form. The error is a *Problem, an *http.MaxBytesError, or the
// request context's.
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
	case MediaForm: // a form without a document
	case mediaMultipart:
		limit += f.limits.Document
	default:
		return nil, NewProblem(http.StatusUnsupportedMediaType, "this page accepts only forms")
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
			f.log.WarnContext(r.Context(), "closing a form failed", "error", err)
		}
	}()
	form := &Form{files: map[string]file{}}
	if form.admission, err = f.service.BeginDocument(r.Context(), u.Size); err != nil {
		return nil, err
	}
	if err := form.read(u, r, kind); err != nil {
		form.Close()
		return nil, err
	}
	return form, nil
}

// maxFields is the size of a form without a document that anybody may send.
const maxFields = 16 << 10

// ReceiveFields reads a form of at most 16 KiB from a request's body, as
// application/x-www-form-urlencoded. It takes no turn, so that who may not send documents
// can't keep others from it. The error is a *Problem or an *http.MaxBytesError.
func (f *Front) ReceiveFields(w http.ResponseWriter, r *http.Request) (*Form, error) {
	if kind, err := ContentType(r); err != nil || kind != MediaForm || r.Header.Get("Content-Encoding") != "" {
		return nil, NewProblem(http.StatusUnsupportedMediaType, "this page accepts only %s", MediaForm)
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFields))
	if err != nil {
		return nil, bodyProblem(err)
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, NewProblem(http.StatusBadRequest, "the form can't be read: %v", err)
	}
	return &Form{values: values}, nil
}

// MediaForm is the media type of a plain form.
const MediaForm = "application/x-www-form-urlencoded"

const mediaMultipart = "multipart/form-data"

// read reads the fields and files of a form of a kind, which is a media type.
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

// add adds a field, or a file that the form sends.
func (f *Form) add(part *multipart.Part) error {
	content, err := io.ReadAll(part)
	if err != nil {
		return fmt.Errorf("read a field: %w", err)
	}
	if part.FileName() != "" {
		f.files[part.FormName()] = file{part.FileName(), content}
		return nil
	}
	// A browser sends an empty part without a file name if no file was chosen.
	f.values.Add(part.FormName(), string(content))
	return nil
}

// Value returns the first value of a field, or "".
func (f *Form) Value(name string) string { return f.values.Get(name) }

// Values returns all values of a field, in page order.
func (f *Form) Values(name string) []string { return f.values[name] }

// File returns the content and the name of the chosen file, or nil if none was chosen.
func (f *Form) File(name string) (content []byte, called string) {
	return f.files[name].content, f.files[name].name
}

// Close releases what the form holds.
func (f *Form) Close() { f.admission.End() }

// ReceiveFile returns the content of the first part of a form, which must be the file field name. The request
// must announce its length; the content is at most that long, and arrives while it is read. The error is a *Problem.
func (f *Front) ReceiveFile(r *http.Request, name string) (io.Reader, error) {
	if r.ContentLength < 0 {
		return nil, NewProblem(http.StatusLengthRequired, "a file must be sent with its Content-Length")
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, NewProblem(http.StatusUnsupportedMediaType, "this page accepts only multipart/form-data")
	}
	part, err := parts.NextRawPart()
	switch {
	case err != nil:
		return nil, NewProblem(http.StatusBadRequest, "the form can't be read: %v", err)
	case part.FormName() != name || part.FileName() == "":
		return nil, NewProblem(http.StatusBadRequest, "the form has no file; choose one")
	}
	return partReader{part}, nil
}

// partReader reads a part of a form. Its errors are *Problems.
type partReader struct{ *multipart.Part }

func (r partReader) Read(p []byte) (int, error) {
	n, err := r.Part.Read(p)
	if err != nil && err != io.EOF {
		err = bodyProblem(err)
	}
	return n, err
}
