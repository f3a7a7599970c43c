package resolver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// scenarios are the scenarios of the evaluation kit.
var scenarios = []string{"lab", "museum", "clinic", "drift", "mixed"}

// stream is a stream that the kit generates for a scenario: observations in order of
// arrival, with the truth about them.
type stream struct {
	observations []resolver.Observation
	truths       []truth
	arrived      []time.Time // times of arrival, in the stream's own time
}

// generate runs the kit's generator. Its output depends only on the scenario, the seed
// and the duration in seconds. A seed or duration of 0 means the scenario's own.
func generate(t testing.TB, scenario string, seed, duration int) stream {
	t.Helper()
	settings := map[string]any{}
	if seed != 0 {
		settings["seed"] = seed
	}
	if duration != 0 {
		settings["duration_s"] = duration
	}
	return generateWith(t, scenario, settings)
}

// generateWith is generate with any settings of the scenario.
func generateWith(t testing.TB, scenario string, settings map[string]any) stream {
	t.Helper()
	generator := suite.Shared(t, "er", "gen.py")
	python, err := exec.LookPath("python3")
	if err != nil {
		suite.Missing(t, "no python3, which runs the generator of observations")
	}
	text, err := os.ReadFile(suite.Shared(t, "er", "configs", scenario+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	maps.Copy(config, settings)
	if text, err = json.Marshal(config); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "config.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, generator, path, "--out", dir).CombinedOutput(); err != nil {
		t.Fatalf("generating %s: %v\n%s", scenario, err, out)
	}
	stem := filepath.Join(dir, scenario+"-"+strconv.Itoa(int(number(config["seed"]))))
	var s stream
	begin := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, int(number(config["seed"]))%300)
	for _, l := range lines[struct {
		At   int64 `json:"at_ms"`
		Body resolver.Observation
	}](t, stem+".stream.jsonl") {
		s.observations = append(s.observations, l.Body)
		s.arrived = append(s.arrived, begin.Add(time.Duration(l.At)*time.Millisecond))
	}
	s.truths = lines[truth](t, stem+".truth.jsonl")
	return s
}

