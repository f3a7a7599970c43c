package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// left returns the stacks of goroutines that run the project's code, except those of the
// test.
func left() (out []string) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for i, stack := range strings.Split(string(stacks), "\n\n") {
		if i > 0 && strings.Contains(stack, "github.com/segraph/segraph/") && !strings.Contains(stack, "testing.tRunner") {
			out = append(out, stack)
		}
	}
	return out
}

// A whole service, with its store, pages, metrics and snapshots, leaves no goroutine
// running when it ends, even if clients disconnected early.
func TestAWholeServiceLeavesNoGoroutineBehind(t *testing.T) {
	before, file := len(left()), filepath.Join(t.TempDir(), "segraph.db")
	signals, listening, ended := make(chan os.Signal, 2), make(chan string, 1), make(chan error, 1)
	p := &program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, ready: func(ui string) { listening <- ui }}
	go func() {
		_, err := p.dispatch([]string{"serve", "--data", file, "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0",
			"--metrics", "127.0.0.1:0", "--snapshot-every", "1h"}, nil, signals)
		ended <- err
	}()
	var ui string
	select {
	case ui = <-listening:
	case err := <-ended:
		t.Fatalf("it ended with %v", err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	ask := func(method, path, body string) {
		t.Helper()
		request, err := http.NewRequest(method, ui+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "text/turtle")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode >= 300 {
			t.Errorf("%s %s: %d %s %v", method, path, response.StatusCode, text, err)
		}
	}
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "<urn:s%d> <urn:p> %d .\n", i, i)
	}
	for range 3 {
		ask("POST", "/api/ttl", text.String())
		for _, path := range []string{"/api/events", "/api/query?query=ASK%7B%7D", "/api/logs", "/api/admin/backup", "/reports", "/kg-graph", "/query", "/health"} {
			ask("GET", path, "")
		}
		hasty := &http.Client{Transport: &http.Transport{}, Timeout: 50 * time.Millisecond}
		_, _ = hasty.Get(ui + "/api/query?query=" + url.QueryEscape("SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(?c + ?f + ?i < 0) }")) // the client gives up
		hasty.CloseIdleConnections()
	}
	client.CloseIdleConnections()
	signals <- syscall.SIGTERM
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(left()) > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, %d were there before:\n%s", len(left()), before, strings.Join(left(), "\n\n"))
		}
		time.Sleep(10 * time.Millisecond) // between two checks
	}
}
