package box

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
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
