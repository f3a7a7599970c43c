package admin

import (
	"net/http"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store"
	"github.com/segraph/segraph/store/fleet/box"
	"github.com/segraph/segraph/store/fleet/centre"
	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/store/log/witness"
	"github.com/segraph/segraph/views"
)

// refreshHealth is how often /health reloads without scripts, in seconds.
const refreshHealth = 10

// getHealth shows the state of the service. The status is 200 even if the service is
// unhealthy, because the page exists to report that.
func (u *handlers) getHealth(w http.ResponseWriter, r *http.Request, v *views.Visit) error {
	h := u.Service.Health(r.Context())
	f := u.Frame(r, v, "Health")
	f.Scripts, f.Refresh = []string{"health.js"}, refreshHealth
	m := Health{
		Ready: h.Ready, Store: h.Store, Draining: h.Draining, Panicked: h.Panicked,
		StoreName: storeLabel(h.StoreName), Detail: h.Detail, Notice: h.Notice, Warning: h.Warning, Asked: v.Now, Took: u.Config.Now().Sub(v.Now),
		Stores: graphStores(h.Following, v.Now),
	}
	if v.Known && v.Actor.Is(auth.Auditor, auth.Admin) { // names and addresses of other machines are not public
		fleet, err := u.Service.Fleet()
		if err != nil {
			return err
		}
		known := u.Service.Witnessing()
		m.Centres, m.Boxes, m.Witnesses, m.Witnessed = centres(fleet.Centres), boxes(fleet.Boxes), witnesses(known.Witnesses), witnessed(known.Logs)
	}
	return u.Show(w, r, http.StatusOK, HealthPage(f, m))
}

// storeLabel returns the name of a store as its setting spells it. The embedded store is named
// "cayley" on the wire.
func storeLabel(name string) string {
	if name == "cayley" {
		return "embedded"
	}
	return name
}

// graphStores returns the rows of the graph stores that follow the file.
func graphStores(list []store.Following, now time.Time) (out []HealthWitness) {
	for _, f := range list {
		row := HealthWitness{Name: f.Name, State: f.State, Kind: "warn", Entries: f.Behind, Time: now.Add(-f.Since)}
		switch f.State {
		case store.FollowOK:
			row.State, row.Kind = "can be queried", "good"
		case store.FollowResync:
			row.State = "catching up"
		case store.FollowConflict:
			row.Kind = "bad"
		}
		row.Detail = service.Sentence(f.Detail)
		out = append(out, row)
	}
	return out
}

// witnesses returns the rows of the witnesses of the log.
func witnesses(list []cosigners.Status) (out []HealthWitness) {
	for _, w := range list {
		row := HealthWitness{Name: w.Name, State: w.State.String(), Kind: "warn", Entries: w.Size, Time: w.Time}
		detail := w.Detail
		switch {
		case w.State == cosigners.Contradicts:
			row.Kind = "bad"
		case w.State == cosigners.Agrees && w.Warning == "":
			row.Kind = "good"
		case w.State == cosigners.Agrees:
			detail = w.Warning
		}
		if detail != "" {
			row.Detail = service.Sentence(detail)
		}
		out = append(out, row)
	}
	return out
}

// witnessed returns the rows of the logs that this service witnesses.
func witnessed(list []witness.Status) (out []HealthWitness) {
	for _, l := range list {
		row := HealthWitness{Name: l.Origin, State: "continues", Kind: "good", Entries: l.Size, Time: l.Time}
		switch {
		case l.Doubt != nil && l.Doubt.Proven:
			row.State, row.Kind = "two histories", "bad"
		case l.Doubt != nil:
			row.State, row.Kind = "in doubt", "bad"
		case l.Time.IsZero():
			row.State, row.Kind = "not seen yet", "warn"
		}
		if l.Doubt != nil {
			row.Detail = service.Sentence(l.Doubt.Detail)
		}
		out = append(out, row)
	}
	return out
}

// centres returns the rows of the centres that get the journal.
func centres(list []box.Status) (out []HealthWitness) {
	for _, c := range list {
		row := HealthWitness{Name: c.Name, State: string(c.State), Kind: "warn", Entries: c.Confirmed, Time: c.At}
		switch c.State {
		case box.Refused:
			row.Kind = "bad"
		case box.Current:
			row.State, row.Kind = "has all entries", "good"
		case box.Sending:
			row.State, row.Kind = "sending, "+views.Count(int(c.Entries-min(c.Entries, c.Confirmed)))+" behind", "good"
		}
		row.Detail = service.Sentence(c.Detail)
		out = append(out, row)
	}
	return out
}

// boxes returns the rows of the boxes of this centre.
func boxes(list []centre.Status) (out []HealthWitness) {
	for _, b := range list {
		row := HealthWitness{Name: b.Log, State: "verified", Kind: "good", Entries: b.Entries, Time: b.Arrived}
		if b.Alarm != centre.Quiet {
			row.State, row.Kind = alarms[b.Alarm].word, alarms[b.Alarm].kind
		}
		row.Detail = service.Sentence(b.Detail)
		out = append(out, row)
	}
	return out
}
