package front

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// broken fails after the first bytes.
type broken struct {
	io.ReadSeeker
	rest io.Reader
}

func (b broken) Read(p []byte) (int, error) { return b.rest.Read(p) }

// deaf is a client that is gone.
type deaf struct{ http.ResponseWriter }

func (deaf) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// A download that breaks off has an error, for the log.
func TestContentThatIsCutShortIsAnError(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("GET", "/", nil)
	whole := strings.NewReader(strings.Repeat("x", 1000))
	failure := errors.New("input/output error")
	half := broken{whole, io.MultiReader(strings.NewReader("xxx"), iotest.ErrReader(failure))}
	if err := ServeContent(httptest.NewRecorder(), r, time.Time{}, half); !errors.Is(err, failure) || errors.Is(err, ErrClientGone) {
		t.Errorf("a disk that fails: %v", err)
	}
	if err := ServeContent(deaf{httptest.NewRecorder()}, r, time.Time{}, whole); !errors.Is(err, ErrClientGone) {
		t.Errorf("a client that is gone: %v", err)
	}
	if err := ServeContent(httptest.NewRecorder(), r, time.Time{}, strings.NewReader("x")); err != nil {
		t.Error(err)
	}
}
