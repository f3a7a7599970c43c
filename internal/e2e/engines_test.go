package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/headroom"
	"github.com/segraph/segraph/internal/suite/servers"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/rdf"
	"github.com/segraph/segraph/store/sparql"
	"github.com/segraph/segraph/store/sparql/budget"
	"github.com/segraph/segraph/store/sparql/results"
	"github.com/segraph/segraph/store/turtle"
)

// engineLimit is the time limit of an answer.
const engineLimit = 30 * time.Second

// anEngine is a query engine.
type anEngine struct {
	name string
	ask  func(text string) (took time.Duration, err error)       // reads all rows
	rows func(text string) (answer []byte, err error)            // answer in SPARQL JSON or N-Triples
	more func() (name string, took time.Duration, reported bool) // a time that the last ask reported; may be nil
	wait func()                                                  // waits until the engine is ready; may be nil
}

// library returns segraph as a Go library, with a copy of the file in dir.
func library(t *testing.T, dir string) anEngine {
	path := filepath.Join(t.TempDir(), "copy.db")
	content, err := os.ReadFile(filepath.Join(dir, "segraph.db"))
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.Open(path, engine.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	t.Cleanup(headroom.Keep(func() int64 { return 40 << 20 })) // collects garbage like the program
	run := func(text string, out sparql.Answer, triple func(rdf.Triple) error) (time.Duration, error) {
		begin := time.Now()
		q, err := sparql.Prepare(context.Background(), text, sparql.Options{})
		if err == nil {
			err = s.Query(context.Background(), q, budget.Limits{Time: engineLimit, Memory: 1 << 30}, out, triple)
		}
		return time.Since(begin), err
	}
	return anEngine{
		name: "segraph",
		ask: func(text string) (time.Duration, error) {
			return run(text, discard{}, func(rdf.Triple) error { return nil })
		},
		rows: func(text string) ([]byte, error) {
			var b bytes.Buffer
			out, triples := results.NewWriter(&b, results.JSON), turtle.NewWriter(&b, turtle.NTriples, nil)
			_, err := run(text, out, func(x rdf.Triple) error { return triples.Write(x.In(rdf.Term{})) })
			if isGraph(text) {
				err = errors.Join(err, triples.Close())
			} else {
				err = errors.Join(err, out.Close())
			}
			return b.Bytes(), err
		},
	}
}

// discard drops an answer.
type discard struct{}

func (discard) Head([]string) error  { return nil }
func (discard) Row([]rdf.Term) error { return nil }
func (discard) Boolean(bool) error   { return nil }

// endpoint returns an engine with a SPARQL endpoint.
func endpoint(name, address string, client *http.Client) anEngine {
	get := func(text string) ([]byte, error) {
		accept := "application/sparql-results+json"
		if isGraph(text) {
			accept = "application/n-triples"
		}
		a, err := try(client, "GET", address+"query="+url.QueryEscape(text), nil, "Accept", accept)
		if err == nil && a.status != http.StatusOK {
			err = fmt.Errorf("%d: %.300s", a.status, a.body)
		}
		return a.body, err
	}
	return anEngine{
		name: name,
		rows: get,
		ask: func(text string) (time.Duration, error) {
			begin := time.Now()
			_, err := get(text)
			return time.Since(begin), err
		},
	}
}

var graphForm = regexp.MustCompile(`(?m)^(CONSTRUCT|DESCRIBE)\b`)

func isGraph(text string) bool { return graphForm.MatchString(text) }

// virtuosoWith returns a Virtuoso that holds the Turtle file at path.
func virtuosoWith(t *testing.T, path string) anEngine {
	v := servers.StartLargeVirtuoso(t, 100_000_000)
	v.Load(t, path, "urn:engines")
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 2 * engineLimit}
	return endpoint("Virtuoso", v.URL+"/sparql?default-graph-uri=urn%3Aengines&", fresh)
}

// worker is a process that runs testdata/analytics/engines.py.
type worker struct {
	t      *testing.T
	python string
	args   []string
	cmd    *exec.Cmd // nil if it must be started
	in     io.WriteCloser
	lines  chan string // closed when it has ended
	frame  float64
}

// python returns a Python engine that holds the Turtle file at path.
func python(t *testing.T, name, path string) anEngine {
	w := &worker{t: t, python: os.Getenv("SEGRAPH_ENGINES"), args: []string{filepath.Join("testdata", "analytics", "engines.py"), name, path, filepath.Join(t.TempDir(), "store")}}
	t.Cleanup(w.stop)
	w.start()
	e := anEngine{
		name: name,
		wait: w.ensure,
		ask: func(text string) (time.Duration, error) {
			a, err := w.answer(text, false)
			return time.Duration(a.MS * float64(time.Millisecond)), err
		},
		rows: func(text string) ([]byte, error) {
			a, err := w.answer(text, true)
			return []byte(a.Rows), err
		},
	}
	if name == "maplib" {
		e.more = func() (string, time.Duration, bool) {
			return "its frame", time.Duration(w.frame * float64(time.Millisecond)), true
		}
	}
	return e
}

func (w *worker) start() {
	w.cmd = exec.Command(w.python, w.args...)
	in, err := w.cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		w.t.Fatalf("starting %q: %v", w.args, err)
	}
	lines := make(chan string)
	w.in, w.lines = in, lines
	go func() {
		defer close(lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			lines <- line
		}
	}()
	if _, err := w.line(10 * time.Minute); err != nil {
		w.t.Fatalf("%q did not load its data: %v", w.args, err)
	}
}

// stop kills the process.
func (w *worker) stop() {
	if w.cmd == nil {
		return
	}
	_ = w.cmd.Process.Kill() // fails only if it has already exited
	for range w.lines {
	}
	_ = w.cmd.Wait() // its exit status does not matter
	w.cmd = nil
}

