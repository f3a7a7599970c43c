package e2e

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/segraph/segraph/internal/suite"
)

const monitorToken = "a-token-for-monitoring-of-forty-characters"

// watched starts a service with traffic, and one with a graph store that is unreachable.
// It returns the addresses of their metrics, as host:port.
func watched(t *testing.T) []string {
	t.Helper()
	env := []string{"SEGRAPH_METRICS_TOKEN=" + monitorToken}
	s := serve(t, t.TempDir(), env, "--metrics", "127.0.0.1:0")
	if a := s.publish(document("x"), "ari"); a.status != 201 {
		t.Fatal(a.status)
	}
	request(t, "GET", s.api+"/query?query="+url.QueryEscape("ASK {}"), nil)
	follower := serve(t, t.TempDir(), append(env, "SEGRAPH_STORE=sparql", "SEGRAPH_SPARQL_QUERY_URL=http://127.0.0.1:1/q", "SEGRAPH_SPARQL_UPDATE_URL=http://127.0.0.1:1/u",
		"SEGRAPH_WITNESSES=example.org/w+2da79c94+BCJwAEfYnBZh1xIZTQWMeKMLWZkUL4H9WCh7iB/i8LG6 http://127.0.0.1:1",
		"SEGRAPH_WITNESS_OF=example.org/tessera+4338601b+ARq9m+xMGo+RbhMSaQ5grqp9dNgsBWlNLIw1O0wMmg2Z"),
		"--metrics", "127.0.0.1:0")
	var at []string
	for _, s := range []*service{s, follower} {
		at = append(at, strings.TrimPrefix(metricsAt.FindStringSubmatch(s.stdout.String())[1], "http://"))
	}
	return at
}

