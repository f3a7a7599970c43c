package app

import (
	"net"
	"regexp"
	"testing"
)

func TestTheGuestsLinkNamesAnAddressThatPhonesReach(t *testing.T) {
	if got := guestLink(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 8080}, nil); got != "http://192.0.2.7:8080" {
		t.Errorf("of an address: %s", got)
	}
	if got := guestLink(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080}, nil); !regexp.MustCompile(`^http://(10|172|192|localhost)[.:0-9]*:8080$`).MatchString(got) {
		t.Errorf("of all addresses: %s", got)
	}
}
