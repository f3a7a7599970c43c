package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/store/engine"
	"github.com/segraph/segraph/store/log/translog"
	"github.com/segraph/segraph/store/log/witness"
)

// printWitnessKey prints the verifier key of the witness, and makes it if there is none.
func printWitnessKey(p *program, c *config.Config) error {
	key, err := witness.KeyIn(app.WitnessFile(c))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, key)
	return err
}

// verifyCosigned checks that the journal continues the last checkpoint that its log
// signed, and the checkpoints that witnesses cosigned. It returns a line about each
// cosigned checkpoint.
func verifyCosigned(s *engine.Store) (words string, err error) {
	last, err := translog.LastOf(s)
	if err == nil && last.Size > 0 {
		err = translog.Verify(s, last)
	}
	if err != nil {
		return "", err
	}
	list, err := translog.CosignedBy(s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range list {
		if err := translog.Verify(s, c); err != nil {
			return "", err
		}
		for _, x := range c.Cosignatures {
			name, _, _ := strings.Cut(x.By, "+")
			fmt.Fprintf(&b, "%s cosigned %d entries at %s\n", name, c.Size, x.Time.Format(time.RFC3339))
		}
	}
	return b.String(), nil
}
