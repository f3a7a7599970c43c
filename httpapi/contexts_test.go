package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/weigh"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/log/journal"
)

// scriptedContexts is a Contexts that records its arguments and returns what a test sets.
type scriptedContexts struct {
	err error // returned by every method

	observation resolver.Observation
	by          string
	entry       journal.Entry
	id, target  string
	override    bool
	limit       int
	offset      int
}

func (c *scriptedContexts) Record(_ context.Context, o resolver.Observation, e journal.Entry) (*resolver.Resolution, error) {
	c.observation, c.by = o, e.Actor
	return &resolver.Resolution{
		SharedContextURI: "urn:c:1", Outcome: resolver.Created, Status: resolver.Created, CloseCandidates: []string{},
		Explanation: resolver.Explanation{Contributions: []resolver.Contribution{{Feature: "prior", Weight: -1.4}}},
	}, c.err
}

func (c *scriptedContexts) Reconcile(_ context.Context, e journal.Entry) (*resolver.Reconciliation, error) {
	c.entry = e
	return &resolver.Reconciliation{Mappings: map[string]string{"urn:c:2": "urn:c:1"}}, c.err
}

func (c *scriptedContexts) Pending(_ context.Context, limit, offset int, _ *resolver.Room) (*resolver.Queue, error) {
	c.limit, c.offset = limit, offset
	view := resolver.ContextView{URI: "urn:c:1", Status: "active", Observations: []resolver.ObservationView{{ObservedAt: "2026-01-01T00:00:00Z"}}}
	return &resolver.Queue{
		UnresolvedContexts: []resolver.ContextView{view}, Contexts: []resolver.ContextView{view},
		PendingCases: []resolver.CaseView{{CaseID: "review_1", Status: "pending", Reason: weigh.SubjectMissing, Candidates: []resolver.CandidateView{{
			ContextURI: "urn:c:1", Contributions: []resolver.Contribution{{Feature: "prior", Weight: -1.4}},
		}}}},
	}, c.err
}

func (c *scriptedContexts) Accept(_ context.Context, id, target string, override bool, e journal.Entry) (*resolver.Verdict, error) {
	c.id, c.target, c.override, c.entry = id, target, override, e
	return &resolver.Verdict{CaseID: id, Status: "accepted", SupersededCases: []string{}}, c.err
}

func (c *scriptedContexts) Reject(_ context.Context, id string, e journal.Entry) (*resolver.Verdict, error) {
	c.id, c.entry = id, e
	return &resolver.Verdict{CaseID: id, Status: "rejected", SupersededCases: []string{}}, c.err
}

func (c *scriptedContexts) Undo(_ context.Context, id string, e journal.Entry) (*resolver.Reversal, error) {
	c.id, c.entry = id, e
	return &resolver.Reversal{ReopenedCases: []string{}}, c.err
}

func (c *scriptedContexts) Stats(context.Context) (*resolver.Statistics, error) {
	return &resolver.Statistics{ReusedIDs: resolver.ReusedIDs{Robots: []resolver.RobotReuse{}}, Clock: resolver.ClockStatistics{Robots: []resolver.RobotClock{{RobotURI: "urn:r", Steps: []resolver.ClockStep{}}}},
		Calibration: resolver.CalibrationState{Mode: "off"}, Placeholders: []resolver.Placeholder{{SubjectURI: "urn:s", State: "detected"}}, Relays: []resolver.Relay{{RobotURI: "urn:r", State: "detected"}},
		People: []resolver.SamePerson{{SubjectURIs: [2]string{"urn:s", "urn:t"}, State: "suggested"}}}, c.err
}

func (c *scriptedContexts) Counts(ctx context.Context) (*resolver.Statistics, error) {
	return c.Stats(ctx)
}

func (c *scriptedContexts) NamesOf(subject string) ([]string, error) { return []string{subject}, c.err }

