package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// cutJournal withdraws the first logs, and then fails.
type cutJournal struct {
	service.Journal
	most int // logs that it withdraws
	err  error
}

func (j *cutJournal) WithdrawLogs(ctx context.Context, ids []string, e journal.Entry, each func(store.WithdrawnLog)) error {
	err := j.Journal.WithdrawLogs(ctx, ids[:min(j.most, len(ids))], e, each)
	return errors.Join(err, j.err)
}

// cutFollower fails, or panics.
type cutFollower struct {
	service.Follower
	err    error
	panics bool
}

func (f *cutFollower) WithdrawContexts(ctx context.Context, named []uint64, e journal.Entry) (store.WithdrawnContexts, error) {
	if f.panics {
		panic("as if the process had been killed")
	}
	if f.err != nil {
		return store.WithdrawnContexts{}, f.err
	}
	return f.Follower.WithdrawContexts(ctx, named, e)
}

// An error in the middle of a withdrawal of many logs must not hide which of them are withdrawn: a repeated request
// would choose others.
func TestAWithdrawalThatIsCutShortSaysWhatIsGone(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{"a full disk": store.ErrDiskFull, "no client": context.Canceled} {
		for _, most := range []int{0, 2} {
			t.Run(fmt.Sprint(name, most), func(t *testing.T) {
				t.Parallel()
				cut := &cutJournal{most: most, err: fmt.Errorf("withdrawing: %w", failure)}
				s := newSignedService(t, func(c *settings) { cut.Journal, c.Journal = c.Journal, cut })
				for n := range 4 {
					s.do(t, call{method: "POST", path: "/ttl?user=robot", body: fmt.Sprintf("<urn:s> <urn:p> %d .", n), contentType: "text/turtle", token: s.token(t, auth.Admin)})
				}
				c := call{path: "/logs/withdraw", body: `{"user":"robot"}`}
				w := s.keyed(c, "k")
				if most == 0 {
					if failure == store.ErrDiskFull {
						wantProblem(t, w, 507, "nothing of the request was stored")
					}
					return
				}
				out := asJSON[service.Withdrawal](t, w)
				if w.Code != 200 || len(out.Logs) != 4 || out.Removed != 2 {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
				for i, l := range out.Logs {
					if stays := l.Refused != ""; stays != (i >= most) || stays && strings.Contains(l.Refused, "nothing") {
						t.Errorf("log %d: %+v", i, l)
					}
				}
				cut.most, cut.err = 4, nil
				s.same(w, s.keyed(c, "k"))
				if v, _ := s.file.Version(); v.Triples != 2 {
					t.Errorf("%d triples are left", v.Triples)
				}
			})
		}
	}
}

// A log is withdrawn only if it meets all conditions, whether a query returns ids or IRIs. What would have no effect is refused.
// A query may return more ids than one request withdraws; the oldest logs are first.
func TestLogsAreWithdrawnOnlyIfTheyMeetAllConditions(t *testing.T) {
	t.Parallel()
	s := newSignedService(t, func(c *settings) { c.Queries = c.Graph.(persist.ResolvedGraph).Store })
	admin := s.token(t, auth.Admin)
	var lines, ids []string
	for n := range service.MaxWithdrawn {
		lines = append(lines, fmt.Sprintf(`{"key":"k%d","user":"ari","graph":{"@id":"urn:s%d","urn:p":%d}}`, n, n, n))
	}
	answers := append(s.batch(t, lines...), s.batch(t, `{"key":"k","user":"eve","graph":{"@id":"urn:s","urn:p":1}}`)...)
	for _, a := range answers {
		ids = append(ids, fmt.Sprintf("%q", a.LogID))
	}
	first, last := ids[0], ids[service.MaxWithdrawn]
	withdraw := func(body string) *httptest.ResponseRecorder {
		return s.do(t, call{method: "POST", path: "/logs/withdraw", body: body, token: admin})
	}
	query := func(values ...string) string {
		text, _ := json.Marshal("SELECT ?id { VALUES ?id { " + strings.Join(values, " ") + " } }")
		return `"preview":true,"query":` + string(text)
	}
	for body, want := range map[string][]string{
		`{"user":"eve",` + query(first, last) + `}`:                                           {last},
		`{"user":"eve",` + query("<urn:s0>", "<urn:s>") + `}`:                                 {last},
		`{"from":"9999-01-01T00:00:00Z",` + query(first) + `}`:                                nil,
		`{"kind":"urn:none",` + query(first) + `}`:                                            nil,
		`{` + query(last, `"none"`, first) + `}`:                                              {first, last},
		fmt.Sprintf(`{"after":%d,%s}`, *answers[0].LogIndex+1, query(first, last)):            {last},
		fmt.Sprintf(`{"logs":[%s],"preview":true,"user":"","query":null,"after":null}`, last): {last},
	} {
		w := withdraw(body)
		var got []string
		for _, l := range asJSON[service.Withdrawal](t, w).Logs {
			got = append(got, fmt.Sprintf("%q", l.LogID))
		}
		if w.Code != 200 || !slices.Equal(got, want) {
			t.Errorf("%s: %d %v, want %v", body, w.Code, got, want)
		}
	}
	for _, more := range []string{query(last), `"user":"ari"`, `"from":"2026-01-01T00:00:00Z"`, `"after":1`} {
		wantProblem(t, withdraw(fmt.Sprintf(`{"logs":[%s],%s}`, first, more)), 422, "leave out user")
	}
	page := asJSON[service.Withdrawal](t, withdraw("{"+query(ids...)+"}"))
	if len(page.Logs) != service.MaxWithdrawn || page.Next == nil {
		t.Fatalf("%d logs, next %v", len(page.Logs), page.Next)
	}
	page = asJSON[service.Withdrawal](t, withdraw(fmt.Sprintf(`{"after":%d,%s}`, *page.Next, query(ids...))))
	if len(page.Logs) != 1 || page.Next != nil {
		t.Errorf("%d logs, next %v", len(page.Logs), page.Next)
	}
}

// A request that ends between the withdrawal of a log and that of its contexts gets its answer when it is sent again with its key.
func TestTheWithdrawalOfALogSurvivesAKill(t *testing.T) {
	t.Parallel()
	cut := &cutFollower{panics: true}
	s := newSignedService(t, func(c *settings) { cut.Follower, c.Follower = c.Follower, cut })
	line := s.batch(t, strings.TrimSpace(suite.Line(1, true)))[0]
	c := call{method: "DELETE", path: "/logs/" + line.LogID}
	wantProblem(t, s.keyed(c, "k"), 500, "")
	s.reopen()
	w := s.keyed(c, "k")
	var gone struct{ Contexts store.WithdrawnContexts }
	if err := json.Unmarshal(w.Body.Bytes(), &gone); w.Code != 200 || err != nil || gone.Contexts != (store.WithdrawnContexts{Named: 1}) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	wantProblem(t, s.keyed(c, "another"), 409, "withdrawn")
}

// If the contexts fail, the answer says so. If they don't, their number is in the answer that is kept.
func TestTheAnswerToAWithdrawalIsKeptWithItsContexts(t *testing.T) {
	t.Parallel()
	cut := &cutFollower{}
	s := newSignedService(t, func(c *settings) { cut.Follower, c.Follower = c.Follower, cut })
	lines := s.batch(t, strings.TrimSpace(suite.Line(1, true)), strings.TrimSpace(suite.Line(2, true)))
	c := call{method: "DELETE", path: "/logs/" + lines[0].LogID}
	first := s.keyed(c, "k")
	if gone := asJSON[struct{ Contexts store.WithdrawnContexts }](t, first); gone.Contexts != (store.WithdrawnContexts{Named: 1, Removed: 1}) {
		t.Errorf("%+v", gone)
	}
	s.same(first, s.keyed(c, "k"))
	cut.err = store.ErrDiskFull
	p := wantProblem(t, s.keyed(call{method: "DELETE", path: "/logs/" + lines[1].LogID}, "k"), 507, "the log is withdrawn")
	if strings.Contains(p.Detail, "nothing") {
		t.Error(p.Detail)
	}
	s.reopen()
	s.same(first, s.keyed(c, "k"))
}

// A decision on a relay is stored before the merges that follow from it.
func TestADecisionOnARelayThatFillsTheDiskSaysWhatStays(t *testing.T) {
	t.Parallel()
	contexts := &scriptedContexts{err: fmt.Errorf("apply: %w", store.ErrDiskFull)}
	s := newOpenService(t, func(c *settings) { c.Contexts = contexts })
	p := wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/relays", body: `{"robot_uri":"http://ex/r","relay":true}`}), 507, "disk is full")
	if strings.Contains(p.Detail, "nothing") || !strings.Contains(p.Detail, "are kept") {
		t.Error(p.Detail)
	}
}
