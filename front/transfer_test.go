package front

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segraph/segraph/logs"
	"github.com/segraph/segraph/service"
)

// The service's own pauses do not count against a client that keeps up.
func TestARequestMayPause(t *testing.T) {
	t.Parallel()
	const patience = 400 * time.Millisecond
	pause := func() { time.Sleep(patience * 3 / 2) }
	f := New(Config{Service: service.New(service.Config{Log: logs.New(logs.Options{}), Limits: service.Limits{Patience: patience}})})
	handler := f.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pause()
		half := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, half) // what is missing is missing in the answer too
		pause()
		rest, _ := io.ReadAll(r.Body)
		_, _ = w.Write(half)
		_ = http.NewResponseController(w).Flush()
		pause()
		_, _ = w.Write(rest)
		_, _ = w.Write([]byte("end")) // net/http sends it after the handler
		pause()
	}))
	body := "begin" + strings.Repeat("x", 4<<20) // more than a connection holds
	for major, http2 := range map[int]bool{1: false, 2: true} {
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = http2
		server.StartTLS()
		t.Cleanup(server.Close)
		response, err := server.Client().Post(server.URL, "text/plain", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		if err != nil || string(got) != body+"end" || response.ProtoMajor != major {
			t.Errorf("%s: %d bytes of %d, %v", response.Proto, len(got), len(body)+3, err)
		}
	}
}

// What a slow client took before its deadline earns it credit, but the end is still the deadline's.
func TestAnAnswerThatIsPartlyTakenAtItsDeadlineWasTooSlow(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	r := &response{ResponseWriter: w, control: http.NewResponseController(w), pace: newPace(service.Limits{Rate: 1, Patience: time.Millisecond})}
	_, err := r.timed(func() (int, error) {
		time.Sleep(2 * time.Millisecond)
		return 1000, errors.New("the stream was reset")
	})
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it ended with %v", err)
	}
}
