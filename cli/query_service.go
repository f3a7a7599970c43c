package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/results"
)

// mediaOf returns the media type to request for a form. A table is made from JSON.
func mediaOf(form string) string {
	if f, ok := formatNames[form]; ok {
		return service.RDFOf(f).Media
	}
	f, _ := results.FormatNamed(form) // JSON if the form has none
	return f.MediaType()
}

// askService sends a query to a running service (SPARQL 1.1 Protocol, section 2.1.3) and
// prints its answer as it comes.
func (p *program) askService(ctx context.Context, c *config.Config, text string, q *sparql.Query, form string) error {
	return postQuery(ctx, c, "/query", text, mediaOf(form), func(body io.Reader) error {
		if form == "table" {
			return copyRows(body, newPrinter(p.stdout, form, q.Syntax().Prologue.Prefixes))
		}
		_, err := io.Copy(p.stdout, body)
		return err
	})
}

// postQuery sends the text of a query to a path of the service, and calls read with the
// body of the answer.
func postQuery(ctx context.Context, c *config.Config, path, text, accept string, read func(io.Reader) error) error {
	token, err := tokenOf(c)
	if err != nil {
		return err
	}
	return serviceCall{http.MethodPost, path, "application/sparql-query", text, accept, token, http.StatusOK, nil}.do(ctx, c.URL, read)
}

// serviceCall is a request to the API of a running service.
type serviceCall struct {
	method, path      string
	contentType, body string // may be ""
	accept            string
	token             string       // may be ""
	status            int          // the expected status of the answer
	here              http.Handler // the API in this process, in place of a running service, or nil
}

// do sends the request to the service at url, and calls read with the body of the answer.
func (call serviceCall) do(ctx context.Context, url string, read func(io.Reader) error) error {
	base := strings.TrimSuffix(url, "/")
	request, err := http.NewRequestWithContext(ctx, call.method, base+call.path, strings.NewReader(call.body))
	if err != nil {
		return fmt.Errorf("asking %s: %w", base, err)
	}
	if call.contentType != "" {
		request.Header.Set("Content-Type", call.contentType)
	}
	request.Header.Set("Accept", call.accept)
	if call.token != "" {
		request.Header.Set("Authorization", "Bearer "+call.token)
	}
	client := serviceClient()
	defer client.CloseIdleConnections()
	send := client.Do
	if call.here != nil {
		send = func(r *http.Request) (*http.Response, error) { return answerOf(call.here, r), nil }
	}
	response, err := send(request)
	if err != nil {
		return fmt.Errorf("querying the service: %w", err) // names the URL
	}
	defer response.Body.Close()
	if response.StatusCode != call.status {
		return refusal(base, response)
	}
	if err := read(response.Body); err != nil {
		return fmt.Errorf("reading the answer of %s: %w", base, err)
	}
	return nil
}

// longestSilence is how long an answer may not come, or stop coming.
const longestSilence = 10 * time.Minute

// serviceClient returns a client for one service. It sends the token to this alone, and gives up after longestSilence.
func serviceClient() *http.Client {
	return &http.Client{Transport: impatient{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// impatient is http.DefaultTransport with a limit on silence.
type impatient struct{}

func (impatient) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(longestSilence, func() { cancel(fmt.Errorf("nothing came for %v", longestSilence)) })
	response, err := http.DefaultTransport.RoundTrip(r.WithContext(ctx))
	timer.Stop()
	if err != nil {
		defer cancel(nil)
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	response.Body = &attended{response.Body, timer, ctx, cancel}
	return response, nil
}

func (impatient) CloseIdleConnections() {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// attended is the body of an answer. The timer runs only while it is read, which may be seldom.
type attended struct {
	io.ReadCloser
	timer  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (a *attended) Read(p []byte) (n int, err error) {
	a.timer.Reset(longestSilence)
	defer a.timer.Stop()
	if n, err = a.ReadCloser.Read(p); err != nil && err != io.EOF {
		err = cmp.Or(context.Cause(a.ctx), err)
	}
	return n, err
}

func (a *attended) Close() error {
	defer a.cancel(nil)
	return a.ReadCloser.Close()
}

// tokenOf returns the token to send, or "".
func tokenOf(c *config.Config) (string, error) {
	if c.TokenFile == "" {
		return strings.TrimSpace(c.Token), nil
	}
	text, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := string(bytes.TrimSpace(text))
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return "", &config.Error{Msg: c.TokenFile + " does not contain a token", Hint: "Create one with `segraph token`."}
	}
	return token, nil
}

// answered is a refusal with its status.
type answered struct {
	status int
	error
}

// refusal returns an error with the reason that a service gives for a refusal.
func refusal(base string, response *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("asking %s: %s: %w", base, response.Status, err)
	}
	var problem struct{ Detail string }
	if json.Unmarshal(body, &problem) != nil || problem.Detail == "" {
		problem.Detail = "it gives no reason; is that the API of a segraph service?"
	}
	if base == "" { // the API in this process
		return answered{response.StatusCode, errors.New(printable(problem.Detail))}
	}
	err = answered{response.StatusCode, fmt.Errorf("%s answers %s: %s", base, response.Status, printable(problem.Detail))}
	if response.StatusCode == http.StatusUnauthorized {
		return errors.Join(err, errors.New("set SEGRAPH_TOKEN to a token, or use --token-file"))
	}
	return err
}

// copyRows prints an answer received as JSON.
func copyRows(in io.Reader, out printer) error {
	r, err := results.NewReader(in)
	if err != nil {
		return err
	}
	if value, ok := r.Boolean(); ok {
		return errors.Join(out.Boolean(value), out.Close())
	}
	if err := out.Head(r.Vars()); err != nil {
		return err
	}
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out.Close()
		}
		if err != nil {
			return errors.Join(err, out.Close()) // print the rows so far, and the error
		}
		if err := out.Row(row); err != nil {
			return err
		}
	}
}
