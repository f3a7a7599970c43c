package app

import (
	"context"
	"io"
	"net"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/segraph/segraph/auth"
	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/resolver"
	"github.com/segraph/segraph/views/reports"
)

func TestTheGuestsLinkNamesAnAddressThatPhonesReach(t *testing.T) {
	if got := guestLink(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}, nil); got != "http://192.0.2.7:8080" {
		t.Errorf("of an address: %s", got)
	}
	if got := guestLink(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}, nil); !regexp.MustCompile(`^http://(10|172|192|localhost)[.:0-9]*:8080$`).MatchString(got) {
		t.Errorf("of all addresses: %s", got)
	}
}

// A service whose listener fails ends the live demo before it closes.
func TestAFailedListenerEndsTheLiveDemo(t *testing.T) {
	a := &app{Options: Options{Settings: &config.Config{Data: filepath.Join(t.TempDir(), "segraph.db"), API: "127.0.0.1:0", UI: "127.0.0.1:0", Contexts: resolver.Defaults()},
		Stderr: io.Discard, Play: reports.NewPlay(auth.Actor{Username: "curator", Roles: auth.Roles()}, time.Now().Add(time.Hour), time.Now)}}
	a.c, a.end = a.Settings, func(error) {}
	for _, step := range []func(context.Context) error{a.open, a.listen} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err, a.close())
		}
	}
	if err := a.server.Close(); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() {
		_ = a.serve(t.Context())
		closed <- a.close()
	}()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the demo")
	}
}
