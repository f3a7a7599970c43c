package config

import (
	"errors"
	"strconv"
	"strings"

	"github.com/segraph/segraph/resolver"
)

// contextSettings returns the settings of the shared-context resolver. The resolver
// checks their values.
func contextSettings() []Setting {
	d := resolver.Defaults()
	onOff := map[bool]string{true: "on", false: "off"}
	text := func(name, standard, arg, help string, to func(*resolver.Settings) *string) Setting {
		return contextSetting(name, standard, arg, help, func(r *resolver.Settings, s string) error {
			*to(r) = s
			return nil
		})
	}
	number := func(name, arg, help string, to func(*resolver.Settings) *float64) Setting {
		return contextSetting(name, strconv.FormatFloat(*to(&d), 'g', -1, 64), arg, help, func(r *resolver.Settings, s string) (err error) {
			if *to(r), err = strconv.ParseFloat(s, 64); err != nil {
				return errors.New("it is not a number")
			}
			return nil
		})
	}
	return []Setting{
		text("namespace", d.Namespace, "IRI", "What the URIs of shared contexts begin with: an absolute http or https IRI.",
			func(r *resolver.Settings) *string { return &r.Namespace }),
		number("time-window-seconds", "SECONDS", "Two observations may be one event if they are at most twice this many seconds apart. From 0.1 to 60.",
			func(r *resolver.Settings) *float64 { return &r.TimeWindow }),
		number("match-probability", "P", "The minimum probability of an automatic match, from 0.5 to 1.",
			func(r *resolver.Settings) *float64 { return &r.MatchProbability }),
		number("clear-match-probability", "P", "The minimum probability of an automatic match if the texts are identical and no other event competes, from 0.5 to 1.",
			func(r *resolver.Settings) *float64 { return &r.ClearMatchProbability }),
		number("review-probability", "P", "The minimum probability of a case for review, from 0 to 1.",
			func(r *resolver.Settings) *float64 { return &r.ReviewProbability }),
		number("max-gap-seconds", "SECONDS", "The maximum gap of an automatic match in seconds, from 0 to 60; a fifth more if the words take longer to say twice.",
			func(r *resolver.Settings) *float64 { return &r.MaxGap }),
		number("min-text-similarity", "SHARE", "How alike the texts of an automatic match must be, from 0 to 1. 0.15 less within half a second.",
			func(r *resolver.Settings) *float64 { return &r.MinTextSimilarity }),
		text("subject-conflict", d.SubjectConflict, "WAY", "How to treat two known, different subjects: separate makes them two events, review may open a case.",
			func(r *resolver.Settings) *string { return &r.SubjectConflict }),
		text("generic-subjects", d.GenericSubjects, "REGEXP", "A regular expression. A subject whose last segment matches it is a placeholder, not a person.",
			func(r *resolver.Settings) *string { return &r.GenericSubjects }),
		contextSetting("clock-correction", onOff[d.ClockCorrection], "on|off", "Whether to correct times by what was learned about robots' clocks.",
			func(r *resolver.Settings, s string) error {
				return onOrOff(&r.ClockCorrection, s)
			}),
		contextSetting("max-candidates", strconv.Itoa(d.MaxCandidates), "N", "How many contexts a case offers, from 1 to 20.",
			func(r *resolver.Settings, s string) error { return positive(&r.MaxCandidates, s) }),
		text("calibration", d.Calibration, "WAY", "isotonic adjusts the review probability to people's decisions, once there are 200; off does not.",
			func(r *resolver.Settings) *string { return &r.Calibration }),
	}
}

// contextSetting returns a setting of the resolver. Its variable is SHARED_CONTEXT_
// followed by the name in capitals. set checks the value like the resolver.
func contextSetting(name, standard, arg, help string, set func(*resolver.Settings, string) error) Setting {
	name = "shared-context-" + name
	return Setting{
		Name: name, Env: strings.ToUpper(strings.ReplaceAll(name, "-", "_")), Default: standard, Arg: arg, Help: help,
		set: func(c *Config, s string) error {
			if c.Contexts == (resolver.Settings{}) {
				c.Contexts = resolver.Defaults()
			}
			if err := set(&c.Contexts, s); err != nil {
				return err
			}
			alone := resolver.Defaults() // other settings have their defaults, so an error is about this one
			if err := set(&alone, s); err != nil {
				return err
			}
			var wrong *resolver.SettingError
			if err := alone.Validate(); errors.As(err, &wrong) {
				return errors.New("it " + wrong.Detail)
			}
			return nil
		},
	}
}
