package e2e

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/segraph/segraph/internal/suite"
)

// A wrong value ends a start with code 2, and the error says what is wrong with which setting or file.
func TestWrongValuesAreRefusedAtTheStart(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "=" + path
	}
	for setting, want := range map[string]string{
		"SEGRAPH_RETENTION=200":                                                 `"200" is not a time`,
		"SEGRAPH_RETENTION_RULES" + file("empty", ""):                           "empty: it has 0 rows",
		"SEGRAPH_RETENTION_RULES=none":                                          "none: open none: ",
		"SEGRAPH_RETENTION_RULES" + file("name", "- {kep: 1}"):                  "name: line 1: field kep not found\n",
		"SEGRAPH_RETENTION_RULES" + file("kind", "- {keep: 3d, kind: Emotion}"): `kind: row 1: kind must be`,
		"SEGRAPH_RETENTION_RULES" + file("two", "- keep: 3d\n---\n"):            "two: it has a second document",
		"SEGRAPH_TWO_PERSONS=true":                                              "SEGRAPH_TWO_PERSONS needs SECRET_KEY",
		"SEGRAPH_SIGNING_KEY=x":                                                 "SEGRAPH_SIGNING_KEY: the signing key is not a private key in PEM",
		"SEGRAPH_FORWARD_RATE=-1":                                               "not an integer of at least 0",
		"SEGRAPH_FORWARDED_DELETES=no":                                          "not one of apply, keep",
		"SEGRAPH_BASE_PATH=seg":                                                 "not a path such as /seg",
		"SEGRAPH_TRUSTED_PROXIES=proxy":                                         "not an address or a network",
		"SEGRAPH_CORS_ORIGINS=example.org":                                      "not an origin",
		"SEGRAPH_TEXT_INDEX=maybe":                                              "neither on nor off",
		"SEGRAPH_STORES" + file("stores", "- {kind: x}"):                        "stores: row 1: kind:",
		"SHARED_CONTEXT_SUBJECT_CONFLICT=no":                                    `must be "separate" or "review"`,
		"SHARED_CONTEXT_GENERIC_SUBJECTS=(":                                     "must be a regular expression",
		"SHARED_CONTEXT_MATCH_PROBABILITY=0.1":                                  "from 0.5 to 1",
		"SHARED_CONTEXT_CALIBRATION=on":                                         `must be "off" or "isotonic"`,
	} {
		name, value, _ := strings.Cut(setting, "=")
		r := command(t, dir, []string{setting}, "", "serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0")
		if r.code != 2 || !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, name) && !strings.Contains(r.stderr, value) {
			t.Errorf("%s: exit %d, want 2 and %q\n%s", setting, r.code, want, r.stderr)
		}
	}
}

