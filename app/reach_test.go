package app

import (
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/config"
)

func TestTheBannerSaysWhoCanReachTheService(t *testing.T) {
	at := func(ip string, port int) net.Addr { return &net.TCPAddr{IP: net.ParseIP(ip), Port: port} }
	const everybody, advice = "Everybody who can reach this machine over the network", "SEGRAPH_API=127.0.0.1:5000"
	for _, c := range []struct {
		api, ui net.Addr
		has     []string
		hasNot  []string
	}{
		{at("::", 5000), at("0.0.0.0", 8080), []string{everybody, advice, "API: port 5000 of every address", "Web UI: port 8080 of every address"}, nil},
		{at("127.0.0.1", 5000), at("::", 8080), []string{everybody, advice, "API: 127.0.0.1:5000, this machine only"}, nil},
		{at("192.168.1.7", 5000), at("127.0.0.1", 8080), []string{everybody, advice, "API: 192.168.1.7:5000."}, nil},
		{at("127.0.0.1", 5001), at("::1", 8080), []string{"Programs of this machine", "127.0.0.1:5001", "[::1]:8080"}, []string{everybody, advice}},
	} {
		got := banner(c.api, c.ui, false)
		for _, part := range append(c.has, "AUTHENTICATION IS OFF", "set SECRET_KEY") {
			if !strings.Contains(got, part) {
				t.Errorf("%v, %v: %q is not in %s", c.api, c.ui, part, got)
			}
		}
		for _, part := range c.hasNot {
			if strings.Contains(got, part) {
				t.Errorf("%v, %v: %q is in %s", c.api, c.ui, part, got)
			}
		}
	}
}

func TestTheBannerOfALiveDemoSaysWhatOthersMay(t *testing.T) {
	here, everywhere := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 5000}, &net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}
	if got := banner(here, everywhere, true); !strings.Contains(got, "Programs of this machine may") || !strings.Contains(got, "every address of this machine, where other machines can only vote.") {
		t.Error(got)
	}
	if got := banner(everywhere, everywhere, true); !strings.Contains(got, "Everybody who can reach this machine") {
		t.Errorf("with an API for all: %s", got)
	}
}

func TestSignaturesNeedAuthentication(t *testing.T) {
	for must, want := range map[string]bool{"": false, "ari": true, "ari tiago": true, "ari all": false, "anonymous_user": false} {
		if got := unsignedAnyway(strings.Fields(must)); got != want {
			t.Errorf("%q: %t, want %t", must, got, want)
		}
	}
}

func TestNamesOfTheServiceAreThoseThatItKnowsItself(t *testing.T) {
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	got := ownNames(&config.Config{API: ":5000", UI: "ui.example.org:8080", Hosts: []string{"graph.example.org"}})
	if want := []string{"graph.example.org", machine, "ui.example.org"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
