package resolver_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/resolver/memory"
)

// called replaces every person of a stream by a placeholder. The truth then knows no
// subject.
func called(s stream, name string) stream {
	for i := range s.observations {
		o := &s.observations[i]
		if base, human, ok := strings.Cut(o.SubjectURI, "human/"); ok && human != "" {
			o.SubjectURI = base + "human/" + name
			s.truths[i].Subject = nil
		}
	}
	return s
}

// inOtherWords are the modalities, in the truth, of reports that only a person can join
// with others.
var inOtherWords = []string{"other words", "more words"}

// reworded replaces the texts of the robot whose URI ends in suffix.
func reworded(t *testing.T, s stream, suffix string, texts func(string) []string) stream {
	var out stream
	at := make([]int, len(s.observations))
	for i, o := range s.observations {
		at[i] = len(out.observations)
		truth := s.truths[i]
		if truth.Retry {
			truth.Of = at[truth.Of]
		}
		if !strings.HasSuffix(o.RobotURI, suffix) || o.Text == "" {
			out.observations, out.truths = append(out.observations, o), append(out.truths, truth)
			continue
		}
		parts := texts(o.Text)
		for n, text := range parts {
			p, u := o, truth
			if u.Modality != nil {
				u.Modality = &inOtherWords[n]
			}
			if p.Text = text; n == 0 && len(parts) > 1 { // it ended earlier
				p.ObservedAt = stampedAt(t, o).Add(-time.Duration(60*len(parts[1])) * time.Millisecond).Format("2006-01-02T15:04:05.000Z07:00")
			} else if n > 0 {
				p.ObservationURI += fmt.Sprint("/", n)
				u.Of += n
			}
			out.observations, out.truths = append(out.observations, p), append(out.truths, u)
		}
	}
	return out
}

// translated replaces every word by another one, always the same for the same word.
func translated(s string) []string {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		h := sha256.Sum256([]byte(w))
		var b strings.Builder
		for n := range max(3, len(w)) {
			b.WriteByte("bdfghjklmnprstvz"[h[n%16]%16])
			b.WriteByte("aeiou"[h[n%16+16]%5])
		}
		words[i] = b.String()[:max(2, len(w))]
	}
	return []string{strings.Join(words, " ")}
}

// truncated returns the first words.
func truncated(s string) []string {
	words := strings.Fields(s)
	return []string{strings.Join(words[:max(1, len(words)/4)], " ")}
}

// split returns two halves.
func split(s string) []string {
	words := strings.Fields(s)
	if len(words) < 3 {
		return []string{s}
	}
	return []string{strings.Join(words[:len(words)/2], " "), strings.Join(words[len(words)/2:], " ")}
}

// replayScore replays a stream in its order of arrival and returns its score and the statistics.
func replayScore(t *testing.T, s stream) (score, *resolver.Statistics) {
	t.Helper()
	r := open(t, lean{&memory.Store{}})
	order := make([]int, len(s.observations))
	for i := range order {
		order[i] = i
	}
	got := scoreOf(s.truths, replayOn(t, r, s.observations, order))
	stats, err := r.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got, stats
}

// otherSeeds returns seed, or the seeds in SEGRAPH_ER_SEEDS, separated by spaces.
func otherSeeds(t *testing.T, seed int) []int {
	t.Helper()
	var seeds []int
	for text := range strings.FieldsSeq(os.Getenv("SEGRAPH_ER_SEEDS")) {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, n)
	}
	if len(seeds) == 0 {
		return []int{seed}
	}
	return seeds
}

// TestAPlaceholderIsDetected replays streams of two and three rooms in which everyone has
// the same subject. Without detection, up to 1.7 % of the matches are wrong.
func TestAPlaceholderIsDetected(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, c := range []struct {
		scenario      string
		robots, rooms int
	}{{"lab", 4, 2}, {"clinic", 3, 3}, {"museum", 6, 3}} {
		for _, seed := range otherSeeds(t, 601) {
			s := generateWith(t, c.scenario, map[string]any{"robots": c.robots, "rooms": c.rooms, "duration_s": 900, "seed": seed})
			got, stats := replayScore(t, called(s, "user"))
			t.Logf("%s %d: %d matched, %v, %+v", c.scenario, seed, got.decided, got, stats.Placeholders)
			if len(stats.Placeholders) != 1 || stats.Placeholders[0].State != "detected" {
				t.Errorf("%s %d: the placeholders are %+v", c.scenario, seed, stats.Placeholders)
				continue
			}
			if x := stats.Placeholders[0]; !strings.HasSuffix(x.SubjectURI, "/user") || got.wrong > 2 || got.decided > 100 || got.lostShare() > 0.08 {
				t.Errorf("%s %d: %d of %d matches are wrong, %v", c.scenario, seed, got.wrong, got.decided, got)
			}
		}
	}
}

// TestAPersonIsNoPlaceholder replays streams of people, with a robot that translates,
// cuts or splits what it hears, and with two rooms whose clocks are a minute apart.
func TestAPersonIsNoPlaceholder(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	for _, c := range []struct {
		humans int
		texts  func(string) []string
	}{{1, translated}, {6, translated}, {1, truncated}, {1, split}} {
		for _, seed := range otherSeeds(t, 602) {
			s := generateWith(t, "lab", map[string]any{"duration_s": 600, "humans": c.humans, "pause_s": 10 * c.humans, "seed": seed})
			if _, stats := replayScore(t, reworded(t, s, "robot/r1", c.texts)); len(stats.Placeholders) > 0 {
				t.Errorf("%+v: the placeholders are %+v", c, stats.Placeholders)
			}
		}
	}
	for _, seed := range otherSeeds(t, 603) {
		s := generateWith(t, "lab", map[string]any{"duration_s": 600, "seed": seed})
		for i := range s.observations {
			o := &s.observations[i]
			o.ReceivedAt = o.ObservedAt
			if strings.HasSuffix(o.RobotURI, "robot/r1") {
				o.ObservedAt = stampedAt(t, *o).Add(time.Minute).Format("2006-01-02T15:04:05.000Z07:00")
			}
		}
		if _, stats := replayScore(t, s); len(stats.Placeholders) > 0 {
			t.Errorf("a clock that is wrong: the placeholders are %+v", stats.Placeholders)
		}
	}
}

func stampedAt(t *testing.T, o resolver.Observation) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, o.ObservedAt)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Clients can name any number of subjects, but only so many are remembered as placeholders.
func TestDetectedPlaceholdersAreLimited(t *testing.T) {
	const limit = 1024
	r := open(t, lean{&memory.Store{}})
	words := [3]string{"bebebebe dada", "kokokoko lulu", "zizizizi tete"}
	for n := range limit + 100 {
		for i, text := range words {
			o := said(stampAfter(2000*n), fmt.Sprint("https://ex/human/", n), fmt.Sprintf("https://ex/robot/%d/%d", n, i), text)
			o.LocationURI, o.ReceivedAt = fmt.Sprint("https://ex/room/", i), stampAfter(2000*n+100)
			resolve(t, r, o)
		}
	}
	stats, err := r.Stats(t.Context())
	if err != nil || len(stats.Placeholders) > limit || len(stats.Placeholders) < limit-100 {
		t.Errorf("%d placeholders, %v", len(stats.Placeholders), err)
	}
}
