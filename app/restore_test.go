package app

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/segraph/segraph/config"
)

// TestARestoreThatFailsLeavesTheFile restores what is no backup, after a service that did not end cleanly.
func TestARestoreThatFailsLeavesTheFile(t *testing.T) {
	dir := t.TempDir()
	data, no := filepath.Join(dir, "segraph.db"), filepath.Join(dir, "no.db")
	for path, text := range map[string]string{data: "the file", no: "no backup"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	a := &app{Options: Options{Settings: &config.Config{Data: data, API: "127.0.0.1:0", Metrics: "127.0.0.1:0"}, Stderr: &log}, measured: &net.TCPAddr{Port: 7}}
	o := a.again(t.Context(), &wanted{from: no, by: "eve"}, errors.New("it did not close"))
	if r := o.restored; r == nil || r.Err == nil || r.Kept != "" || r.By != "eve" || r.Name != "no.db" {
		t.Errorf("the outcome is %+v", r)
	}
	if o.Settings.Metrics != "127.0.0.1:7" {
		t.Errorf("the metrics are served again at %s", o.Settings.Metrics)
	}
	if text, err := os.ReadFile(data); string(text) != "the file" {
		t.Errorf("the file is %q, %v", text, err)
	}
	for _, want := range []string{"did not end cleanly", "it did not close", "the restore failed", "no.db"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, log.String())
		}
	}
}

// TestTheSecondOfTwoRestoresIsRefused asks for two.
func TestTheSecondOfTwoRestoresIsRefused(t *testing.T) {
	ended := 0
	a := &app{end: func(error) { ended++ }}
	if !a.restart("a.db", "eve", "") || a.restart("b.db", "max", "") || ended != 1 || a.wanted.Load().from != "a.db" {
		t.Errorf("%d ends, of %+v", ended, a.wanted.Load())
	}
	a.wanted.Load().served()
}
