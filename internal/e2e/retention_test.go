package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// TestTheServiceWithdrawsWhatIsTooOld waits for what retention removes a minute after a start.
func TestTheServiceWithdrawsWhatIsTooOld(t *testing.T) {
	suite.Slow(t, "it waits for a minute")
	t.Parallel()
	s := serve(t, t.TempDir(), []string{"SEGRAPH_RETENTION=1s"})
	if !strings.Contains(s.stderr.String(), "less than 184 days") {
		t.Errorf("no warning names the articles:\n%s", s.stderr)
	}
	if a := s.publish("<urn:a> <urn:heard> <urn:hello> .", "ari"); a.status != 201 || !bytes.Contains(s.events(), []byte("hello")) {
		t.Fatalf("%d: %s", a.status, a.body)
	}
	for begin := time.Now(); bytes.Contains(s.events(), []byte("hello")); time.Sleep(time.Second) {
		if time.Since(begin) > 3*time.Minute {
			t.Fatal("a log that is too old is still there")
		}
	}
}