// Each setting changes what the program does: the table has what one does without it and with it.
func TestASettingChangesWhatItSays(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	const authenticated = "SECRET_KEY=" + secret
	status := func(a answer) string { return fmt.Sprint(a.status) }
	busy := func(t *testing.T, s *service) string {
		for range 2 {
			slowPost(t, s)
		}
		return status(request(t, "GET", s.api+"/events", nil))
	}
	for setting, x := range map[string]struct {
		also          string // another setting
		do            func(t *testing.T, s *service) string
		usual, wanted string
	}{
		"SEGRAPH_STRICT_IRIS=true": {"", func(t *testing.T, s *service) string {
			return status(s.publish("<urn:s> <http://example.org/100%> 1 .", "ari")) + status(s.publish(`<urn:s> <urn:p> "hola"@castellano .`, "ari")) + status(s.publish("<urn:s> <urn:p> 1 .", "ari"))
		}, "201201201", "400400201"},
		"SEGRAPH_LOG_PUBLIC=true": {authenticated, func(t *testing.T, s *service) (all string) {
			for _, path := range []string{"/log/checkpoint", "/log/tile/0/000.p/1", "/log/tile/entries/000.p/1", "/events"} {
				all += status(request(t, "GET", s.api+path, nil)) + status(request(t, "GET", s.ui+"/api"+path, nil)) + " "
			}
			return all
		}, "401401 401401 401401 401401 ", "200200 200200 401401 401401 "},
		"SEGRAPH_TRUSTED_PROXIES=127.0.0.1,10.0.0.0/8": {"", func(t *testing.T, s *service) string {
			request(t, "POST", s.api+"/ttl?user=ari", []byte("<urn:s> <urn:p> 1 ."), "Content-Type", "text/turtle", "X-Forwarded-For", "192.0.2.1, 192.0.2.2, 10.1.1.1")
			return regexp.MustCompile(`"address":"(.*?)"`).FindStringSubmatch(string(request(t, "GET", s.api+"/logs", nil).body))[1]
		}, "127.0.0.1", "192.0.2.2"},
		"SEGRAPH_CORS_ORIGINS=https://example.org": {"", func(t *testing.T, s *service) string {
			return status(request(t, "POST", s.api+"/query", []byte("ASK {}"), "Content-Type", "application/sparql-query", "Origin", "https://example.org")) + request(t, "OPTIONS", s.api+"/query", nil, "Origin", "https://example.org", "Access-Control-Request-Method", "POST").header.Get("Access-Control-Allow-Origin")
		}, "403", "200https://example.org"},
		"SEGRAPH_SNAPSHOT_DIR=other/place": {"", func(t *testing.T, s *service) string {
			s.publish("<urn:s> <urn:p> 1 .", "ari")
			s.deleteAll(`{"user":null}`)
			found, _ := filepath.Glob(filepath.Join(s.cmd.Dir, "other", "place", "*.db"))
			return fmt.Sprint(len(found), len(snapshots(t, filepath.Join(s.cmd.Dir, "segraph.db"))))
		}, "0 1", "1 0"},
		"SEGRAPH_CONNECTIONS=2":        {"", busy, "200", "503"},
		"SEGRAPH_CLIENT_CONNECTIONS=2": {"", busy, "200", "429"},
		"SEGRAPH_QUERY_TIME=1ms": {"", func(t *testing.T, s *service) string {
			s.must("ex:s ex:p 1, 2, 3, 4, 5, 6, 7, 8, 9, 0 .")
			return status(request(t, "GET", s.api+"/query?query="+url.QueryEscape("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o FILTER(?c + ?f + ?i + ?l + ?o = 99) }"), nil))
		}, "200", "504"},
		"SEGRAPH_TEXT_INDEX=off": {"SEGRAPH_METRICS=127.0.0.1:0", func(t *testing.T, s *service) string {
			s.stop()
			var text strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&text, "<urn:s> <urn:p> \"number %d\" .\n", i)
			}
			if r := command(t, s.cmd.Dir, nil, text.String(), "load", "-", "--format", "turtle"); r.code != 0 {
				t.Errorf("load: %+v", r)
			}
			s = serve(t, s.cmd.Dir, s.cmd.Env)
			index := func() bool { return s.metric("segraph_store_text_index_bytes") > 0 }
			off := slices.Contains(s.cmd.Env, "SEGRAPH_TEXT_INDEX=off")
			poll(t, "the index of texts is made, or removed", func() bool { return index() != off })
			return fmt.Sprint(index())
		}, "true", "false"},
		"SEGRAPH_LOG_LEVEL=warning": {"", func(t *testing.T, s *service) string {
			s.stop()
			return fmt.Sprint(strings.Contains(s.stderr.String(), "| INFO |"))
		}, "true", "false"},
		"SHARED_CONTEXT_CLOCK_CORRECTION=off": {"", func(t *testing.T, s *service) string {
			drifted(s)
			return fmt.Sprint(len(s.reconciled()) > 0)
		}, "true", "false"},
		"SHARED_CONTEXT_NAMESPACE=http://ex/contexts/": {"", func(t *testing.T, s *service) string {
			return fmt.Sprint(strings.HasPrefix(s.resolved(first).URI, "http://ex/contexts/"))
		}, "false", "true"},
		"SHARED_CONTEXT_CALIBRATION=isotonic": {"", func(t *testing.T, s *service) string {
			return fmt.Sprint(request(t, "GET", s.api+"/shared-context/stats", nil).member(t, "calibration").(map[string]any)["mode"])
		}, "off", "isotonic"},
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			for _, env := range [][]string{{x.also}, {x.also, setting}} {
				want := x.usual
				if len(env) == 2 {
					want = x.wanted
				}
				if got := x.do(t, serve(t, t.TempDir(), env)); got != want {
					t.Errorf("with %q: %s, want %s", env, got, want)
				}
			}
		})
	}
}

