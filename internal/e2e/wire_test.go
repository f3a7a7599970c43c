package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// wire is a persistent connection of one client to the service. It does not use net/http's
// transport, whose processor time would distort measurements: real clients run on other
// machines.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	head string // of every request, up to the value of Content-Length
	out  []byte
}

// dial opens a connection for requests of one method and path with JSON bodies.
func (s *service) dial(t testing.TB, method, path string) *wire {
	t.Helper()
	return s.dialWith(t, method, path, "application/json")
}

// dialWith is dial for bodies of a media type.
func (s *service) dialWith(t testing.TB, method, path, media string) *wire {
	t.Helper()
	host := strings.TrimPrefix(s.api, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &wire{conn: conn, in: bufio.NewReader(conn),
		head: fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: ", method, path, host, media)}
}

// ask sends a body and reads the whole answer.
func (w *wire) ask(body []byte) (answer, error) {
	w.out = append(fmt.Appendf(append(w.out[:0], w.head...), "%d\r\n\r\n", len(body)), body...)
	if _, err := w.conn.Write(w.out); err != nil {
		return answer{}, err
	}
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, data}, err
}
