package views_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/segraph/segraph/views/viewstest"
)

// A request whose body does not come is refused with a page, although net/http has then ended its context, and is no
// fault of the service.
func TestARefusalIsAPageAlsoIfTheBodyDoesNotCome(t *testing.T) {
	t.Parallel()
	s := startWith(t, "", func(c *viewstest.Settings) { c.Limits.Patience = 200 * time.Millisecond })
	server := httptest.NewServer(s.Pages)
	defer server.Close()
	for _, c := range []struct {
		name, path, length string
		want               int
		half               bool
	}{
		{"it is slow", "/nope", "9", 404, false},
		{"its client sends no more", "/nope", "9", 404, true},
		{"a large one is slow", "/logs/insert", "20000000", 413, false},
		{"a form ends early", "/logs/insert", "9", 400, true},
		{"a form is slow", "/logs/insert", "9", 408, false},
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		request := "POST " + c.path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: " + c.length + "\r\n\r\n"
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		if c.half {
			if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		page, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != c.want || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %d, %v, %s", c.name, answer.StatusCode, err, page)
		}
	}
	if s.Service.Health(t.Context()).Panicked {
		t.Error("the service is no longer ready")
	}
}