// Each setting of the resolver changes what becomes of the second of two observations.
func TestSettingsOfTheResolverChangeItsAnswers(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	usual := serve(t, t.TempDir(), nil)
	for i, x := range []struct{ setting, at, subject, text, usual, wanted string }{
		{"CLEAR_MATCH_PROBABILITY=1", "13.950", maria, "yes", "matched", "ambiguous"},
		{"TIME_WINDOW_SECONDS=0.2", "13.950", maria, news, "matched", "created"},
		{"MAX_GAP_SECONDS=0.5", "13.950", maria, news, "matched", "ambiguous"},
		{"MATCH_PROBABILITY=1", "13.950", maria, "Could you show me the climate news?", "matched", "ambiguous"},
		{"MIN_TEXT_SIMILARITY=0.99", "13.950", maria, "Could you show me the climate news?", "matched", "ambiguous"},
		{"REVIEW_PROBABILITY=0.9999", "13.650", "", news, "ambiguous", "created"},
		{"SUBJECT_CONFLICT=review", "13.250", "http://ex/human/john", news, "created", "ambiguous"},
		{"GENERIC_SUBJECTS=guest", "13.250", "http://ex/human/guest7", news, "created", "ambiguous"},
	} {
		text := x.text
		if strings.HasPrefix(text, "Could") {
			text = news
		}
		for s, want := range map[*service]string{usual: x.usual, serve(t, t.TempDir(), []string{"SHARED_CONTEXT_" + x.setting}): x.wanted} {
			s.resolved(utterance(fmt.Sprintf("%d:13.150", 10+i), "ari", maria, text))
			if got := s.resolved(utterance(fmt.Sprintf("%d:%s", 10+i, x.at), "tiago", x.subject, x.text)).Outcome; got != want {
				t.Errorf("%s: %s, want %s", x.setting, got, want)
			}
		}
	}
}

