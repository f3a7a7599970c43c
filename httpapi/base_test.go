package httpapi

import (
	"net/url"
	"strings"
	"testing"
)

// belowSeg serves below /seg.
func belowSeg(c *settings) { c.BasePath = "/seg" }

func TestEveryRouteAnswersBelowTheBasePathAndWithoutIt(t *testing.T) {
	t.Parallel()
	s := newService(t, belowSeg)
	admin := s.token(t, "admin")
	for _, want := range allSpecified(t) {
		for _, base := range []string{"/seg", ""} {
			for _, ui := range []bool{false, true} {
				request := sample(want.method, want.path)
				request.ui, request.token = ui, admin
				if ui {
					request.path = "/api" + request.path
				}
				request.path = base + request.path
				if w := s.do(t, request); w.Code >= 300 {
					t.Errorf("%s %s: %d %s", want.method, request.path, w.Code, w.Body)
				}
			}
		}
	}
}

func TestOnlyWholeSegmentsAreTheBasePath(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, belowSeg)
	for path, status := range map[string]int{
		"/seg/healthz/live":     200,
		"/seg/healthz/live?x=1": 200,
		"/seg/seg/healthz/live": 404,
		"/segment/healthz/live": 404,
		"/seghealthz/live":      404,
		"/%73eg/healthz/live":   404,
		"/seg//healthz/live":    404,
		"/SEG/healthz/live":     404,
		"/seg/../healthz/live":  404,
		"/seg":                  404,
		"/seg/":                 404,
	} {
		if w := s.do(t, call{method: "GET", path: path}); w.Code != status {
			t.Errorf("%s: %d, want %d: %s", path, w.Code, status, w.Body)
		}
	}
}

func TestTheDocumentIsFoundAndLeadsBelowTheBasePath(t *testing.T) {
	t.Parallel()
	s := newOpenService(t, belowSeg)
	for _, c := range []struct {
		at   string
		ui   bool
		want string
	}{
		{"/seg/openapi.json", false, "/seg/healthz/live"},
		{"/seg/api/openapi.json", true, "/seg/api/healthz/live"},
	} {
		document := asJSON[struct{ Servers []struct{ URL string } }](t, s.do(t, call{method: "GET", path: c.at, ui: c.ui}))
		at, err := url.Parse(c.at)
		if err != nil {
			t.Fatal(err)
		}
		server, err := at.Parse(document.Servers[0].URL)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSuffix(server.Path, "/") + "/healthz/live"
		if w := s.do(t, call{method: "GET", path: got, ui: c.ui}); got != c.want || w.Code != 200 {
			t.Errorf("%s leads to %s, want %s: %d", c.at, got, c.want, w.Code)
		}
	}
	wantProblem(t, s.do(t, call{method: "GET", path: "/seg/nowhere"}), 404, "/seg/docs lists the paths")
	wantProblem(t, s.do(t, call{method: "GET", path: "/seg/api/nowhere", ui: true}), 404, "/seg/api/docs lists the paths")
}
