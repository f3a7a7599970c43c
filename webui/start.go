package webui

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/clients"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/internal/auth"
	"github.com/segraph/segraph/internal/museum"
	"github.com/segraph/segraph/internal/vocabulary"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
)

// The programs that connect a robot. @API@ and @UI@ stand for the addresses of the API and the
// web UI.
var (
	//go:embed snippets/robot.py
	pythonProgram string
	//go:embed snippets/robot.cpp
	cppProgram string
	//go:embed snippets/robot_ros.py
	rosProgram string
)

// clientPath is where robots download their client. Anyone may: it has no data. header is that of C++.
const (
	clientPath = "/clients/"
	header     = "segraph.hpp"
)

// start returns the ways to begin with an empty store.
func (u *UI) start(r *http.Request, v *visit) views.Start {
	admin := v.actor.Is(auth.Admin)
	here := u.front.Address(r)
	at := strings.NewReplacer("@API@", here+"/api", "@UI@", here)
	wheel, _ := clients.Python()
	install := "pip install " + quote(here+clientPath+wheel) + "\n"
	return views.Start{MayPlay: admin, Insert: admin, Publish: u.firstLog(r), Robots: []views.Program{
		{Name: "Python", File: "robot.py", Text: at.Replace(pythonProgram), Run: install + "python3 robot.py"},
		{Name: "ROS 2", File: "robot_ros.py", Text: at.Replace(rosProgram), Run: install + "python3 robot_ros.py"},
		{Name: "C++", File: "robot.cpp", Text: at.Replace(cppProgram), Run: "curl -O " + quote(here+clientPath+header) + "\ng++ -std=c++17 robot.cpp -o robot -lcurl -pthread && ./robot"},
	}}
}

// getConnect shows how to connect a robot, and what has arrived.
func (u *UI) getConnect(w http.ResponseWriter, r *http.Request, v *visit) error {
	arrived, err := u.arrivals(r.Context())
	if err != nil {
		return err
	}
	f := u.frame(r, v, "Connect a robot")
	f.Refresh = 5
	return u.show(w, r, http.StatusOK, views.ConnectPage(f, u.start(r, v), arrived))
}

// getArrival shows what has arrived, for the script of /connect.
func (u *UI) getArrival(w http.ResponseWriter, r *http.Request, v *visit) error {
	front.Quiet(r)
	arrived, err := u.arrivals(r.Context())
	if err != nil {
		return err
	}
	return u.show(w, r, http.StatusOK, views.Arrival(arrived))
}

// arrivals reports whether the store has an activity, and its newest logs.
func (u *UI) arrivals(ctx context.Context) (views.Arrivals, error) {
	m := views.Arrivals{Now: u.config.Now()}
	rows, err := u.ask(ctx, "SELECT ?a { ?a a <"+vocabulary.SegbLoggedActivity+"> } LIMIT 1")
	if err != nil {
		return m, err
	}
	m.Activities = len(rows) > 0
	page, err := u.service.Logs(ctx, journal.Filter{Action: journal.Insert, Limit: 3}, nil)
	for _, e := range page.Entries {
		m.Logs = append(m.Logs, views.ArrivedLog{ID: e.LogID, User: service.UserOf(e.Entry), At: e.Time, Triples: e.Triples})
	}
	return m, err
}

// client serves the clients of this version.
func (u *UI) client(w http.ResponseWriter, r *http.Request, _ *visit) error {
	wheel, content := clients.Python()
	contentType := "application/zip"
	switch mux.Vars(r)["file"] {
	case wheel:
	case header:
		content, contentType = clients.CPP, "text/plain; charset=utf-8"
	default:
		return front.NewProblem(http.StatusNotFound, "there is no such file; the clients of this version are %s and %s", wheel, header)
	}
	w.Header().Set("Content-Type", contentType)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return nil
}

// getDemo shows what the demo can answer, or offers to play it.
func (u *UI) getDemo(w http.ResponseWriter, r *http.Request, v *visit) error {
	m := views.Demo{}
	var err error
	if m.There, err = u.service.HasDemo(r.Context()); err != nil {
		return err
	}
	u.demo.Store(m.There)
	if m.There {
		if m.Questions, err = u.demoQuestions(r.Context()); err != nil {
			return err
		}
	} else {
		m.Removed = removedWords(r.URL.Query())
		if m.Empty, err = u.service.Empty(r.Context()); err != nil {
			return err
		}
	}
	return u.show(w, r, http.StatusOK, views.DemoPage(u.frame(r, v, "Demo"), m))
}