func (c *scriptedContexts) Waiting(context.Context, int) ([]resolver.Waiting, error) {
	return nil, c.err
}

func (c *scriptedContexts) Case(context.Context, string) (*resolver.CaseDetail, error) {
	return nil, c.err
}

func (c *scriptedContexts) Context(_ context.Context, uri string, limit, offset int) (*resolver.ContextDetail, error) {
	c.id, c.limit, c.offset = uri, limit, offset
	return &resolver.ContextDetail{Context: resolver.ContextView{URI: uri, Status: "active", Observations: []resolver.ObservationView{}},
		Limit: limit, KeptSeparate: []string{}, PendingCases: []string{}}, c.err
}

func (c *scriptedContexts) Merges(context.Context, string) ([]resolver.Judgement, error) {
	return nil, c.err
}

func (c *scriptedContexts) History(context.Context, string, int) ([]resolver.Judgement, error) {
	return nil, c.err
}

func (c *scriptedContexts) Batch(context.Context, string) ([]resolver.BatchDecision, error) {
	return nil, c.err
}

func (c *scriptedContexts) Reviews(context.Context, int) ([]resolver.Review, bool, error) {
	return nil, false, c.err
}

func (c *scriptedContexts) DecideSubject(_ context.Context, subject string, person bool, e journal.Entry) (*resolver.Placeholder, error) {
	c.target, c.override, c.entry = subject, person, e
	return &resolver.Placeholder{SubjectURI: subject, State: "confirmed"}, c.err
}

func (c *scriptedContexts) ConfirmClock(_ context.Context, robot string, offset *int64, e journal.Entry) (*resolver.RobotClock, error) {
	c.target, c.override, c.entry = robot, offset != nil, e
	return &resolver.RobotClock{RobotURI: robot, Steps: []resolver.ClockStep{}}, c.err
}

func (c *scriptedContexts) RevokeClock(_ context.Context, robot string, e journal.Entry) (*resolver.RobotClock, error) {
	c.target, c.entry = robot, e
	return &resolver.RobotClock{RobotURI: robot, Steps: []resolver.ClockStep{}}, c.err
}

func (c *scriptedContexts) DecideRelay(_ context.Context, robot, of string, relay bool, e journal.Entry) (*resolver.Relay, error) {
	c.id, c.target, c.override, c.entry = robot, of, relay, e
	return &resolver.Relay{RobotURI: robot, Of: of, State: "accepted"}, c.err
}

func (c *scriptedContexts) DecidePerson(_ context.Context, d resolver.PersonDecision, e journal.Entry) (*resolver.Person, error) {
	c.target, c.override, c.entry = d.Subjects[0], d.One, e
	return &resolver.Person{SubjectURIs: d.Subjects, Before: d.Subjects[:1], DryRun: d.Dry}, c.err
}

func (c *scriptedContexts) People(context.Context) (map[string][]string, error) { return nil, c.err }

const sighting = `{"event_kind":"human_utterance","observed_at":"2026-02-11T09:12:13.150Z","subject_uri":"https://ex/human/maria",
"modality":"speech","text":"Could you show me climate news?","observation_uri":"https://ex/msg/1","robot_uri":"https://ex/robot/ari","time_window_seconds":2.5}`

