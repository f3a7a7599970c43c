package e2e

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A token is sent to every route in every way, valid or not. It must not appear in
// answers, the log, metrics, or the file with its journal and snapshots.
func TestACanaryTokenIsFoundNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir, []string{"SECRET_KEY=" + secret}, "--metrics", "127.0.0.1:0", "--log-level", "debug")
	good := issue(t, "admin,logger,auditor")
	payload, signature := strings.Split(good, ".")[1], strings.Split(good, ".")[2]
	bad := good[:len(good)-6] + "AAAAAA"
	var answers strings.Builder
	send := func(method, address, body string, header ...string) {
		t.Helper()
		a, err := try(http.DefaultClient, method, address, []byte(body), header...)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range a.header {
			answers.WriteString(k + ": " + strings.Join(v, ", ") + "\n")
		}
		answers.Write(a.body)
	}
	for _, listener := range []string{s.api, s.ui + "/api", s.ui} {
		for _, r := range append(samples, samples[0]) {
			path := strings.NewReplacer("{log_id}", "none", "{case_id}", "none").Replace(r.path)
			kind := "application/json"
			if path == "/query" {
				kind = "application/x-www-form-urlencoded"
			}
			for _, token := range []string{good, bad} {
				send(r.method, listener+path, r.body, "Authorization", "Bearer "+token, "Content-Type", kind)
				send(r.method, listener+path+"?token="+token+"&access_token="+token, r.body, "Cookie", "token="+token, "Content-Type", kind)
				send(r.method, listener+path, "{"+token, "X-Request-ID", token, "User-Agent", token, "Referer", "http://x/?t="+token, "Authorization", "Bearer "+token, "Content-Type", kind)
				send(r.method, listener+path+"/"+token, r.body, "Authorization", token, "Content-Type", kind)
				send("BREW", listener+path, "", "Authorization", "Bearer "+token)
			}
		}
	}
	send("GET", s.api+"/query?query="+url.QueryEscape("SELECT \""+good+"\" {"), "", "Authorization", "Bearer "+good)
	send("POST", s.api+"/ttl", `{"ttl_content":"<urn:a> <urn:b> `+good+`","user":"`+good+`"}`, "Content-Type", "application/json", "Authorization", "Bearer "+good)
	metrics := request(t, "GET", metricsAt.FindStringSubmatch(s.stdout.String())[1]+"/metrics", nil)
	log := request(t, "GET", s.api+"/logs/server?limit=2000&level=DEBUG", nil, "Authorization", "Bearer "+good)
	journal := request(t, "GET", s.api+"/logs?limit=1000", nil, "Authorization", "Bearer "+good)
	if log.status != 200 || journal.status != 200 || metrics.status != 200 {
		t.Fatalf("%d %d %d", log.status, journal.status, metrics.status)
	}
	s.stop()
	places := map[string]string{"answers": answers.String(), "stderr": s.stderr.String(), "stdout": s.stdout.String(),
		"the log": string(log.body), "the journal": string(journal.body), "the metrics": string(metrics.body)}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		places[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for place, text := range places {
		for name, secret := range map[string]string{"claims": payload, "signature": signature, "key": secret} {
			if i := strings.Index(text, secret); i >= 0 {
				t.Errorf("%s of the token is in %s: …%q…", name, place, text[max(0, i-80):min(len(text), i+20)])
			}
		}
	}
}
