package box

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/segraph/segraph/store/fleet/pack"
)

// TestHeadersAreSentOnce asks a server that speaks HTTP/2 what the box speaks.
func TestHeadersAreSentOnce(t *testing.T) {
	t.Parallel()
	spoken := ""
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { spoken = r.Proto }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	to := Over(HTTP{URL: s.URL}).(*overHTTP)
	known := x509.NewCertPool()
	known.AddCert(s.Certificate())
	to.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: known}
	if _, err := to.Send(t.Context(), Message{Pack: []byte("a pack")}); err != nil || spoken != "HTTP/2.0" {
		t.Errorf("the box speaks %q, %v", spoken, err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestALargePackHasTime asks how long the largest pack may take.
func TestALargePackHasTime(t *testing.T) {
	t.Parallel()
	var left time.Duration
	to := Over(HTTP{URL: "http://centre", Transport: transport(func(r *http.Request) (*http.Response, error) {
		until, _ := r.Context().Deadline()
		left = time.Until(until)
		return nil, io.EOF
	})})
	for size, want := range map[int]time.Duration{0: 9 * time.Minute, pack.MaxSent: pack.MaxSent / (16 << 10) * time.Second} {
		if _, err := to.Send(t.Context(), Message{Pack: make([]byte, size)}); !errors.Is(err, io.EOF) || left < want || left > want+10*time.Minute {
			t.Errorf("a pack of %d bytes may take %v, %v", size, left, err)
		}
	}
}