// The user, password and header of the settings reach the graph store, which asks for them, and the robot.
func TestCredentialsAreSentToOtherServers(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	got := make(chan string, 100)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a := r.Header.Get("Authorization"); a != "" && len(got) < cap(got)/2 { // never wait for the test
			got <- a
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer other.Close()
	for want, run := range map[string][]string{
		"Basic am9lOnRoZSBwYXNzd29yZA==": {"SEGRAPH_STORE=sparql", "SEGRAPH_SPARQL_USER=joe", "SEGRAPH_SPARQL_QUERY_URL=" + other.URL, "SEGRAPH_SPARQL_UPDATE_URL=" + other.URL},
		"Basic ZXZhOnRoZSBwYXNzd29yZA==": {"SEGRAPH_STORE=virtuoso", "SEGRAPH_VIRTUOSO_USER=eva", "SEGRAPH_VIRTUOSO_URL=" + other.URL},
		"Bearer robot":                   nil,
	} {
		if run != nil {
			serve(t, t.TempDir(), append(run, "TRIPLESTORE_PASSWORD=the password"))
		} else {
			bridge := exec.Command(binary, "bridge", strings.Replace(other.URL, "http", "ws", 1))
			bridge.Dir, bridge.Env = t.TempDir(), environ("SEGRAPH_ROBOT_AUTHORIZATION=Bearer robot")
			if err := bridge.Start(); err != nil {
				t.Fatal(err)
			}
			defer bridge.Wait()
			defer bridge.Process.Kill()
		}
		poll(t, want+" is sent", func() bool { return len(got) > 0 && <-got == want })
	}
}

// privateKey returns a new key in PEM.
func privateKey(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// SEGRAPH_SIGNING_KEY signs the transparency log and goes into no file. Another key begins a log with another name.
func TestTheSigningKeyOfTheSettingsSigns(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	dir, key := t.TempDir(), privateKey(t)
	if err := os.WriteFile(filepath.Join(dir, "key.pem"), []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, env := range []string{"SEGRAPH_SIGNING_KEY=" + key, "SEGRAPH_SIGNING_KEY_FILE=key.pem", "SEGRAPH_SIGNING_KEY=" + privateKey(t)} {
		s := serve(t, dir, []string{env})
		signed := request(t, "GET", s.api+"/log/checkpoint", nil).body
		s.stop()
		verifier, err := note.NewVerifier(strings.TrimSpace(command(t, dir, nil, "", "audit", "key").stdout))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := note.Open(signed, note.VerifierList(verifier)); err != nil {
			t.Errorf("%v: %s", err, signed)
		}
		names = append(names, verifier.Name())
	}
	if _, err := os.Stat(filepath.Join(dir, "segraph.db.key")); !os.IsNotExist(err) || names[0] != names[1] || names[1] == names[2] {
		t.Errorf("the logs are called %q; the file of a key: %v", names, err)
	}
}

// hrefs finds the addresses in a page of this service.
var hrefs = regexp.MustCompile(`\s(href|src|action)="(/[^"#]*)`)

// Below SEGRAPH_BASE_PATH are all pages and what they name, the cookie, redirects, the API, and what commands ask.
func TestABasePathIsBeforeEverything(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, []string{"SECRET_KEY=" + secret, "SEGRAPH_BASE_PATH=/seg/"})
	tokens.Store(strings.Split(s.api, "/")[2], issue(t, "admin"))
	if a := request(t, "POST", s.api+"/ttl", []byte(`{"user":null,"ttl_content":"<urn:s> a <http://schema.org/Person> ; <http://schema.org/name> \"Maria\" ."}`), "Content-Type", "application/json"); a.status != 201 || !strings.HasSuffix(s.api, "/seg") {
		t.Fatalf("%s: %d %s", s.api, a.status, a.body)
	}
	if r := command(t, dir, []string{"SEGRAPH_TOKEN=" + issue(t, "admin")}, "", "query", "--url", s.api, "ASK { <urn:s> ?p ?o }"); !strings.Contains(r.stdout, "true") {
		t.Errorf("query: %+v", r)
	}
	if r := command(t, dir, []string{"SEGRAPH_API=" + strings.Split(s.api, "/")[2]}, "", "healthcheck"); r.code != 0 {
		t.Errorf("healthcheck: %+v", r)
	}
	browser := signedIn(t, s)
	below, err := url.Parse(s.ui)
	if err != nil {
		t.Fatal(err)
	}
	above := &url.URL{Scheme: below.Scheme, Host: below.Host, Path: "/"}
	if len(browser.Jar.Cookies(above)) != 0 || len(browser.Jar.Cookies(below)) == 0 {
		t.Errorf("the cookies are %v and %v", browser.Jar.Cookies(above), browser.Jar.Cookies(below))
	}
	seen, todo := map[string]bool{"/seg/session/end": true}, []string{"/seg"}
	for ; len(todo) > 0; todo = todo[1:] {
		a, err := try(browser, "GET", "http://"+below.Host+todo[0], nil, "Accept", "text/html")
		if err != nil || a.status >= 300 {
			t.Errorf("%s: %d %v", todo[0], a.status, err)
		}
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range hrefs.FindAllSubmatch(a.body, -1) {
			link := html.UnescapeString(string(m[2]))
			at, _, _ := strings.Cut(link, "?")
			if !strings.HasPrefix(link+"/", "/seg/") {
				t.Errorf("%s has %s", todo[0], m[0])
			} else if string(m[1]) != "action" && !seen[at] {
				todo = append(todo, link)
			}
			seen[at] = true
		}
	}
	for _, page := range []string{"/seg/kg-graph", "/seg/shared-context", "/seg/personal-data", "/seg/settings", "/seg/connect", "/seg/api/docs"} {
		if !seen[page] {
			t.Errorf("no link leads to %s, of %d", page, len(seen))
		}
	}
	if r, err := browser.PostForm(s.ui+"/session/end", nil); err != nil || r.Request.URL.Path != "/seg/session" {
		t.Errorf("signing out leads to %v, %v", r, err)
	}
}
