package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/robot/bag"
	"github.com/segraph/segraph/robot/mapping"
	"github.com/segraph/segraph/robot/message"
)

func importVerb() verb {
	return verb{
		name:    "import",
		args:    "FILE…",
		summary: "Import recordings of robots (MCAP).",
		detail: `Reads bags of ROS in MCAP, with an index or without, cut or whole, and stores what --map finds in their messages:
what was said, decided, felt and so on. Several bags are sorted together by time. Each log names the bag
(by its SHA-256 and name), the topic and the second. Importing a bag again under its name adds nothing.

People of the map who have several names become decisions, as on /shared-context/people. With --url that
takes an admin's token; without one there is a warning. A decision that somebody has taken back stays so.

--dry-run lists each topic with its type, the number of messages, the rule, and what it tells, and the
people with several names.

It sends the logs to the service at --url, with a token of a logger. Without --url it uses the file, which
no service may be using.`,
		settings: append([]string{"data", "url", "map", "dry-run", "token-file", "token", "text-index"}, config.ContextSettings()...),
		run:      runImport,
	}
}

// topicCount is what was found in a topic.
type topicCount struct {
	kind     string
	messages int
	verbs    []string // of its rule
	why      string   // there is no rule
	unread   error    // why the first of the channels that were not read was not
	told     map[string]int
	broken   int
	err      error // of its first message that can't be read
}

// importing is the state of an import.
type importing struct {
	*program
	engine *mapping.Engine
	topics map[string]*topicCount
	open   map[*message.Channel]*mapping.Topic
	to     receiver
	batch  [][]byte
	size   int
	tally  tally
}

// runImport imports bags in the order of time. With --dry-run it only lists what it would log.
func runImport(ctx context.Context, p *program, c *config.Config) error {
	if len(c.Args) == 0 {
		return &config.Error{Msg: "which bags?", Hint: "Write `segraph import FILE…`."}
	}
	m, err := readMap(c.Map)
	if err != nil {
		return err
	}
	i := &importing{program: p, engine: m.NewEngine(), topics: map[string]*topicCount{}, open: map[*message.Channel]*mapping.Topic{}, tally: newTally()}
	set, err := bag.Collect(ctx, c.Args, i.want, func(c *message.Channel) { i.topics[c.Topic].messages++ })
	if err != nil {
		return err
	}
	if c.DryRun {
		err = i.run(ctx, set)
	} else {
		err = p.withLines(ctx, c, func(ctx context.Context, to receiver) error {
			i.to = to
			if err := p.decidePeople(ctx, m, to.decide); err != nil {
				return err
			}
			return i.run(ctx, set)
		})
	}
	if err = errors.Join(err, set.Close()); err != nil {
		if i.tally.logs+i.tally.repeated > 0 { // these stay
			_, printed := fmt.Fprintln(p.stdout, i.tally.String())
			err = errors.Join(err, printed)
		}
		return err
	}
	if c.DryRun {
		err = i.list(m)
	} else {
		_, err = fmt.Fprintln(p.stdout, i.tally.String())
	}
	if i.warn(set) {
		err = errors.Join(err, errors.New("the import is not complete; the warnings say what it left out"))
	}
	return errors.Join(err, i.tally.err())
}

// robotMap is a map, and how its decisions name it.
type robotMap struct {
	*mapping.Map
	about string
}

// readMap reads a map, or returns the built-in one.
func readMap(path string) (*robotMap, error) {
	if path == "" {
		m, err := mapping.Parse("")
		return &robotMap{Map: m}, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the map: %w", err)
	}
	m, err := mapping.Parse(string(text))
	if err != nil || len(text) == 0 {
		return nil, &config.Error{Msg: fmt.Sprintf("the map %s: %v", path, cmp.Or(err, errors.New("it is empty"))), Hint: "docs/connect.md describes maps."}
	}
	return &robotMap{m, fmt.Sprintf("the map %s says so (SHA-256 %x)", filepath.Base(path), sha256.Sum256(text))}, nil
}

// want opens the rule of a channel, counts the channel, and reports whether it has a rule.
func (i *importing) want(c *message.Channel) bool {
	t, why, err := i.engine.Open(c)
	n := i.topics[c.Topic]
	if n == nil {
		n = &topicCount{told: map[string]int{}}
		i.topics[c.Topic] = n
	}
	n.kind, n.why, n.unread = c.Type, why, cmp.Or(n.unread, err)
	if t == nil {
		return false
	}
	n.verbs = t.Rule()
	i.open[c] = t
	return true
}