// expressions returns the expressions of the alerts and of the dashboard's panels, by
// name.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	dir := filepath.Join(suite.Root(t), "docs", "monitoring")
	out := map[string]string{}
	var alerts struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(contentOf(t, filepath.Join(dir, "alerts.yml")), &alerts); err != nil {
		t.Fatal(err)
	}
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			out["alert "+r.Alert] = r.Expr
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	if err := json.Unmarshal(contentOf(t, filepath.Join(dir, "grafana-dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			expr := strings.NewReplacer("$job", "segraph", "$instance", ".*", "$__rate_interval", "1m").Replace(target.Expr)
			out["panel "+p.Title+" "+target.RefID] = expr
		}
	}
	return out
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var (
	sample   = regexp.MustCompile(`(?m)^([a-z_]+)(\{.*\})? \S+$`)
	label    = regexp.MustCompile(`([a-z_]+)(=~|!=|!~|=)"([^"]*)"`)
	selector = regexp.MustCompile(`\b([a-z_]+)(\{[^}]*\})?`)
	grouping = regexp.MustCompile(`\b(?:by|without|on|ignoring) *\(([^)]*)\)`)
	function = regexp.MustCompile(`\b[a-z_]+ *\(`)
	span     = regexp.MustCompile(`\[[^\]]*\]|\boffset +\w+`)
)

// used returns the metrics that an expression reads, with their label matchers, and the
// labels that it groups by.
func used(expr string) (metrics map[string][][]string, labels []string) {
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(g[1], ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
	}
	for _, noise := range []*regexp.Regexp{grouping, span, function} {
		expr = noise.ReplaceAllString(expr, " ")
	}
	metrics = map[string][][]string{}
	for _, m := range selector.FindAllStringSubmatch(expr, -1) {
		if !slices.Contains([]string{"and", "or", "unless", "bool"}, m[1]) {
			metrics[m[1]] = label.FindAllStringSubmatch(m[2], -1)
		}
	}
	return metrics, labels
}

// The service serves every metric, label and label value that the alerts and the
// dashboard use.
func TestAlertsAndDashboardAskForWhatIsServed(t *testing.T) {
	t.Parallel()
	values := map[string]map[string][]string{ // metric -> label -> values
		"up": {"job": nil, "instance": nil},
	}
	for _, at := range watched(t) {
		text := string(request(t, "GET", "http://"+at+"/metrics", nil, "Authorization", "Bearer "+monitorToken).body)
		for _, m := range sample.FindAllStringSubmatch(text, -1) {
			if values[m[1]] == nil {
				values[m[1]] = map[string][]string{"job": {"segraph"}, "instance": nil} // Prometheus adds these
			}
			for _, l := range label.FindAllStringSubmatch(m[2], -1) {
				values[m[1]][l[1]] = append(values[m[1]][l[1]], l[3])
			}
		}
	}
	read := map[string]bool{}
	for name, expr := range expressions(t) {
		metrics, labels := used(expr)
		if len(metrics) == 0 {
			t.Errorf("%s uses no metric: %s", name, expr)
		}
		for metric, matchers := range metrics {
			served, ok := values[metric]
			if !ok {
				t.Errorf("%s uses %s, which is not served", name, metric)
				continue
			}
			read[metric] = true
			for _, l := range labels {
				if _, ok := served[l]; !ok {
					t.Errorf("%s groups %s by %s, which it lacks", name, metric, l)
				}
			}
			for _, m := range matchers {
				have, ok := served[m[1]]
				if !ok {
					t.Errorf("%s uses the label %s of %s, which lacks it", name, m[1], metric)
				}
				if m[1] != "limit" && m[1] != "route" && m[1] != "job" || metric == "up" {
					continue
				}
				for value := range strings.SplitSeq(m[3], "|") {
					if !slices.Contains(have, value) {
						t.Errorf(`%s asks for %s{%s=%q}, which is not served`, name, metric, m[1], value)
					}
				}
			}
		}
	}
	for metric := range values {
		if own := strings.TrimSuffix(metric, "_bucket"); strings.HasPrefix(own, "segraph_") && !read[metric] && !strings.HasPrefix(metric, "segraph_request_seconds") {
			t.Errorf("neither alerts nor dashboard show %s", metric)
		}
	}
}

// Prometheus accepts the configuration, the alerts and their tests, reads the metrics
// with the token, and answers every panel.
func TestPrometheusTakesAlertsAndDashboard(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"prometheus", "promtool"} {
		if _, err := exec.LookPath(program); err != nil {
			suite.Missing(t, "no "+program+": install it, with Debian by apt-get install prometheus")
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(suite.Root(t), "docs", "monitoring"))); err != nil {
		t.Fatal(err)
	}
	config := string(contentOf(t, filepath.Join(dir, "prometheus.yml")))
	config = strings.ReplaceAll(config, "15s", "1s")
	config = strings.Replace(config, `"segraph:9090"`, `"`+strings.Join(watched(t), `", "`)+`"`, 1)
	for name, text := range map[string]string{"prometheus.yml": config, "metrics-token": monitorToken} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "config", "prometheus.yml"}, {"check", "rules", "alerts.yml"}, {"test", "rules", "alerts.test.yml"}} {
		cmd := exec.Command("promtool", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %q: %v\n%s", args, err, out)
		}
	}

	cmd := exec.Command("prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address=127.0.0.1:0")
	var log output
	cmd.Dir, cmd.Stderr = dir, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	listens := regexp.MustCompile(`Listening on" address=(\S+)`)
	poll(t, "Prometheus listens", func() bool { return listens.MatchString(log.String()) })
	base := "http://" + listens.FindStringSubmatch(log.String())[1] + "/api/v1/query?query="
	ask := func(expr string) (rows int, failed string) {
		var answer struct {
			Error string
			Data  struct{ Result []any }
		}
		body := request(t, "GET", base+url.QueryEscape(expr), nil).body
		if err := json.Unmarshal(body, &answer); err != nil {
			return 0, string(body) // not ready yet
		}
		return len(answer.Data.Result), answer.Error
	}
	poll(t, "Prometheus has read both services twice", func() bool {
		rows, _ := ask(`count_over_time(up{job="segraph"}[1m]) >= 2 and up == 1`)
		return rows == 2
	})
	for name, expr := range expressions(t) {
		rows, failed := ask(expr)
		alert := strings.HasPrefix(name, "alert ")
		if maybe := alert || strings.Contains(expr, "> 0"); failed != "" || rows == 0 && !maybe {
			t.Errorf("%s gives %d series, %s: %s", name, rows, failed, expr)
		}
		away := []string{"alert SegraphGraphStoreAway", "alert SegraphGraphStoreBehind", "alert SegraphWitnessAway"} // one service has both, and neither answers
		if alert && rows != 0 && !slices.Contains(away, name) {
			t.Errorf("%s fires for a healthy service", name)
		}
	}
}
