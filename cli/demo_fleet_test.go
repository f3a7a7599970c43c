package cli

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/segraph/segraph/app"
	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	museum "github.com/segraph/segraph/demo"
)

// The boxes of demo --fleet could not verify a certificate, and are not the first service of the process.
func TestTheDemoOfAFleetIsPlain(t *testing.T) {
	for _, c := range []*config.Config{{TLSCert: "a.pem", TLSKey: "a.key"}, {SecretKey: "k"}, {Live: true}} {
		c.Data = filepath.Join(t.TempDir(), "segraph.db")
		err := runFleet(t.Context(), c, app.Options{}, auth.Actor{})
		if _, ok := errors.AsType[*config.Error](err); !ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if o := (&demoBox{}).options(nil, museum.Events{}); !o.Guest {
		t.Error("a box sets the memory limit of the process")
	}
}
