package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/service"
)

// A batch of lines that is sent at once.
const (
	batchLines = 200
	batchBytes = 1 << 20 // which a service with little memory takes too
)

// lineAnswer is what the service says about a line.
type lineAnswer struct {
	Status   int
	Added    int
	Repeated bool
	Outcome  string
	Case     *string `json:"case_id"`
	Detail   string
}

// receiver takes what a map finds: the service at --url, or the one of the file.
type receiver struct {
	send   func(ctx context.Context, lines [][]byte) ([]lineAnswer, error) // with an answer for each
	decide func(context.Context, resolver.PersonDecision) (*resolver.Person, error)
}

// longestAnswer is how long the API may take for a batch of lines, or a decision.
const longestAnswer = time.Minute

// withLines calls work with the service at --url, or with that of the file.
func (p *program) withLines(ctx context.Context, c *config.Config, work func(context.Context, receiver) error) error {
	if c.URL != "" {
		return work(ctx, receiverBy(c.URL, func() (string, error) { return tokenOf(c) }, func() (string, error) { return adminToken(c) }, nil))
	}
	own := *c
	own.SecretKey = newSecret()
	return app.Work(ctx, app.Options{Settings: &own, Stderr: io.Discard, Fill: func(ctx context.Context, s *service.Service) error {
		here, token := apiOf(s)
		return work(ctx, receiverBy("", token, token, here))
	}})
}

// again reports whether a line that was refused with a status is to be sent again. After a 500 it is not: the line itself
// may be what fails, and no other would be sent meanwhile.
func again(status int) bool { return status != http.StatusInternalServerError && passing(status) }

// passing reports whether what was refused with a status may be taken later.
func passing(status int) bool {
	return status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests
}

// decidePeople decides what the map says: which names are one person's. Where somebody has decided otherwise, that stands.
// The service may refuse a decision, which is a warning only.
func (p *program) decidePeople(ctx context.Context, m *robotMap, decide func(context.Context, resolver.PersonDecision) (*resolver.Person, error)) error {
	for _, names := range m.People() {
		got, err := decide(ctx, resolver.PersonDecision{Subjects: names, One: true, Reason: m.about, Standing: true})
		refusal := answered{}
		if err != nil && !errors.As(err, &refusal) { // it is no answer: there is no --url, or nobody answered
			refusal.status = front.ProblemOf(err).Status
		}
		refused := err != nil && refusal.status != http.StatusUnauthorized && !passing(refusal.status)
		if err != nil && !refused {
			return fmt.Errorf("deciding on the people of the map: %w", err)
		}
		why := "but somebody has decided otherwise, which stands"
		isOther := func(name string) bool { return !slices.Contains(got.SubjectURIs, name) }
		if refused {
			why = "which an admin has to decide: " + err.Error()
		} else if !slices.ContainsFunc(names, isOther) {
			continue
		}
		fmt.Fprintf(p.stderr, "segraph: warning: the map says that %s are one person, %s\n", printable(strings.Join(names, " and ")), why)
	}
	return nil
}

// receiverBy returns a receiver by the API at a base URL or, if here is not nil, by that.
func receiverBy(base string, token, admin tokens, here http.Handler) receiver {
	return receiver{
		send: func(ctx context.Context, lines [][]byte) (answers []lineAnswer, err error) {
			ctx, stop := context.WithTimeout(ctx, longestAnswer)
			defer stop()
			given, err := token()
			if err != nil {
				return nil, err
			}
			call := serviceCall{http.MethodPost, service.LinesPath, "application/x-ndjson", string(bytes.Join(lines, []byte("\n"))), "application/x-ndjson", given, http.StatusOK, here}
			err = call.do(ctx, base, func(body io.Reader) error {
				for d := json.NewDecoder(body); len(answers) < len(lines); {
					var a lineAnswer
					if err := d.Decode(&a); err != nil {
						return err
					}
					answers = append(answers, a)
				}
				return nil
			})
			return answers, err
		},
		decide: func(ctx context.Context, d resolver.PersonDecision) (out *resolver.Person, err error) {
			ctx, stop := context.WithTimeout(ctx, longestAnswer)
			defer stop()
			body := map[string]any{"subject_uris": d.Subjects, "one_person": d.One, "reason": d.Reason, "decisions_stand": d.Standing}
			err = callerOf(base, admin, here)(ctx, http.MethodPost, service.PeoplePath, body, http.StatusOK, &out)
			return out, err
		},
	}
}

// tally counts what the service said about lines.
type tally struct {
	logs, repeated, added, refused int
	outcomes                       map[string]int
	cases                          map[string]bool
	reason                         string // of the first refusal
}

func newTally() tally { return tally{outcomes: map[string]int{}, cases: map[string]bool{}} }

// send sends lines, and counts what became of them. If they are too large together, it sends them in halves. It keeps the
// first reason for a refusal. After an error, the lines left are to be sent again.
func (t *tally) send(ctx context.Context, to receiver, lines [][]byte) (left [][]byte, err error) {
	answers, err := to.send(ctx, lines)
	if refused := (answered{}); errors.As(err, &refused) && refused.status == http.StatusRequestEntityTooLarge {
		if half := len(lines) / 2; half > 0 {
			if left, err = t.send(ctx, to, lines[:half]); err != nil {
				return slices.Concat(left, lines[half:]), err
			}
			return t.send(ctx, to, lines[half:])
		}
		// A single line is too large, which refuses it for good.
		answers, err = []lineAnswer{{Status: refused.status, Detail: refused.Error()}}, nil
	}
	if err != nil {
		return lines, err
	}
	for i, a := range answers {
		switch {
		case again(a.Status):
			left, err = append(left, lines[i]), answered{a.Status, errors.New(a.Detail)}
			continue
		case a.Status < 200 || a.Status > 299:
			if t.refused++; t.reason == "" {
				t.reason = a.Detail
			}
			continue
		case a.Repeated:
			t.repeated++
		default:
			t.logs, t.added = t.logs+1, t.added+a.Added
			if a.Outcome != "" {
				t.outcomes[a.Outcome]++
			}
		}
		if a.Case != nil {
			t.cases[*a.Case] = true
		}
	}
	return left, err
}

// err returns an error if the service refused logs.
func (t *tally) err() error {
	if t.refused == 0 {
		return nil
	}
	return fmt.Errorf("the service refused %s: %s", several(int64(t.refused), "log", "logs"), printable(t.reason))
}

func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s stored, %s new", several(int64(t.logs), "log", "logs"), triples(int64(t.added)))
	if t.repeated > 0 {
		fmt.Fprintf(&b, "; %s stored before", grouped(int64(t.repeated)))
	}
	compared := t.outcomes["created"] + t.outcomes["matched"] + t.outcomes["ambiguous"]
	if compared > 0 {
		fmt.Fprintf(&b, "\n%s compared with what other robots report: %d new, %d matched, %d to review",
			several(int64(compared), "event", "events"), t.outcomes["created"], t.outcomes["matched"], t.outcomes["ambiguous"])
	}
	return b.String()
}