func TestAnObservationIsReadInEveryFormThatClientsSend(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	whole := resolver.Observation{EventKind: "human_utterance", ObservedAt: "2026-02-11T09:12:13.150Z", SubjectURI: "https://ex/human/maria",
		Modality: "speech", Text: "Could you show me climate news?", ObservationURI: "https://ex/msg/1", RobotURI: "https://ex/robot/ari", TimeWindowSeconds: 2.5}
	for _, c := range []struct {
		name, body string
		want       resolver.Observation
	}{
		{"all members", sighting, whole},
		{"shorter names", strings.NewReplacer("observed_at", "timestamp", "subject_uri", "subject", "robot_uri", "robot").Replace(sighting), whole},
		{"null and empty", `{"event_kind":"a","observed_at":"b","subject_uri":null,"subject":"","text":"","time_window_seconds":null}`,
			resolver.Observation{EventKind: "a", ObservedAt: "b"}},
		{"a time as a number", `{"event_kind":"a","observed_at":1770801133.150,"received_at":{}}`, resolver.Observation{EventKind: "a", ObservedAt: "1770801133.150"}},
		{"a time as a number with an exponent", `{"event_kind":"a","timestamp":1.7708e9}`, resolver.Observation{EventKind: "a", ObservedAt: "1770800000"}},
		{"unknown members", `{"event_kind":"a","observed_at":"b","language":["en"],"extra":{"text":1}}`,
			resolver.Observation{EventKind: "a", ObservedAt: "b"}},
	} {
		w := s.do(t, call{method: "POST", path: "/shared-context/resolve", body: c.body})
		if w.Code != http.StatusOK || s.contexts.observation != c.want || s.contexts.by != "anonymous_user" {
			t.Errorf("%s: %d, read as %+v by %q", c.name, w.Code, s.contexts.observation, s.contexts.by)
		}
	}
}

