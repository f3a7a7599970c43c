package views_test

import (
	"html"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/views/viewstest"
)

var firstCommand = regexp.MustCompile(`(?s)<pre id="first"[^>]*><code>(.*?)</code></pre>`)

// TestTheCommandOfAnEmptyPageWorksAsItIsWritten runs the command that each page shows
// while it has no data, with the address of the page, with and without authentication.
func TestTheCommandOfAnEmptyPageWorksAsItIsWritten(t *testing.T) {
	t.Parallel()
	suite.NotShort(t)
	if _, err := exec.LookPath("curl"); err != nil {
		suite.Missing(t, "no curl: install it, with Debian by apt-get install curl")
	}
	for page, says := range map[string]string{"/reports": "TTL inserted", "/kg-graph": "TTL inserted", "/shared-context": "context_uri"} {
		for name, s := range map[string]*fixture{"open": openService(t), "with authentication": newService(t)} {
			t.Run(page+" "+name, func(t *testing.T) {
				server := httptest.NewServer(s.Pages)
				defer server.Close()
				b := s.NewVisitor()
				if s.Auth.Enabled() {
					b = s.SignedIn(auth.Admin)
				}
				b.Host = strings.TrimPrefix(server.URL, "http://")
				w := b.Get(page)
				found := firstCommand.FindStringSubmatch(w.Body.String())
				if found == nil {
					t.Fatalf("no command: %s", w.Body)
				}
				shell := exec.Command("sh", "-c", html.UnescapeString(found[1]))
				shell.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
				if s.Auth.Enabled() {
					viewstest.WantPage(t, w, 200, "SEGRAPH_TOKEN must hold a token with the role logger")
					shell.Env = append(shell.Env, "SEGRAPH_TOKEN="+s.Token(auth.Logger))
				}
				if out, err := shell.Output(); err != nil || !strings.Contains(string(out), says) {
					t.Errorf("%s\nanswers %s, %v", found[1], out, err)
				}
				if page != "/shared-context" && firstCommand.MatchString(b.Get(page).Body.String()) {
					t.Error("the page is as empty as before")
				}
			})
		}
	}
}

// TestCommandsNameTheAddressOfTheBrowser covers the headers of a proxy, which count if it
// is trusted.
func TestCommandsNameTheAddressOfTheBrowser(t *testing.T) {
	t.Parallel()
	s := openService(t)
	b := s.NewVisitor()
	b.Header.Set("X-Forwarded-Proto", "https")
	b.Header.Set("X-Forwarded-Host", "robots.internal:8443")
	for from, want := range map[string]string{"10.0.0.7:1": "https://robots.internal:8443/api/ttl?user=rio", "192.0.2.7:1": "http://example.com/api/ttl?user=rio"} {
		b.From = from
		viewstest.WantPage(t, b.Get("/reports"), 200, "curl &#39;"+want+"&#39;")
	}
}