// run maps the messages to lines and sends them. It skips messages that can't be read, and keeps
// the first error of each topic.
func (i *importing) run(ctx context.Context, set *bag.Set) error {
	err := set.Each(ctx, func(f *bag.File, c *message.Channel, m message.Message) error {
		lines, err := i.open[c].Take(m, originOf(f, c, m))
		n := i.topics[c.Topic]
		if err != nil {
			if n.broken++; n.err == nil {
				n.err = fmt.Errorf("%s: a message of %s at %s: %w", f.Name, c.Topic, m.Log.Format(time.RFC3339Nano), err)
			}
			return nil
		}
		for _, l := range lines {
			if l.Verb != "robot" { // the introduction of a robot, which no rule tells
				n.told[l.Verb]++
			}
			if err := i.add(ctx, l.JSON); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err // what flush could not send, it would try again
	}
	return i.flush(ctx)
}

// originOf names the bag, the topic and the second of a message.
func originOf(f *bag.File, c *message.Channel, m message.Message) mapping.Origin {
	second := fmt.Sprintf("%.3f", m.Log.Sub(f.Begin).Seconds())
	return mapping.Origin{
		IRI:   fmt.Sprintf("urn:segraph:bag:%x#t=%s&topic=%s", f.Sum, second, escapeTopic(c.Topic)),
		Label: fmt.Sprintf("%s, %s, second %s", f.Name, c.Topic, second),
	}
}

func escapeTopic(topic string) string { return strings.ReplaceAll(url.QueryEscape(topic), "%2F", "/") }

// add sends a line with others.
func (i *importing) add(ctx context.Context, line []byte) (err error) {
	if len(i.batch) == batchLines || i.size+len(line) > batchBytes {
		err = i.flush(ctx)
	}
	i.batch, i.size = append(i.batch, line), i.size+len(line)
	return err
}

// longestBusy is how long an import waits for a service that is busy.
const longestBusy = 5 * time.Minute

// flush sends the lines that wait, again while the service is busy. In a dry run it forgets them.
func (i *importing) flush(ctx context.Context) error {
	if i.to.send == nil || len(i.batch) == 0 {
		i.batch, i.size = nil, 0
		return nil
	}
	began := time.Now()
	for wait := (backoff{}); ; wait.sleep(ctx) {
		left, err := i.tally.send(ctx, i.to, i.batch)
		i.batch = left
		if err == nil {
			i.size = 0
			return nil
		}
		refused := answered{}
		busy := errors.As(err, &refused) && passing(refused.status) || errors.Is(err, context.DeadlineExceeded)
		if !busy || ctx.Err() != nil || time.Since(began) > longestBusy {
			return fmt.Errorf("storing logs: %w. Import again to go on: nothing is stored twice", err)
		}
	}
}

// list prints the topics.
func (i *importing) list(m *robotMap) error {
	w := tabwriter.NewWriter(i.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TOPIC\tTYPE\tMESSAGES\tRULE\tTELLS")
	for _, topic := range slices.Sorted(maps.Keys(i.topics)) {
		n := i.topics[topic]
		rule, told := strings.Join(n.verbs, ", "), []string{}
		if n.unread != nil {
			n.why = "not read: " + n.unread.Error()
		}
		if rule == "" {
			rule = "- " + n.why
		}
		for _, verb := range slices.Sorted(maps.Keys(n.told)) {
			told = append(told, fmt.Sprintf("%d %s", n.told[verb], verb))
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", printable(topic), printable(n.kind), n.messages, printable(rule), strings.Join(told, ", "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, names := range m.People() {
		fmt.Fprintf(i.stdout, "one person: %s\n", printable(strings.Join(names, " and ")))
	}
	return nil
}

// warn reports what could not be read, and whether the import therefore lacks something that the map takes.
func (i *importing) warn(set *bag.Set) (leftOut bool) {
	for _, f := range set.Files {
		if f.Cut != nil {
			fmt.Fprintf(i.stderr, "segraph: warning: %s: %v; the %s before were read\n", f.Name, f.Cut, several(int64(f.Messages), "message", "messages"))
		}
		if f.Skipped > 0 {
			fmt.Fprintf(i.stderr, "segraph: warning: %s: skipped %s; the first: %s\n", f.Name, several(int64(f.Skipped), "damaged record", "damaged records"), printable(f.Damaged.Error()))
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(i.topics)) {
		n := i.topics[topic]
		if n.unread != nil {
			fmt.Fprintf(i.stderr, "segraph: warning: a channel of %s was not read: %s\n", printable(topic), printable(n.unread.Error()))
		}
		if n.broken > 0 {
			fmt.Fprintf(i.stderr, "segraph: warning: skipped %s that can't be read; the first: %s\n", several(int64(n.broken), "message", "messages"), printable(n.err.Error()))
		}
		leftOut = leftOut || n.unread != nil || n.broken > 0
	}
	return leftOut
}