// demoQuestions returns questions that the demo answers, and the pages that answer them.
func (u *UI) demoQuestions(ctx context.Context) ([]views.DemoQuestion, error) {
	emotion, response := museum.Sadness()
	logs, err := u.demoLogs(ctx, emotion, museum.SeenToo())
	if err != nil {
		return nil, err
	}
	return []views.DemoQuestion{
		{Text: "Who did ARI talk to?", Href: "/reports?section=people&who=" + museum.ARI() + "#people"},
		{Text: "What upset Maria?", Href: whyAddress(emotion)},
		{Text: "Why did ARI comfort her?", Href: whyAddress(response)},
		{Text: "Two robots read her face. Which model did each use, and how sure was it?", Href: whyAddress(emotion) + "#seen"},
		{Text: "Which logs record it?", Links: []views.Link{{Name: "ARI's log", Path: logs[0]}, {Name: "TIAGo's log", Path: logs[1]}}},
		{Text: "Which sentences may be one event?", Href: "/shared-context"},
	}, nil
}

// demoLogs returns the addresses of the logs that say when some activities began.
func (u *UI) demoLogs(ctx context.Context, iris ...string) ([]string, error) {
	out, triples := make([]string, len(iris)), make([]rdf.Triple, len(iris))
	for i, iri := range iris {
		rows, err := u.ask(ctx, "SELECT ?t { <"+iri+"> <"+vocabulary.ProvStartedAtTime+"> ?t }")
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 { // a log of the demo was withdrawn
			out[i] = aboutIRI(iri)
			continue
		}
		triples[i] = rdf.Triple{S: rdf.NewIRI(iri), P: rdf.NewIRI(vocabulary.ProvStartedAtTime), O: rows[0][0]}
		out[i] = tripleLogs(triples[i])
	}
	logs, _, err := u.originsSoon(ctx, triples, time.Time{})
	if err != nil {
		return nil, err
	}
	for i, log := range logs {
		if log.Seq > 0 {
			out[i] = "/log?id=" + url.QueryEscape(log.LogID)
		}
	}
	return out, nil
}

// postDemo plays the demo into the empty store, or removes it.
func (u *UI) postDemo(w http.ResponseWriter, r *http.Request, v *visit) error {
	form, err := u.front.ReceiveForm(w, r)
	if err != nil {
		return err
	}
	defer form.Close()
	to := "/demo"
	switch form.Value("do") {
	case "play":
		err = u.service.PlayDemo(r.Context(), v.actor)
	case "remove":
		gone, failed := u.service.RemoveDemo(r.Context(), v.actor)
		to, err = fmt.Sprintf("/demo?logs=%d&contexts=%d&rejected=%d", gone.Logs, gone.Contexts, gone.Rejected), failed
	default:
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither play nor remove")
	}
	if err != nil {
		return err
	}
	u.redirect(w, r, to)
	return nil
}

// removedWords describes what removing the demo did. q is the query string of the address
// to which postDemo redirects.
func removedWords(q url.Values) string {
	count := func(name string) int {
		n, _ := strconv.Atoi(q.Get(name)) // 0 if it is not a number
		return n
	}
	logs, contexts, rejected := count("logs"), count("contexts"), count("rejected")
	switch {
	case logs == 0:
		return ""
	case contexts > 0:
		return fmt.Sprintf("%s logs and %s contexts are gone.", views.Count(logs), views.Count(contexts))
	}
	return fmt.Sprintf("%s logs are gone. Other robots have reported since, so the contexts stay, and %s open cases are rejected.", views.Count(logs), views.Count(rejected))
}

// firstConversation is a log in JSON-LD: a sentence and its answer. @HEARD@ and @SAID@ stand
// for their times.
//
//go:embed snippets/first.jsonld
var firstConversation string

// firstLog returns a command that publishes a first log.
func (u *UI) firstLog(r *http.Request) views.Command {
	const layout = "2006-01-02T15:04:05Z"
	now := u.config.Now().UTC()
	log := strings.NewReplacer("@HEARD@", now.Add(-2*time.Second).Format(layout), "@SAID@", now.Format(layout)).Replace(firstConversation)
	return u.command(r, auth.Logger, "/ttl?user=rio", "-H 'Content-Type: application/ld+json'", "--data-raw "+quote(strings.TrimSpace(log)))
}
