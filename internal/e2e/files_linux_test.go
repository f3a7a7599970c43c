package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// limitFiles is a starter whose process may have 1,024 open files, and at first only 256.
func limitFiles(cmd *exec.Cmd) (wait func() int, err error) {
	cmd.Args = append([]string{"sh", "-c", `ulimit -n 1024 && ulimit -S -n 256 && exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
	if cmd.Path, err = exec.LookPath("sh"); err != nil {
		return nil, err
	}
	return start(cmd)
}

// Many clients that send slowly hold a connection and a file each. A service that may open few
// files accepts fewer of them, says so, and answers health checks.
func TestFewOpenFilesBlockNoHealthCheck(t *testing.T) {
	suite.NotShort(t)
	s := serveBy(t, limitFiles, t.TempDir(), []string{"SEGRAPH_CLIENT_CONNECTIONS=4096"})
	poll(t, "it warns", func() bool {
		return strings.Contains(s.stderr.String(), "few files") && strings.Contains(s.stderr.String(), "open_files=102")
	})
	address := strings.TrimPrefix(s.api, "http://")
	head := fmt.Sprintf("POST /ttl?user=ari HTTP/1.1\r\nHost: %s\r\nContent-Type: text/turtle\r\nContent-Length: 1000000\r\n\r\n", address)
	part := head + strings.Repeat("# a comment\n", 6000) // 72 KB, more than is kept in memory
	for range 1200 {
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, part) // the service may have closed it
	}
	client := &http.Client{Timeout: 15 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	poll(t, "a check is answered", func() bool { // while hundreds connect at once, one may have to try again
		answer, err := client.Get(s.api + "/healthz/live")
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	})
	for range 5 {
		for _, path := range []string{"/healthz/live", "/healthz/ready"} {
			answer, err := client.Get(s.api + path)
			if err != nil {
				t.Fatalf("%s: %v\n%.2000s", path, err, s.stderr)
			}
			body, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %d %s", path, answer.StatusCode, body)
			}
		}
	}
	if text := s.stderr.String(); strings.Contains(text, "too many open files") {
		t.Errorf("it had no file left: %.2000s", text)
	}
}
