package ui

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// nginxConfig configures a proxy that also serves other things: its folder, its address,
// and the target of requests below /seg/.
const nginxConfig = `daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	server {
		listen %[2]s;
		location / { return 418; }
		location /seg/ {
			proxy_pass %[3]s;
			proxy_http_version 1.1;
			proxy_set_header Host $http_host;
			client_max_body_size 16m;
		}
	}
}
`

// proxy starts nginx, which forwards requests below /seg/ to an address, and returns the
// base URL of nginx.
func proxy(t *testing.T, to string) string {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		suite.Missing(t, "no nginx: install it, with Debian by apt-get install nginx-light")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, nginxConfig, dir, address, to), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	nginx := exec.Command(path, "-p", dir, "-e", "stderr", "-c", file)
	nginx.Stderr = &said
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- nginx.Wait() }()
	t.Cleanup(func() {
		_ = nginx.Process.Kill() // it may have exited
		<-ended
		if t.Failed() {
			t.Logf("nginx: %s", &said)
		}
	})
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { // between two checks
		response, err := http.Get("http://" + address + "/")
		if err == nil {
			_ = response.Body.Close() // nothing was read
			return "http://" + address
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v: %s", err, &said)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("nginx does not answer: %v", err)
		}
	}
}

// TestAllPagesWorkBelowABasePathBehindNginx clicks through the pages behind a proxy that
// keeps the base path, and behind one that removes it. The tab fails the test for every
// request outside the base path.
func TestAllPagesWorkBelowABasePathBehindNginx(t *testing.T) {
	suite.Slow(t, "it opens each page behind a proxy")
	t.Parallel()
	for _, c := range []struct{ name, rest string }{
		{"the prefix is kept", ""},
		{"the prefix is removed", "/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, setup{secret: testSecret, base: "/seg"})
			s.addCases(2)
			s.publish(`@prefix ex: <http://e/> . ex:ari a ex:Robot ; ex:hears ex:maria . ex:maria a ex:Person .`)
			b := open(t, proxy(t, s.ui+c.rest)+"/seg", look{})
			b.goTo("/")
			b.see(".who", "Not signed in")
			b.expect("status of 401")
			b.fill("#token", "not.a.token")
			b.click("form[action$='/session'] button.primary")
			b.see(".notice.bad", "The token is not valid")
			b.signIn(s, "admin")

			names := value[[]string](b, `[...document.querySelectorAll("header nav ul a")].map(a => a.getAttribute("href"))`)
			if len(names) < 5 {
				t.Errorf("the navigation has %q", names)
			}
			for _, href := range names {
				b.navigate(href)
				if got := b.path(); got != strings.TrimPrefix(href, "/seg") {
					t.Errorf("%s leads to %s", href, got)
				}
			}

			b.goTo("/query")
			b.write(look{}, "SELECT ?s { ?s a <http://e/Robot> }")
			b.click("#run")
			b.see("#count", "1 row")
			if got := b.path(); !strings.HasPrefix(got, "/query?query=SELECT") {
				t.Errorf("the address of a query is %s", got)
			}
			b.follow("#answer td.iri a")
			b.see("#graph", "robot")
			b.click("#drawing a[href^='/seg/kg-graph?']")
			b.eventually("the graph is fetched", func() bool {
				return value[bool](b, `document.getElementById("graph").getAttribute("aria-busy") == "false"`)
			}, b.path)

			b.goTo("/shared-context")
			b.click("button[value=accept]")
			b.see("#said", "Decided: same event")
			b.see("#counts .figure:first-child", "1")

			b.goTo("/logs/insert")
			b.fill("#ttl", "@prefix ex: <http://e/> .\nex:tiago a ex:Robot .")
			b.click("button[value=check]")
			b.see("#result", "1 triple: 1 new")
			b.click("button[value=insert]")
			b.see("#result", "The log is stored")

			b.goTo("/health")
			b.see("[data-check=ready] .badge", "accepted")
			b.see("[data-check=ready] [data-latency]", "ms")
			if c.rest == "" { // drawing it takes long
				b.follow("a[href$='/api/docs']")
				b.see("#mode", "Authentication is on")
				b.see(".opblock", "/")
				if got := b.tryOperation("ready", nil, ""); got != "200" {
					t.Errorf("a request of /docs: %s", got)
				}
			}

			b.goTo("/reports")
			b.click(".who button")
			b.see(".who", "Not signed in")
			b.goTo("/query?query=ASK%7B%7D")
			b.fill("#token", s.token("auditor"))
			b.click("form[action$='/session'] button.primary")
			b.see("#answer", "true")
			if got := b.path(); got != "/query?query=ASK%7B%7D" {
				t.Errorf("after signing in the page is %s", got)
			}
		})
	}
}