func TestAnInvalidObservationNamesTheMember(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for member, body := range map[string]string{
		"event_kind":          `{"event_kind":3,"observed_at":"b"}`,
		"observed_at":         `{"event_kind":"a","observed_at":["b"]}`,
		"timestamp":           `{"event_kind":"a","timestamp":1e300}`,
		"text":                `{"event_kind":"a","observed_at":"b","text":{"en":"x"}}`,
		"subject":             `{"event_kind":"a","observed_at":"b","subject":true}`,
		"robot_uri":           `{"event_kind":"a","observed_at":"b","robot_uri":"x","robot_uri":"y"}`,
		"modality":            `{"event_kind":"a","observed_at":"b","modality":"\ud800"}`,
		"time_window_seconds": `{"event_kind":"a","observed_at":"b","time_window_seconds":"3"}`,
	} {
		p := wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/resolve", body: body}), 422, member)
		if len(p.Errors) != 1 || p.Errors[0].Loc[1] != member {
			t.Errorf("%s: %+v", member, p.Errors)
		}
	}
	for _, window := range []string{"0", "1e999", "-0"} {
		body := `{"event_kind":"a","observed_at":"b","time_window_seconds":` + window + `}`
		wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/resolve", body: body}), 422, "time_window_seconds")
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/resolve", body: `{`}), 422, "not JSON")
	wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/resolve", body: `{}`, contentType: "text/plain"}), 415, "JSON")
}

func TestResolverErrorsHaveTheirStatusAndCode(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	accept := call{method: "POST", path: "/shared-context/review/review_1/accept"}
	for code, status := range map[resolver.Code]int{
		resolver.Invalid: 422, resolver.TargetNotOffered: 422, resolver.CaseNotFound: 404,
		resolver.CaseDecided: 409, resolver.CaseSuperseded: 409, resolver.CaseRejected: 409, resolver.NotUndoable: 409,
	} {
		s.contexts.err = &resolver.Error{Code: code, Detail: "the words of it"}
		if p := wantProblem(t, s.do(t, accept), status, "words of it"); p.Code != string(code) {
			t.Errorf("the code is %q, want %q", p.Code, code)
		}
	}
	s.contexts.err = &resolver.Error{Code: resolver.CaseSuperseded, Detail: "x", CurrentContext: "urn:c:9"}
	if p := wantProblem(t, s.do(t, accept), 409, "X"); p.CurrentContext != "urn:c:9" {
		t.Errorf("the current context is %q", p.CurrentContext)
	}
	s.contexts.err = &resolver.Error{Code: resolver.Invalid, Detail: "x", Member: "observed_at"}
	p := wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/resolve", body: sighting}), 422, "X")
	if len(p.Errors) != 1 || p.Errors[0].Loc[1] != "observed_at" {
		t.Errorf("the faults are %+v", p.Errors)
	}
	s.contexts.err = &resolver.Error{Code: resolver.Invalid, Detail: "observed_at is missing", Member: "observed_at"}
	wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/resolve", body: sighting}), 422, "observed_at is missing.")
	s.contexts.err = store.ErrUnavailable
	wantProblem(t, s.do(t, accept), 503, "not available")
	s.contexts.err = store.ErrDiskFull
	wantProblem(t, s.do(t, accept), 507, "nothing of the request was stored")
}

func TestAcceptTakesATargetOrNothing(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for _, c := range []struct {
		name, body, contentType, target string
		override                        bool
	}{
		{"no body", "", "", "", false},
		{"no body, JSON announced", "", "application/json", "", false},
		{"an empty object", "{}", "", "", false},
		{"null", `{"target_context_uri":null,"override_rejection":null}`, "", "", false},
		{"a target", `{"target_context_uri":"urn:c:3"}`, "", "urn:c:3", false},
		{"against a rejection", `{"target_context_uri":"urn:c:3","override_rejection":true}`, "", "urn:c:3", true},
	} {
		w := s.do(t, call{method: "POST", path: "/shared-context/review/review_7/accept", body: c.body, contentType: c.contentType})
		if w.Code != 200 || s.contexts.id != "review_7" || s.contexts.target != c.target || s.contexts.override != c.override {
			t.Errorf("%s: %d, %q, %q, %v", c.name, w.Code, s.contexts.id, s.contexts.target, s.contexts.override)
		}
	}
	for _, body := range []string{`{"target_context_uri":3}`, `{"override_rejection":"yes"}`, `[]`, `{`} {
		wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/review/review_7/accept", body: body}), 422, "")
	}
	wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/review/review_7/accept", body: "x", contentType: "text/plain"}), 415, "JSON")
}

// A misspelt member would decide something else than the client meant.
func TestDecisionsAndAdministrationRefuseUnknownMembers(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	review := "/shared-context/review/review_7/"
	for _, c := range []struct{ path, body, unknown string }{
		{review + "accept", `{"candidate_uri":"urn:c:3"}`, "candidate_uri"},
		{review + "accept", `{"target_context_uri":"urn:c:3","override":true}`, "override"},
		{review + "accept", `{"Target_context_uri":"urn:c:3"}`, "Target_context_uri"},
		{review + "reject", `{"target_context_uri":"urn:c:3"}`, "target_context_uri"},
		{review + "undo", `{"decision_id":"x"}`, "decision_id"},
		{"/shared-context/reconcile", `{"dry_run":true}`, "dry_run"},
		{"/shared-context/subjects", `{"subject_uri":"urn:s","person":true,"of":"urn:t"}`, "of"},
		{"/shared-context/people", `{"subject_uris":["urn:a","urn:b"],"one_person":true,"dry":true}`, "dry"},
		{"/shared-context/clocks/confirm", `{"robot_uri":"urn:r","offset":5100}`, "offset"},
		{"/shared-context/relays", `{"robot_uri":"urn:r","relay":true,"relays":"urn:q"}`, "relays"},
		{"/admin/revocations", `{"jti":"x","user":"eva"}`, "user"},
		{"/admin/keys", `{"user":"ari","public_key":"x","until":"2027-01-01"}`, "until"},
		{"/admin/keys/ed25519-1/remove", `{"reason":"lost"}`, "reason"},
		{"/admin/holds", `{"person":"urn:p","reason":"a case","ends":"2027-01-01"}`, "ends"},
	} {
		s.contexts.id, s.contexts.entry = "", journal.Entry{}
		p := wantProblem(t, s.do(t, call{method: "POST", path: c.path, body: c.body}), 422, `"`+c.unknown+`" is unknown`)
		if len(p.Errors) != 1 || p.Errors[0].Loc[1] != c.unknown {
			t.Errorf("%s %s: the faults are %+v", c.path, c.body, p.Errors)
		}
		if s.contexts.id != "" || s.contexts.entry.LogID != "" {
			t.Errorf("%s %s: it was carried out", c.path, c.body)
		}
	}
	for _, act := range []string{"reject", "undo"} {
		if w := s.do(t, call{method: "POST", path: review + act, body: " {} "}); w.Code != 200 {
			t.Errorf("%s with an empty object: %d %s", act, w.Code, w.Body)
		}
	}
}

func TestTheJournalNamesTheDecider(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	s := newService(t, func(c *settings) { c.Now = func() time.Time { return now } })
	token, err := s.auth.Issue("eva", []string{"admin"}, time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	for path, action := range map[string]journal.Action{
		"/shared-context/review/review_1/accept": journal.Accept,
		"/shared-context/review/review_1/reject": journal.Reject,
		"/shared-context/review/review_1/undo":   journal.Undo,
		"/shared-context/reconcile":              journal.Reconcile,
	} {
		s.contexts.entry = journal.Entry{}
		if w := s.do(t, call{method: "POST", path: path, token: token, header: map[string]string{"X-Request-ID": "r7"}}); w.Code != 200 {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		e := s.contexts.entry
		if e.LogID == "" || e.Action != action || e.Actor != "eva" || e.RequestID != "r7" || e.Address == "" || !e.Time.Equal(now) {
			t.Errorf("%s is entered as %+v", path, e)
		}
	}
}

func TestTheQueueIsPaged(t *testing.T) {
	t.Parallel()
	s := newOpenService(t)
	for query, want := range map[string][2]int{
		"":                       {50, 0},
		"?limit=1&offset=0":      {1, 0},
		"?limit=20&offset=40":    {20, 40},
		"?limit=1000000":         {10_000, 0},
		"?offset=123456789":      {50, 123456789},
		"?limit=10000&unknown=x": {10_000, 0},
	} {
		w := s.do(t, call{method: "GET", path: "/shared-context/review/pending" + query})
		if got := [2]int{s.contexts.limit, s.contexts.offset}; w.Code != 200 || got != want {
			t.Errorf("%s: %d, limit and offset %v, want %v", query, w.Code, got, want)
		}
	}
	for query, name := range map[string]string{"?limit=0": "limit", "?limit=": "limit", "?limit=x": "limit", "?offset=-1": "offset", "?offset=1.5": "offset",
		"?limit=99999999999999999999": "limit"} {
		wantProblem(t, s.do(t, call{method: "GET", path: "/shared-context/review/pending" + query}), 422, name)
	}
}

func TestATokenForResolvingIsALoggers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	request := call{method: "POST", path: "/shared-context/resolve", body: sighting, token: s.token(t, auth.Auditor)}
	wantProblem(t, s.do(t, request), 403, "logger or admin")
	request.token = s.token(t, auth.Logger)
	if w := s.do(t, request); w.Code != 200 || s.contexts.by != "ari" {
		t.Errorf("%d %s, by %q", w.Code, w.Body, s.contexts.by)
	}
}

// A reconciliation is stored in parts. If the disk fills up in the middle, the error must
// not claim that nothing was stored.
func TestAReconciliationThatFillsTheDiskSaysWhatStays(t *testing.T) {
	t.Parallel()
	contexts := &scriptedContexts{err: fmt.Errorf("apply: %w", store.ErrDiskFull)}
	s := newOpenService(t, func(c *settings) { c.Contexts = contexts })
	p := wantProblem(t, s.do(t, call{method: "POST", path: "/shared-context/reconcile"}), 507, "disk is full")
	if strings.Contains(p.Detail, "nothing") || !strings.Contains(p.Detail, "are kept") {
		t.Error(p.Detail)
	}
}
