package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// stuck is a stderr that blocks.
type stuck chan struct{}

func (s stuck) Write(p []byte) (int, error) { <-s; return len(p), nil }

func TestSignalsAreObeyedWhereNobodyReadsStderr(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stderr := make(stuck)
		defer close(stderr)
		p := &program{stderr: stderr}
		signals := make(chan os.Signal, 2)
		signals <- syscall.SIGTERM
		begun := time.Now()
		err := p.interruptible(signals, func(ctx context.Context) error {
			<-ctx.Done()
			if took := time.Since(begun); took > 0 {
				t.Errorf("the work was interrupted after %v", took)
			}
			return errors.New("cleaned up")
		})
		if err == nil || err.Error() != "cleaned up" {
			t.Errorf("after one signal: %v", err)
		}

		signals <- syscall.SIGTERM
		signals <- syscall.SIGINT
		work := make(chan struct{})
		defer close(work)
		begun = time.Now()
		err = p.interruptible(signals, func(context.Context) error { <-work; return nil })
		if !errors.Is(err, errInterrupted) {
			t.Errorf("after two signals: %v", err)
		}
		if code := p.report("serve", err); code != exitFailed {
			t.Errorf("exit code %d", code)
		}
		if took := time.Since(begun); took > 2*inPassing { // time for the message of each signal
			t.Errorf("after two signals it took %v", took)
		}
	})
}

// TestServeWorksAndEndsWhereNobodyReadsStderr runs the whole service with a stderr that
// accepts no byte.
func TestServeWorksAndEndsWhereNobodyReadsStderr(t *testing.T) {
	suite.NotShort(t)
	stderr, stdout := make(stuck), make(lines, 1)
	defer close(stderr)
	p := &program{stdin: strings.NewReader(""), stdout: stdout, stderr: stderr}
	signals := make(chan os.Signal, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := p.dispatch([]string{"serve", "--api", "127.0.0.1:0", "--ui", "127.0.0.1:0",
			"--data", filepath.Join(t.TempDir(), "segraph.db")}, nil, signals)
		ended <- err
	}()
	var address string
	select {
	case text := <-stdout:
		address = strings.TrimPrefix(strings.Fields(text)[1], "http://")
	case err := <-ended:
		t.Fatalf("it ended: %v", err)
	}
	client := &http.Client{Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	for range 10 {
		response, err := client.Get("http://" + address + "/healthz/ready")
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("status %d, %v", response.StatusCode, err)
		}
	}
	signals <- syscall.SIGTERM
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		t.Errorf("it still listens at %s", conn.RemoteAddr())
		_ = conn.Close()
	}
}

// lines is a stdout that passes every write to a channel.
type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }
