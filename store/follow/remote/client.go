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

// Timeouts of requests to the server.
const (
	dialTime   = 1500 * time.Millisecond // to accept a connection
	probeTime  = 1500 * time.Millisecond // to answer a probe
	updateTime = 20 * time.Second        // for an update, plus the same for each 10,000 triples
	resetTime  = 10 * time.Minute        // to clear a graph
)

// Media types.
const (
	mediaForm    = "application/x-www-form-urlencoded"
	mediaTurtle  = "text/turtle"
	mediaResults = "application/sparql-results+json"
)

// client speaks the protocols. Every request uses a new connection. On a reused one,
// answers of some servers wait 40 ms for an acknowledgement, and a broken connection
// would look like an unreachable server.
type client struct {
	config  Config
	http    *http.Client
	secrets *secrets
}

// newClient returns a client of a server, with a new connection for each request.
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
		config: c, secrets: &secrets{user: c.User, password: c.Password, tokenFile: c.TokenFile},
		// Send the password only to the named server.
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// RefusalError is an error status from a server.
type RefusalError struct {
	Status int
	Text   string // the beginning of the answer
}

func (e *RefusalError) Error() string {
	return fmt.Sprintf("the graph store answered %d: %s", e.Status, e.Text)
}

// ofContent reports whether the status says that the request itself can't be accepted.
func (e *RefusalError) ofContent() bool {
	return e.Status == http.StatusBadRequest || e.Status == http.StatusRequestEntityTooLarge || e.Status == http.StatusUnprocessableEntity
}

// send sends a request and returns a successful answer. If the server asks for the
// password, send repeats the request with it. The error is a *RefusalError, wraps
// store.ErrUnavailable, or is the context's.
func (c *client) send(ctx context.Context, method, address, contentType, accept string, body []byte) (*http.Response, error) {
	for try := 0; ; try++ {
		request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
		if err != nil {
			return nil, fmt.Errorf("querying the graph store: %w", err)
		}
		request.Header.Set("User-Agent", "segraph")
		if contentType != "" {
			request.Header.Set("Content-Type", contentType)
		}
		if accept != "" {
			request.Header.Set("Accept", accept)
		}
		if err := c.secrets.authorize(request); err != nil {
			return nil, &store.UnreadyError{Detail: c.config.Product + " needs a login that can't be made", Err: err}
		}
		response, err := c.http.Do(request)
		if err != nil {
			return nil, c.broken(ctx, err)
		}
		switch {
		case response.StatusCode >= 200 && response.StatusCode < 300:
			return response, nil
		case response.StatusCode == http.StatusUnauthorized && c.config.User != "":
			text := start(response)
			if c.secrets.challenge(response.Header) && try < 2 {
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

// broken returns the error of a failed request.
func (c *client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the address, which is already in the log
	}
	if errors.Is(err, io.EOF) { // a reader of answers would take io.EOF for a normal end
		err = errors.New("it closed the connection without an answer")
	}
	return &store.UnreadyError{Detail: c.config.Product + " is unreachable", Err: err}
}

// errLogin is the cause of errors of a server that refuses the password. Retrying soon
// does not help.
var errLogin = errors.New("the login was refused")

// unauthorized returns the error of a server that refuses the user or the password.
func (c *client) unauthorized(text string) error {
	detail := c.config.Product + " requires a user and a password, but none is set"
	switch {
	case c.config.TokenFile != "":
		detail = c.config.Product + " refuses the token of its token_file"
	case c.config.User != "":
		detail = fmt.Sprintf("%s refuses the user %s with the password in %s", c.config.Product, c.config.User, c.config.PasswordFrom)
		if advice := c.config.Dialect.LoginAdvice(c.config.Password); advice != "" {
			detail += ". " + advice
		}
	}
	return &store.UnreadyError{Detail: detail, Err: fmt.Errorf("%w: %s", errLogin, text)}
}

// start returns the beginning of an answer as one line, and closes the answer.
func start(r *http.Response) string {
	defer r.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(r.Body, 2000)) // use what arrived
	return strings.Join(strings.Fields(string(text)), " ")
}

// done reads the rest of an answer and closes it. If the connection breaks first, it
// returns an error, because it is unknown whether the server did everything.
func (c *client) done(ctx context.Context, r *http.Response) error {
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return c.broken(ctx, err)
	}
	return nil
}

// plain writes the letter u or U after an escaped backslash, as in "C:\\users", as the code of a
// character. A server must replace such codes before it reads strings (SPARQL 1.1, section 19.2), so
// it might take the second backslash and the letter for the beginning of one.
var plain = strings.NewReplacer(`\\u`, `\\\u0075`, `\\U`, `\\\u0055`, `\\`, `\\`)

// query sends a query. The answer is in SPARQL JSON.
func (c *client) query(ctx context.Context, form url.Values) (*http.Response, error) {
	form.Set("query", plain.Replace(form.Get("query")))
	return c.send(ctx, http.MethodPost, c.config.Query, mediaForm, mediaResults, []byte(form.Encode()))
}

// update sends an update (SPARQL 1.1 Protocol, section 2.2.2).
func (c *client) update(ctx context.Context, text string) error {
	return c.write(ctx, c.config.Update, "application/sparql-update", "", []byte(plain.Replace(text)))
}

// queryAsWriter sends a query to the update endpoint, with the password, and discards the
// answer.
func (c *client) queryAsWriter(ctx context.Context, text string) error {
	return c.write(ctx, c.config.Update, mediaForm, mediaResults, []byte(url.Values{"query": {plain.Replace(text)}}.Encode()))
}

// Waits before repeating a change that a server has rolled back.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = 2 * time.Second
)

// errFails is the cause of errors of a server that fails updates, whatever their content. Retrying soon does not help.
var errFails = errors.New("it fails updates")

// errBreaks is the cause of errors of a server that fails an update with status 500, which may be because of its content.
var errBreaks = fmt.Errorf("%w with status 500", errFails)

// failed returns an error whose cause is errFails. It quotes the answer, but does not wrap it.
func failed(answer *RefusalError) error { return fmt.Errorf("%w: %v", errFails, answer) }

// write sends a change, and repeats it while the server reports a temporary failure. The error is a
// *RefusalError only if the server can't accept the content.
func (c *client) write(ctx context.Context, address, contentType, accept string, body []byte) error {
	for pause := firstPause; ; pause *= 2 {
		r, err := c.send(ctx, http.MethodPost, address, contentType, accept, body)
		var refusal *RefusalError
		switch {
		case err == nil && contentType == mediaTurtle && r.StatusCode == c.config.Dialect.NothingStored:
			return &RefusalError{Status: r.StatusCode, Text: "nothing was stored. " + start(r)}
		case err == nil:
			return c.done(ctx, r)
		case !errors.As(err, &refusal):
			return err
		case !c.config.Dialect.Passing(refusal.Text):
			failed500 := refusal.Status == http.StatusInternalServerError
			if rejected := failed500 && c.config.Dialect.Rejects(refusal.Text); rejected || refusal.ofContent() {
				return err
			}
			detail := fmt.Sprintf("%s answers updates with %d %s", c.config.Product, refusal.Status, http.StatusText(refusal.Status))
			if failed500 {
				return &store.UnreadyError{Detail: detail, Err: fmt.Errorf("%w: %v", errBreaks, refusal)}
			}
			return &store.UnreadyError{Detail: detail, Err: failed(refusal)}
		case pause > lastPause:
			return &store.UnreadyError{Detail: c.config.Product + " keeps rolling back updates", Err: failed(refusal)}
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

// probe checks whether the server answers.
func (c *client) probe(ctx context.Context) error {
	r, err := c.query(ctx, url.Values{"query": {"ASK {}"}})
	if err != nil {
		return err
	}
	return c.done(ctx, r)
}
