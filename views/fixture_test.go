package views_test

import (
	"testing"

	"github.com/segraph/segraph/views/rooms"
	"github.com/segraph/segraph/views/viewstest"
)

type fixture = viewstest.Fixture

// newService returns a service with authentication, openService one without.
func newService(t testing.TB) *fixture  { return startWith(t, viewstest.Secret, nil) }
func openService(t testing.TB) *fixture { return startWith(t, "", nil) }

// startWith starts a service with settings changed by change, if it is not nil.
func startWith(t testing.TB, secret string, change func(*viewstest.Settings)) *fixture {
	return viewstest.Start(t, secret, change, rooms.All(nil)...)
}
