package reports

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/clients"
	"github.com/segraph/segraph/demo"
	"github.com/segraph/segraph/front"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/journal"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/vocabulary"
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
	//go:embed snippets/robot.map.yaml
	robotMap string
)

// clientPath is where robots download their client. Anyone may: it has no data. header is that of C++.
const (
	clientPath = "/clients/"
	header     = "segraph.hpp"
)

// start returns the ways to begin with an empty store.
func (u *handlers) start(r *http.Request, v *views.Visit) Start {
	admin := v.Actor.Is(auth.Admin)
	here := u.Front.Address(r)
	at := strings.NewReplacer("@API@", here+"/api", "@UI@", here)
	wheel, _ := clients.Python()
	install := "# If pip says \"externally managed\", first:\n# python3 -m venv env && . env/bin/activate\npip install " + views.Quote(here+clientPath+wheel) + "\n"
	return Start{Path: r.URL.Path, With: r.URL.Query().Get("with"), MayPlay: admin, Insert: admin, Publish: u.FirstLog(r), Robots: []Program{
		{Name: "Python", File: "robot.py", Text: at.Replace(pythonProgram), Run: install + "python3 robot.py"},
		{Name: "ROS 2", File: "robot_ros.py", Text: at.Replace(rosProgram), Run: install + "python3 robot_ros.py"},
		{Name: "C++", File: "robot.cpp", Text: at.Replace(cppProgram), Run: "curl -O " + views.Quote(here+clientPath+header) + "\ng++ -std=c++17 robot.cpp -o robot -lcurl -pthread && ./robot"},
		{Name: "Recording", File: "recording.map.yaml", Text: robotMap, Run: at.Replace("segraph import --map recording.map.yaml --dry-run FILE.mcap\nsegraph import --url @API@ --map recording.map.yaml FILE.mcap")},
		{Name: "Bridge", File: "bridge.map.yaml", Text: robotMap, Run: at.Replace("segraph bridge --url @API@ --map bridge.map.yaml ws://ROBOT:8765")},
	}}
}

// getConnect shows how to connect a robot, and what has arrived.
func (u *handlers) getConnect(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	arrived, err := u.arrivals(r.Context())
	if err != nil {
		return err
	}
	f := u.Frame(r, v, "Connect a robot")
	f.Refresh = 5
	m := u.start(r, v)
	m.Robots = slices.Insert(m.Robots, 1, Program{Name: "Shell", Run: m.Publish.Text})
	return u.Show(w, r, http.StatusOK, ConnectPage(f, m, arrived))
}

// getArrival shows what has arrived, for the script of /connect.
func (u *handlers) getArrival(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	front.Quiet(r)
	arrived, err := u.arrivals(r.Context())
	if err != nil {
		return err
	}
	return u.Show(w, r, http.StatusOK, Arrival(arrived))
}

// arrivals reports whether the store has an activity, and its newest logs.
func (u *handlers) arrivals(ctx context.Context) (Arrivals, error) {
	m := Arrivals{Now: u.Config.Now()}
	rows, err := u.Ask(ctx, "SELECT ?a { ?a a <"+vocabulary.SegbLoggedActivity+"> } LIMIT 1")
	if err != nil {
		return m, err
	}
	m.Activities = len(rows) > 0
	page, err := u.Service.Logs(ctx, journal.Filter{Action: journal.Insert, Limit: 3}, nil)
	if err != nil {
		return m, err
	}
	for _, e := range journal.OncePerLog(page.Entries) {
		log, err := u.Service.Log(ctx, e.LogID, 0)
		if err != nil {
			return m, err
		}
		m.Logs = append(m.Logs, ArrivedLog{ID: e.LogID, User: service.UserOf(e.Entry), At: e.Time, Triples: log.Triples()})
	}
	return m, nil
}

