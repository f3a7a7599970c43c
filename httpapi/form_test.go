package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/segraph/segraph/front"
)

// formService returns a service whose page writes how it parsed a form.
func formService(t *testing.T) *fixture {
	t.Helper()
	return newServiceWithPages(t, func(a *front.Front, w http.ResponseWriter, r *http.Request) {
		f, err := a.ReceiveForm(w, r)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		defer f.Close()
		content, called := f.File("file")
		_, _ = fmt.Fprintf(w, "%q %q %q %v", f.Value("a"), content, called, content == nil)
	})
}

func part(disposition, content string) string {
	return "--x\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
}

func TestAFormIsReadAsItWasSent(t *testing.T) {
	const multipart = "multipart/form-data; boundary=x"
	s := formService(t)
	for _, c := range []struct{ kind, body, want string }{
		{front.MediaForm, "a=1%0D%0A2&a=3&b", `"1\r\n2" "" "" true`},
		{front.MediaForm, "", `"" "" "" true`},
		{multipart, part(`name="a"`, "é\r\nx") + part(`name="file"; filename="b\"c.ttl"`, "\xff\r\n") + "--x--", `"é\r\nx" "\xff\r\n" "b\"c.ttl" false`},
		{multipart, part(`name="file"; filename=""`, "") + "--x--", `"" "" "" true`},
		{multipart, part(`name="file"; filename="e.ttl"`, "") + "--x--", `"" "" "e.ttl" false`},
	} {
		w := s.do(t, call{method: "POST", path: "/", ui: true, contentType: c.kind, body: c.body})
		if c.body == "" {
			w = s.do(t, call{method: "POST", path: "/", ui: true, header: map[string]string{"Content-Type": c.kind}})
		}
		if w.Code != 200 || w.Body.String() != c.want {
			t.Errorf("%q: %d %s, want %s", c.body, w.Code, w.Body, c.want)
		}
	}
}

func TestAFormThatIsWrongOrTooLargeIsAProblem(t *testing.T) {
	s := formService(t)
	for _, c := range []struct {
		kind, body string
		status     int
	}{
		{"application/json", "{}", 415}, {"-", "a=1", 415}, {front.MediaForm, "a=%zz", 400}, {"multipart/form-data", "x", 400},
		{"multipart/form-data; boundary=x", part(`name="a"`, "never ends"), 400},
		{"multipart/form-data; boundary=x", strings.Repeat(part(`name="a"`, ""), 101) + "--x--", 400},
		{front.MediaForm, strings.Repeat("a", 2<<20), 413}, {"multipart/form-data; boundary=x", strings.Repeat("a", 18<<20), 413},
	} {
		w := s.do(t, call{method: "POST", path: "/", ui: true, contentType: c.kind, body: c.body})
		if w.Code != c.status || !strings.HasPrefix(w.Body.String(), "page: ") {
			t.Errorf("%s %.30q: %d %s, want %d", c.kind, c.body, w.Code, w.Body, c.status)
		}
	}
	w := s.do(t, call{method: "POST", path: "/", ui: true, contentType: front.MediaForm, body: "a=1", header: map[string]string{"Content-Encoding": "gzip"}})
	if w.Code != 415 {
		t.Errorf("encoded: %d %s", w.Code, w.Body)
	}
}

// A form whose length is not announced has the same limit, to the byte.
func TestAFormWithoutALengthEndsAtTheLimit(t *testing.T) {
	s := formService(t)
	for size, want := range map[int]int{1 << 20: 200, 1<<20 + 1: 413} {
		r := call{method: "POST", path: "/", ui: true, contentType: front.MediaForm, body: strings.Repeat("a", size)}.request()
		r.ContentLength = -1
		w := httptest.NewRecorder()
		if s.UIHandler().ServeHTTP(w, r); w.Code != want {
			t.Errorf("%d bytes: %d %.100s, want %d", size, w.Code, w.Body, want)
		}
	}
}

// Forms of the UI share the limits of documents of the API.
func TestALargeFormHoldsItsShareUntilItIsClosed(t *testing.T) {
	var s *fixture
	var held int64
	s = newServiceWithPages(t, func(a *front.Front, w http.ResponseWriter, r *http.Request) {
		f, err := a.ReceiveForm(w, r)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		held = a.Service().Stats().DocumentBytes
		f.Close()
		f.Close()
		if left := a.Service().Stats().DocumentBytes; left != 0 {
			a.Fail(w, r, errors.New("it is not given back"))
		}
	})
	w := s.do(t, call{method: "POST", path: "/", ui: true, contentType: front.MediaForm, body: "a=" + strings.Repeat("x", 100<<10)})
	if w.Code != 200 || held != 2+(100<<10) {
		t.Errorf("%d %s: %d bytes", w.Code, w.Body, held)
	}
}
