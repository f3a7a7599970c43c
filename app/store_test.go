package app

import "testing"

func TestPasswordsThatGraphStoresAreShippedWithAreGuessable(t *testing.T) {
	for _, c := range []struct {
		user, password string
		want           bool
	}{
		{"dba", "dba", true}, {"dav", "dav", true}, {"admin", "admin", true}, {"Dba", "DBA", true}, {"robots", "robots", true},
		{"dba", "admin", true}, {"admin", "Password", true}, {"dba", "changeme", true},
		{"dba", "9b1f63c0a7d2e4586f01", false}, {"dba", "", false}, {"", "", false},
	} {
		if why := guessable(c.user, c.password); (why != "") != c.want {
			t.Errorf("%s with %q: %q", c.user, c.password, why)
		}
	}
}