// ensure starts the process if it has ended.
func (w *worker) ensure() {
	if w.cmd == nil {
		w.start()
	}
}

// line returns the next line of the process's output. It kills the process after limit.
func (w *worker) line(limit time.Duration) (string, error) {
	select {
	case line, ok := <-w.lines:
		if ok {
			return line, nil
		}
		w.stop()
		return "", errors.New("the process ended")
	case <-time.After(limit):
		w.stop()
		return "", fmt.Errorf("no answer in %v", limit)
	}
}

type workerAnswer struct {
	MS    float64 `json:"ms"`
	Frame float64 `json:"frame"`
	Rows  string  `json:"rows"`
	Error string  `json:"error"`
}

func (w *worker) answer(text string, rows bool) (a workerAnswer, err error) {
	w.ensure()
	question, err := json.Marshal(map[string]any{"query": text, "rows": rows})
	if err != nil {
		return a, err
	}
	if _, err := w.in.Write(append(question, '\n')); err != nil {
		w.stop()
		return a, err
	}
	line, err := w.line(engineLimit)
	if err == nil {
		err = json.Unmarshal([]byte(line), &a)
	}
	if err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	w.frame = a.Frame
	return a, err
}

// canonical returns the rows of an answer, sorted and in a form that all engines share:
// numbers have six digits, and all blank nodes are alike. With count it returns only the
// number of rows, because some of the kit's queries require that.
func canonical(answer []byte, graph, count bool) ([]string, error) {
	var rows []string
	if graph {
		for line := range strings.Lines(string(answer)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				rows = append(rows, line)
			}
		}
	} else {
		var parsed struct {
			Boolean *bool
			Results struct{ Bindings []map[string]jsonTerm }
		}
		if err := json.Unmarshal(answer, &parsed); err != nil {
			return nil, err
		}
		if parsed.Boolean != nil {
			return []string{fmt.Sprint(*parsed.Boolean)}, nil
		}
		for _, binding := range parsed.Results.Bindings {
			row := make([]string, 0, len(binding))
			for name, term := range binding {
				row = append(row, name+"="+term.canonical())
			}
			slices.Sort(row)
			rows = append(rows, strings.Join(row, " "))
		}
	}
	slices.Sort(rows)
	if graph {
		rows = slices.Compact(rows)
	}
	if count {
		return []string{fmt.Sprint(len(rows), " rows")}, nil
	}
	return rows, nil
}

// jsonTerm is a term in SPARQL JSON.
type jsonTerm struct {
	Type, Value, Datatype string
	Lang                  string `json:"xml:lang"`
}

var (
	zone  = regexp.MustCompile(`(Z|\+00:00)$`)
	zeros = regexp.MustCompile(`\.0*$|(\.\d*?)0+$`)
)

func (t jsonTerm) canonical() string {
	switch datatype := strings.TrimPrefix(t.Datatype, "http://www.w3.org/2001/XMLSchema#"); {
	case t.Type == "uri" && !strings.HasPrefix(t.Value, "nodeID://"):
		return "<" + t.Value + ">"
	case t.Type == "uri" || t.Type == "bnode":
		return "_:"
	case datatype == "boolean":
		return fmt.Sprint(t.Value == "true" || t.Value == "1")
	case datatype == "dateTime":
		return zeros.ReplaceAllString(zone.ReplaceAllString(t.Value, ""), "$1")
	case datatype == "string" || datatype == "" || t.Lang != "":
		return fmt.Sprintf("%q@%s", t.Value, strings.ToLower(t.Lang))
	default:
		if number, err := strconv.ParseFloat(t.Value, 64); err == nil {
			return fmt.Sprintf("%.6g", number)
		}
		return fmt.Sprintf("%q^^%s", t.Value, datatype)
	}
}

func TestAnswersOfEnginesHaveOneForm(t *testing.T) {
	answer := func(bindings string) string { return `{"results":{"bindings":[` + bindings + `]}}` }
	const xsd = `,"type":"literal","datatype":"http://www.w3.org/2001/XMLSchema#`
	for _, tt := range []struct{ a, b string }{
		{`{"n":{"value":"1.50"` + xsd + `decimal"}}`, `{"n":{"value":"1.5000000001"` + xsd + `double"}}`},
		{`{"t":{"value":"2025-01-06T10:00:30.000Z"` + xsd + `dateTime"}}`, `{"t":{"value":"2025-01-06T10:00:30+00:00"` + xsd + `dateTime"}}`},
		{`{"t":{"value":"2025-01-06T10:00:30.950Z"` + xsd + `dateTime"}}`, `{"t":{"value":"2025-01-06T10:00:30.95"` + xsd + `dateTime"}}`},
		{`{"x":{"value":"b1","type":"bnode"}}`, `{"x":{"value":"nodeID://b10000","type":"uri"}}`},
		{`{"x":{"value":"a","type":"literal","xml:lang":"EN"}},{"y":{"value":"b","type":"uri"}}`, `{"y":{"value":"b","type":"uri"}},{"x":{"value":"a","type":"literal","xml:lang":"en"}}`},
	} {
		a, err := canonical([]byte(answer(tt.a)), false, false)
		if err != nil {
			t.Fatal(err)
		}
		b, err := canonical([]byte(answer(tt.b)), false, false)
		if err != nil || !slices.Equal(a, b) {
			t.Errorf("%q differs from %q (%v)", a, b, err)
		}
	}
	a, _ := canonical([]byte(answer(`{"n":{"value":"1"`+xsd+`integer"}}`)), false, false)
	if b, _ := canonical([]byte(answer(`{"n":{"value":"1","type":"literal"}}`)), false, false); slices.Equal(a, b) {
		t.Errorf("a number is a text: %q", a)
	}
}
