package app

import "testing"

// Centres of the same servers have one stream, in whatever order the settings name them.
func TestTheOrderOfServersMakesNoOtherStream(t *testing.T) {
	if a, b := serversOf("nats://b,a:4222,c"), serversOf("nats://a:4222,c,b"); a != b || a == serversOf("tls://a:4222,c,b") {
		t.Errorf("%s and %s", a, b)
	}
}