func number(v any) float64 {
	switch n := v.(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// lines reads a file with one JSON value per line.
func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// replay resolves a stream, reconciles, and reads the queue.
func replay(t testing.TB, observations []resolver.Observation) answered {
	t.Helper()
	order := make([]int, len(observations))
	for i := range order {
		order[i] = i
	}
	return replayOn(t, open(t, lean{&memory.Store{}}), observations, order)
}

// replayOn is replay in a given order, with a resolver that may know other streams. The
// answers are in the order of the observations.
func replayOn(t testing.TB, r *resolver.Resolver, observations []resolver.Observation, order []int) answered {
	t.Helper()
	a := answered{outcomes: make([]resolver.Outcome, len(order)), uris: make([]string, len(order)), cases: map[string][]string{}}
	own := map[string]bool{}
	for _, i := range order {
		x := resolve(t, r, observations[i])
		a.outcomes[i], a.uris[i] = x.Outcome, x.SharedContextURI
		own[x.SharedContextURI] = true
	}
	a.first = waiting(t, r)
	merged, err := r.Reconcile(t.Context(), judge)
	if err != nil {
		t.Fatal(err)
	}
	a.merged = merged.Mappings
	for _, k := range waiting(t, r).PendingCases {
		if !own[k.SourceContextURI] {
			continue
		}
		for _, c := range k.Candidates {
			a.cases[k.SourceContextURI] = append(a.cases[k.SourceContextURI], c.ContextURI)
		}
	}
	return a
}

// waiting returns the complete review queue.
func waiting(t testing.TB, r *resolver.Resolver) *resolver.Queue {
	t.Helper()
	queue, err := r.Pending(t.Context(), math.MaxInt, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return queue
}

// fourAtOnce returns the order in which four clients post a stream that they share. Four
// requests are in progress at a time, and any of them may arrive first. (When four
// clients of the kit posted over HTTP, a third of the requests arrived before their
// predecessor, and almost none was displaced by more than three.)
func fourAtOnce(n int) []int {
	random := rand.New(rand.NewPCG(5, 6))
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for part := range slices.Chunk(order, 4) {
		random.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	return order
}

// lean is a store without the mirror, which uses most of the memory.
type lean struct{ *memory.Store }

func (l lean) Submit(ctx context.Context, c resolver.Change) (func() error, error) {
	c.Add, c.Remove = nil, nil
	return l.Store.Submit(ctx, c)
}

// scenario is a scenario of the kit, and the answers of a separate resolver.
type scenario struct {
	stream
	answered
}

var replayed []scenario // result of replayScenarios

// replayScenarios replays each of the kit's scenarios with a separate resolver. It does
// so only once for all tests.
func replayScenarios(t testing.TB) []scenario {
	t.Helper()
	if replayed == nil {
		var all []scenario
		for _, name := range scenarios {
			s := generate(t, name, 0, 0)
			all = append(all, scenario{s, replay(t, s.observations)})
		}
		replayed = all
	}
	return replayed
}

// TestStreamsReachTheTargets replays the kit's five scenarios, each with a separate
// resolver, and checks its targets, for all of them and for the lab alone.
func TestStreamsReachTheTargets(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	var all, lab score
	for i, x := range replayScenarios(t) {
		s := scoreOf(x.truths, x.answered)
		t.Log(scenarios[i], s)
		if all.add(s); i == 0 {
			lab = s
		}
	}
	t.Log(all)
	if all.violations > 0 {
		t.Errorf("%d repeats came to another context", all.violations)
	}
	hold(t, "all", all, streams)
	hold(t, "lab", lab, target{wrong: 0, recall: 0.92, overNeeded: 1.2, yield: 0.96, lost: 0.025})
}

// TestLiveStreamsReachTheTargets replays the scenarios with their times of arrival.
func TestLiveStreamsReachTheTargets(t *testing.T) {
	suite.Slow(t, "it replays all scenarios again")
	suite.OneGoroutine(t)
	var all score
	for _, x := range replayScenarios(t) {
		got, _ := replayScore(t, x.stream.live())
		all.add(got)
	}
	t.Log(all)
	hold(t, "all", all, streams)
}

// TestStreamsOfOneResolverReachTheTargets replays the scenarios (the first half of each,
// or all in the long form) with one resolver for all, in the order of several concurrent
// clients.
func TestStreamsOfOneResolverReachTheTargets(t *testing.T) {
	suite.Slow(t, "it replays half of all scenarios again")
	suite.OneGoroutine(t)
	var all score
	r := open(t, lean{&memory.Store{}})
	for _, x := range replayScenarios(t) {
		n := len(x.observations) / suite.Times(1, 2)
		all.add(scoreOf(x.truths[:n], replayOn(t, r, x.observations[:n], fourAtOnce(n))))
	}
	t.Log(all)
	if all.violations > 0 {
		t.Errorf("%d repeats came to another context", all.violations)
	}
	hold(t, "all", all, streams)
}

// streams are the kit's targets for all scenarios.
var streams = target{wrong: 0.002, recall: 0.90, overNeeded: 1.25, yield: 0.92, lost: 0.03}

// target holds the limits of a score.
type target struct{ wrong, recall, overNeeded, yield, lost float64 }

func hold(t *testing.T, name string, s score, want target) {
	t.Helper()
	if s.falseAuto() > want.wrong || s.recall() < want.recall || s.overNeeded() > want.overNeeded || s.yield() < want.yield || s.lostShare() > want.lost {
		t.Errorf("%s: %v; want %+v", name, s, want)
	}
}

// TestAStreamWithBeginningsReachesTheTargets has a robot that stamps the beginning of
// speech, two rooms that hardly hear each other, and a robot without a URI. A clock
// learnt only against the first robot would be wrong for the others.
func TestAStreamWithBeginningsReachesTheTargets(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	s := generateWith(t, "mixed", map[string]any{"seed": 501, "stamp_at_start": 1})
	got := scoreOf(s.truths, replay(t, s.observations))
	t.Log(got)
	hold(t, "mixed", got, target{wrong: 0.002, recall: 0.90, overNeeded: 1.25, yield: 0.90, lost: 0.03})
}

// TestOtherSeedsReachTheTargets does the same for the seeds in SEGRAPH_ER_SEEDS,
// separated by spaces. It takes long, and a few seeds miss the targets by chance.
func TestOtherSeedsReachTheTargets(t *testing.T) {
	seeds := bytes.Fields([]byte(os.Getenv("SEGRAPH_ER_SEEDS")))
	if len(seeds) == 0 {
		t.Skip("SEGRAPH_ER_SEEDS names no seeds")
	}
	for _, text := range seeds {
		t.Run(string(text), func(t *testing.T) {
			seed, err := strconv.Atoi(string(text))
			if err != nil {
				t.Fatal(err)
			}
			var all score
			for _, name := range scenarios {
				s := generate(t, name, seed, 0)
				all.add(scoreOf(s.truths, replay(t, s.observations)))
			}
			t.Log(all)
			hold(t, "all", all, target{wrong: 0.002, recall: 0.90, overNeeded: 1.25, yield: 0.92, lost: 0.03})
		})
	}
}
