package box

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/store/fleet/pack"
)

const (
	dialTimeout   = 5 * time.Second
	answerTimeout = 10 * time.Minute // and more for a large pack
	slowest       = 16 << 10         // bytes a second of a link over which packs are sent
	maxAnswer     = 64 << 10
)

// HTTP is a centre's API.
type HTTP struct {
	URL       string            // without the path
	TokenFile string            // "" means no token
	Transport http.RoundTripper // nil means the network
}

// Over returns a Centre that is reached over HTTP.
func Over(o HTTP) Centre {
	if o.Transport == nil {
		o.Transport = &http.Transport{
			DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, Proxy: http.ProxyFromEnvironment,
			MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, DisableCompression: true, MaxResponseHeaderBytes: 32 << 10,
			ForceAttemptHTTP2: true, // over TLS: it sends the token and the other headers once, which are a third of a small pack
			HTTP2:             &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		}
	}
	return &overHTTP{HTTP: o, client: &http.Client{Transport: o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

type overHTTP struct {
	HTTP
	client *http.Client
}

// Send implements Centre.
func (h *overHTTP) Send(ctx context.Context, m Message) (Answer, error) {
	note, err := h.post(ctx, m.Pack)
	return Answer{Note: note}, err
}

// post sends a pack and returns the centre's note. The error is a *RefusedError if sending the same
// again would not help.
func (h *overHTTP) post(ctx context.Context, sent []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout+time.Duration(len(sent)/slowest)*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/forward", bytes.NewReader(sent))
	if err != nil {
		return "", err
	}
	r.Header.Set("User-Agent", "segraph")
	r.Header.Set("Content-Type", pack.MediaType)
	if h.TokenFile != "" {
		token, err := os.ReadFile(h.TokenFile)
		if err != nil {
			return "", fmt.Errorf("reading SEGRAPH_FORWARD_TOKEN_FILE: %w", err)
		}
		r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	got, err := h.client.Do(r)
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the status has the URL already
	}
	if err != nil {
		return "", err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("its answer broke off: %w", err)
	}
	switch got.StatusCode {
	case http.StatusOK:
		return string(text), nil
	}
	detail := fmt.Sprintf("it answered %d: %.300s", got.StatusCode, said(got.Header.Get("Content-Type"), text))
	switch got.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		return "", &RefusedError{Detail: detail}
	}
	return "", errors.New(detail)
}

// said returns what an answer says for people.
func said(contentType string, text []byte) string {
	var problem struct{ Detail string }
	if kind, _, _ := mime.ParseMediaType(contentType); kind == "application/problem+json" && json.Unmarshal(text, &problem) == nil {
		return problem.Detail
	}
	return string(text)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
