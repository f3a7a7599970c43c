package app

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver/persist"
	"github.com/segraph/segraph/store/retention"
)

// openRetention makes a.retention of the rules of the settings, and warns about those that keep logs for
// less than half a year. Without rules, a.retention stays nil. The error may be a *config.Error.
func (a *app) openRetention(ctx context.Context) error {
	rules, err := retentionRules(a.c)
	if err != nil || len(rules) == 0 {
		return err
	}
	log := a.log.Logger("segraph.retention")
	for _, r := range rules {
		if !r.Forever && r.Keep < retention.Half {
			log.WarnContext(ctx, "logs are kept for less than 184 days: the EU's AI Act, articles 19 and 26(6), has those of high-risk systems kept for at least six months", "rule", r.String())
		}
	}
	a.retention = retention.New(retention.Options{
		Rules: rules, Store: a.file.Store, Provenance: a.file.Provenance, Snapshots: a.snapshots.RemoveOlder, Log: log,
		Times: persist.ReportedTimes, Forwarded: len(a.c.Boxes) > 0, Contexts: a.resolved().ExpireContexts, Names: a.resolved().NamesOf, Renames: a.resolved().Resolver.Renames,
	})
	return nil
}

// retentionRules returns the rules of the settings: the rules in the file, and then the rule for all other
// logs.
func retentionRules(c *config.Config) (rules []retention.Rule, err error) {
	if c.RetentionRules != "" {
		text, err := os.ReadFile(c.RetentionRules)
		if err == nil {
			rules, err = retention.Parse(text)
		}
		if err != nil {
			return nil, &config.Error{Msg: fmt.Sprintf("the rules of retention in %s: %v", c.RetentionRules, err), Hint: "See docs/personal-data.md."}
		}
	}
	if c.Retention > 0 {
		rules = append(rules, retention.Rule{Keep: c.Retention})
	}
	return rules, nil
}

// kept says how long what is kept.
func (a *app) kept() (said []string) {
	if a.retention == nil {
		return nil
	}
	for _, r := range a.retention.Rules() {
		said = append(said, r.String())
	}
	return said
}

// retained returns when what is too old was last removed, or the zero Time.
func (a *app) retained() time.Time {
	if a.retention == nil {
		return time.Time{}
	}
	t, _ := a.retention.Tally()
	return t.Last
}

// enterLooks enters looks at persons for which the disk had no room, until ctx ends.
func (a *app) enterLooks(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_, _ = a.core.EnterLooks(ctx) // which logs how many wait
		case <-ctx.Done():
			return
		}
	}
}
