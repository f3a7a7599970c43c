package app

import (
	"cmp"
	"context"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/metrics"
	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/store/log/cosigners"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/log/witness"
)

// SnapshotFolder returns the path of the snapshots of the file at path.
func SnapshotFolder(c *config.Config, path string) string {
	return cmp.Or(c.SnapshotDir, path+".snapshots")
}

// WitnessFile returns the path of the witness's key and record.
func WitnessFile(c *config.Config) string { return c.Data + ".witness" }

// witnessParts are the parts of a service that deal with witnesses.
type witnessParts struct {
	witness service.Witness           // nil if the service witnesses no log
	status  func() []cosigners.Status // nil if its own log has no witnesses
	work    []func(context.Context)   // to run in the background
}

// witnessing returns the parts that the settings ask for.
func witnessing(c *config.Config, l *translog.Log, log *logs.Buffer, panicked func(context.Context, any)) (parts witnessParts, err error) {
	if len(c.Witnessed) > 0 {
		w, err := witness.Open(witness.Options{Path: WitnessFile(c), Logs: c.Witnessed, Log: log.Logger("segraph.witness")})
		if err != nil {
			return parts, &config.Error{Msg: "SEGRAPH_WITNESS_OF: " + err.Error(), Hint: "Copy the keys of the logs from `segraph audit key`."}
		}
		parts.witness = w
	}
	if len(c.Witnesses) == 0 {
		return parts, nil
	}
	o := cosigners.Options{Log: l, Logger: log.Logger("segraph.witnesses"), Panicked: panicked}
	for _, text := range c.Witnesses {
		w, err := cosigners.Parse(text)
		if err != nil {
			return parts, &config.Error{Msg: "SEGRAPH_WITNESSES: " + err.Error(), Hint: "Ask the witness's operator for its verifier key; `segraph audit key witness` prints that of a segraph."}
		}
		o.Witnesses = append(o.Witnesses, w)
	}
	sender := cosigners.New(o)
	parts.status, parts.work = sender.Status, append(parts.work, sender.Run)
	return parts, nil
}

// gaugesOfWitnesses registers gauges of the log's witnesses, and of the logs that the service
// witnesses. It registers none for a side that is not configured.
func gaugesOfWitnesses(m *metrics.Set, core *service.Service) {
	count := func(state cosigners.State) func() float64 {
		return func() float64 {
			n := 0
			for _, w := range core.Witnessing().Witnesses {
				if w.State == state {
					n++
				}
			}
			return float64(n)
		}
	}
	now := core.Witnessing()
	if len(now.Witnesses) > 0 {
		m.Gauge("witnesses", "Witnesses of the transparency log.", func() float64 { return float64(len(core.Witnessing().Witnesses)) })
		m.Gauge("witnesses_cosigning", "Witnesses that cosigned the last checkpoint sent to them.", count(cosigners.Agrees))
		m.Gauge("witnesses_contradicting", "Witnesses that cosigned another history of the log. Its file was rolled back, rewritten or forked.", count(cosigners.Contradicts))
	}
	if len(now.Logs) > 0 {
		m.Gauge("witnessed_logs_doubtful", "Witnessed logs that sent a checkpoint that contradicts an earlier one.", func() float64 {
			n := 0
			for _, l := range core.Witnessing().Logs {
				if l.Doubt != nil {
					n++
				}
			}
			return float64(n)
		})
	}
}

// SigningKey returns where the key of the transparency log is.
func SigningKey(c *config.Config) translog.Options {
	return translog.Options{Key: c.SigningKey, KeyFile: c.Data + ".key", Origin: c.Origin}
}