// client serves the clients of this version.
func (u *handlers) client(w http.ResponseWriter, r *http.Request, _ *views.Visit) error {
	wheel, content := clients.Python()
	contentType := "application/zip"
	switch mux.Vars(r)["file"] {
	case wheel: // the default
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
func (u *handlers) getDemo(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	m := Demo{}
	var err error
	if m.There, err = u.Service.HasDemo(r.Context()); err != nil {
		return err
	}
	u.Demo.Store(m.There)
	if m.There {
		if m.Questions, err = u.demoQuestions(r.Context()); err != nil {
			return err
		}
	} else {
		m.Removed = removedWords(r.URL.Query())
		if m.Empty, err = u.Service.Empty(r.Context()); err != nil {
			return err
		}
	}
	return u.Show(w, r, http.StatusOK, DemoPage(u.Frame(r, v, "Demo"), m))
}

// demoQuestions returns questions that the demo answers, and the pages that answer them.
func (u *handlers) demoQuestions(ctx context.Context) ([]DemoQuestion, error) {
	emotion, response := demo.Sadness()
	logs, err := u.demoLogs(ctx, emotion, demo.SeenToo())
	if err != nil {
		return nil, err
	}
	noted := "/shared-context"
	notes, err := u.Service.Remarks(func(r service.Remark) bool { return slices.Contains(demo.Notes(), r.Text) })
	if err != nil {
		return nil, err
	}
	if len(notes) > 0 {
		noted += "?" + url.Values{"case": {notes[0].About}}.Encode()
	}
	return []DemoQuestion{
		{Text: "Who did ARI talk to?", Href: "/reports?section=people&who=" + demo.ARI() + "#people"},
		{Text: "What upset Maria?", Href: views.WhyAddress(emotion)},
		{Text: "Why did ARI comfort her?", Href: views.WhyAddress(response)},
		{Text: "Two robots read her face. Which model did each use, and how sure was it?", Href: views.WhyAddress(emotion) + "#seen"},
		{Text: "Which logs record it?", Links: []views.Link{{Name: "ARI’s log", Path: logs[0]}, {Name: "TIAGo’s log", Path: logs[1]}}},
		{Text: "Which sentences may be one event? Two cases are about the same one.", Href: "/shared-context"},
		{Text: "What did the curator note about a case?", Href: noted},
		{Text: "Two robots know one visitor by two names. Which?", Href: "/shared-context/people?" + views.PlainIRIs.Replace(url.Values{"first": demo.TwoNames()[:1]}.Encode())},
		{Text: "Which log was withdrawn, and by whom?", Href: "/logs?kind=withdrawn"},
		{Text: "Somebody outside asks why ARI comforted her. Make a case file of it.", Href: "/case-file?" + views.PlainIRIs.Replace(url.Values{"why": {response}}.Encode())},
	}, nil
}

// demoLogs returns the addresses of the logs that say when some activities began. If a log is not found soon, it
// returns the page that lists the triple's logs; if nothing says when, the page about the activity.
func (u *handlers) demoLogs(ctx context.Context, iris ...string) ([]string, error) {
	out, triples := make([]string, len(iris)), make([]rdf.Triple, len(iris))
	for i, iri := range iris {
		rows, err := u.Ask(ctx, "SELECT ?t { <"+iri+"> <"+vocabulary.ProvStartedAtTime+"> ?t }")
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 { // a log of the demo was withdrawn
			out[i] = views.AboutIRI(iri)
			continue
		}
		triples[i] = rdf.Triple{S: rdf.NewIRI(iri), P: rdf.NewIRI(vocabulary.ProvStartedAtTime), O: rows[0][0]}
		out[i] = views.TripleLogs(triples[i])
	}
	logs, _, err := u.OriginsSoon(ctx, triples, time.Time{}) // of any time
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
func (u *handlers) postDemo(w http.ResponseWriter, r *http.Request, v *views.Visit, form *front.Form) error {
	var err error
	to := "/demo"
	switch form.Value("do") {
	case "play":
		err = u.Service.PlayDemo(r.Context(), v.Actor)
	case "remove":
		gone, failed := u.Service.RemoveDemo(r.Context(), v.Actor)
		to, err = fmt.Sprintf("/demo?logs=%d&contexts=%d&rejected=%d", gone.Logs, gone.Contexts, gone.Rejected), failed
	default:
		return front.NewProblem(http.StatusUnprocessableEntity, "the form says neither play nor remove")
	}
	if err != nil {
		return err
	}
	u.Redirect(w, r, to)
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
	return fmt.Sprintf("%s logs are gone. Other robots have reported since, so the contexts stay, and %s open cases are closed as different.", views.Count(logs), views.Count(rejected))
}
