package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/segraph/segraph/store"
)

// Times that the server has.
const (
	dialTime   = 1500 * time.Millisecond // to take a connection
	probeTime  = 1500 * time.Millisecond // to answer that it is there
	updateTime = 20 * time.Second        // for an update, and as much again for each 10,000 triples
	resetTime  = 10 * time.Minute        // to empty a graph
)

// Media types.
const (
	mediaForm    = "application/x-www-form-urlencoded"
	mediaTurtle  = "text/turtle"
	mediaResults = "application/sparql-results+json"
)

// client speaks the protocols. Every request has a connection of its own: with some
// servers an answer on a connection that stays open waits 40 ms for an acknowledgement,
// and a connection that broke meanwhile would be taken for a server that did.
type client struct {
	config  Config
	http    *http.Client
	secrets *secrets
}

func newClient(c Config) *client {
	transport := c.Transport
	if transport == nil {
		transport = &http.Transport{
			DialContext:        (&net.Dialer{Timeout: dialTime}).DialContext,
			DisableKeepAlives:  true,
			DisableCompression: true,
			ForceAttemptHTTP2:  false,
		}
	}
	return &client{
		config: c, secrets: &secrets{user: c.User, password: c.Password},
		// A password goes to the server that was named and to no other.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// RefusalError is what a server says that does not do what it was asked.
type RefusalError struct {
	Status int
	Text   string // the beginning of what it says
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("the graph store answers %d: %s", e.Status, e.Text)
}

// send sends a request, again with the password where that is asked for, and gives the
// answer if it is a good one. Else the error is a *RefusalError, or wraps
// store.ErrUnavailable or ctx's.
func (c *client) send(ctx context.Context, method, address, contentType, accept string, body []byte) (*http.Response, error) {
	for try := 0; ; try++ {
		request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("asking the graph store: %w", err)
		}
		request.Header.Set("User-Agent", "segraph")
		if contentType != "" {
			request.Header.Set("Content-Type", contentType)
		}
		if accept != "" {
			request.Header.Set("Accept", accept)
		}
		c.secrets.authorize(request)
		response, err := c.http.Do(request)
		if err != nil {
			return nil, c.broken(ctx, err)
		}
		switch {
		case response.StatusCode >= 200 && response.StatusCode < 300:
			return response, nil
		case response.StatusCode == http.StatusUnauthorized && c.config.User != "":
			text := start(response)
			if c.secrets.challenge(response.Header.Values("WWW-Authenticate")) && try < 2 {
				continue
			}
			return nil, c.unauthorized(text)
		case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
			return nil, c.unauthorized(start(response))
		case response.StatusCode == http.StatusServiceUnavailable || response.StatusCode == http.StatusBadGateway || response.StatusCode == http.StatusGatewayTimeout:
			return nil, &store.UnreadyError{Detail: fmt.Sprintf("%s answers %s", c.config.Product, response.Status), Err: errors.New(start(response))}
		}
		return nil, &RefusalError{Status: response.StatusCode, Text: start(response)}
	}
}

// broken returns the error of a request that came to nothing.
func (c *client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which is in the log already
	}
	if errors.Is(err, io.EOF) { // to whoever reads an answer it would be a good end
		err = errors.New("it closed the connection without an answer")
	}
	return &store.UnreadyError{Detail: c.config.Product + " can't be reached", Err: err}
}

// errLogin is the cause of errors of a server that refuses the password. Trying again
// soon does not help.
var errLogin = errors.New("the login is refused")

// unauthorized returns the error of a server that refuses the user or the password.
func (c *client) unauthorized(text string) error {
	detail := c.config.Product + " wants a user and a password, and none is set"
	if c.config.User != "" {
		detail = fmt.Sprintf("%s refuses the user %s with the password in TRIPLESTORE_PASSWORD", c.config.Product, c.config.User)
		if advice := c.config.Dialect.LoginAdvice(c.config.Password); advice != "" {
			detail += ". " + advice
		}
	}
	return &store.UnreadyError{Detail: detail, Err: fmt.Errorf("%w: %s", errLogin, text)}
}

// start returns the beginning of an answer as one line, and lets go of it.
func start(r *http.Response) string {
	defer r.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(r.Body, 2000)) // what came is enough
	return strings.Join(strings.Fields(string(text)), " ")
}

// done reads what is left of an answer, which says nothing, and lets go of it. A
// connection that breaks before its end leaves open whether all was done.
func (c *client) done(ctx context.Context, r *http.Response) error {
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return c.broken(ctx, err)
	}
	return nil
}

// query asks a query; the answer is SPARQL results as JSON.
func (c *client) query(ctx context.Context, form url.Values) (*http.Response, error) {
	return c.send(ctx, http.MethodPost, c.config.Query, mediaForm, mediaResults, []byte(form.Encode()))
}

// update carries out an update (SPARQL 1.1 Protocol, section 2.2.2).
func (c *client) update(ctx context.Context, text string) error {
	return c.write(ctx, c.config.Update, "application/sparql-update", "", []byte(text))
}

// queryAsWriter asks a query where updates are taken, with the password, and does not
// read its answer.
func (c *client) queryAsWriter(ctx context.Context, text string) error {
	return c.write(ctx, c.config.Update, mediaForm, mediaResults, []byte(url.Values{"query": {text}}.Encode()))
}

// Times between two tries of what a server has undone.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 2 * time.Second
)

// write sends what changes something, again while the server says that it would do it
// another time.
func (c *client) write(ctx context.Context, address, contentType, accept string, body []byte) error {
	for pause := firstPause; ; pause *= 2 {
		r, err := c.send(ctx, http.MethodPost, address, contentType, accept, body)
		var refusal *RefusalError
		switch {
		case err == nil && contentType == mediaTurtle && r.StatusCode == c.config.Dialect.NothingStored:
			return &RefusalError{Status: r.StatusCode, Text: "nothing was stored. " + start(r)}
		case err == nil:
			return c.done(ctx, r)
		case !errors.As(err, &refusal) || !c.config.Dialect.Passing(refusal.Text):
			return err
		case pause > lastPause:
			return &store.UnreadyError{Detail: c.config.Product + " undoes what it is told, again and again", Err: err}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return c.broken(ctx, ctx.Err())
		}
	}
}

// insert adds Turtle to a graph (SPARQL 1.1 Graph Store HTTP Protocol, section 5.5).
func (c *client) insert(ctx context.Context, graph string, text []byte) error {
	address := c.config.GraphStore + "?" + c.config.Dialect.GraphParameter + "=" + url.QueryEscape(graph)
	return c.write(ctx, address, mediaTurtle, "", text)
}

// probe asks whether the server is there.
func (c *client) probe(ctx context.Context) error {
	r, err := c.query(ctx, url.Values{"query": {"ASK {}"}})
	if err != nil {
		return err
	}
	return c.done(ctx, r)
}
