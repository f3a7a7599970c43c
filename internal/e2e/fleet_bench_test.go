package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// BenchmarkPostsAtABox compares posts at a box with those at a service that forwards nothing, in 20 alternating rounds of
// 500 posts each: with a link that is dead, one where each message takes 300 ms, and a good one. It reports the medians of the
// rounds' ratios, and of the good link how long the centre got logs after the box.
func BenchmarkPostsAtABox(b *testing.B) {
	f := &boxFleet{link: newBadLink(b, 0), hub: b.TempDir()}
	f.centreKey = strings.TrimSpace(command(b, f.hub, nil, "", "audit", "key", "centre", "--data", "hub.db").stdout)
	token := command(b, f.hub, []string{"SECRET_KEY=" + secret}, "", "token", "--user", "boxes", "--role", "box").stdout
	if err := os.WriteFile(filepath.Join(f.hub, "token"), []byte(token), 0o600); err != nil {
		b.Fatal(err)
	}
	box := &fleetBox{dir: b.TempDir()}
	f.know(b, box)
	all := suite.Events(suite.RobotLogs(b, 10_000))
	next := 0
	round := func(s *service, client *http.Client) (p50, p99 float64) {
		var took []time.Duration
		for range 500 {
			next++
			begin := time.Now()
			a, err := try(client, "POST", s.api+"/ttl?user=robot", all[next%len(all)], "Content-Type", "text/turtle")
			if err != nil || a.status != http.StatusCreated {
				b.Fatalf("%d %s %v", a.status, a.body, err)
			}
			took = append(took, time.Since(begin))
		}
		return percentile(took, 50), percentile(took, 99)
	}
	for _, link := range []string{"dead", "slow", "good"} {
		b.Run(link, func(b *testing.B) {
			f.link.set("", 0)
			f.link.delay.Store(0)
			var c *service
			if link != "dead" {
				c = f.serveCentre(b, 0)
			}
			if link == "slow" {
				f.link.delay.Store(int64(300 * time.Millisecond))
			}
			with, without := serve(b, box.dir, f.box(box)), serve(b, b.TempDir(), nil)
			one, other := &http.Client{}, &http.Client{}
			for b.Loop() {
				var p50, p99 []float64
				for range 20 {
					a50, a99 := round(with, one)
					b50, b99 := round(without, other)
					p50, p99 = append(p50, a50/b50), append(p99, a99/b99)
				}
				slices.Sort(p50)
				slices.Sort(p99)
				b.ReportMetric(p50[10], "p50-ratio")
				b.ReportMetric(p99[10], "p99-ratio")
			}
			if link == "good" {
				b.ReportMetric(percentile(lags(b, c), 99), "p99-lag-ms")
			}
			with.stop()
			without.stop()
		})
	}
}

// lags returns how long after the box the centre got each of its newest 1,000 logs.
func lags(b *testing.B, c *service) (out []time.Duration) {
	auditor := strings.TrimSpace(command(b, b.TempDir(), []string{"SECRET_KEY=" + secret}, "", "token", "--user", "eva", "--role", "auditor").stdout)
	a := request(b, "GET", c.api+"/logs?limit=1000", nil, "Authorization", "Bearer "+auditor)
	var page struct {
		Entries []struct {
			Time    time.Time
			BoxTime time.Time `json:"box_time"`
		}
	}
	if err := json.Unmarshal(a.body, &page); err != nil || a.status != http.StatusOK {
		b.Fatal(fmt.Sprint(a.status), err, string(a.body))
	}
	for _, e := range page.Entries {
		if !e.BoxTime.IsZero() {
			out = append(out, e.Time.Sub(e.BoxTime))
		}
	}
	return out
}
