package explore

import (
	"testing"

	"github.com/segraph/segraph/views/admin"
	"github.com/segraph/segraph/views/query"
	"github.com/segraph/segraph/views/reports"
	"github.com/segraph/segraph/views/review"
	"github.com/segraph/segraph/views/viewstest"
)

// fixture is a service whose UI has all rooms, and the handlers of this one.
type fixture struct {
	*viewstest.Fixture
	ui *handlers
}

// newService returns a service with authentication, openService one without.
func newService(t testing.TB) *fixture  { return startWith(t, viewstest.Secret, nil) }
func openService(t testing.TB) *fixture { return startWith(t, "", nil) }

// startWith starts a service with settings changed by change, if it is not nil.
func startWith(t testing.TB, secret string, change func(*viewstest.Settings)) *fixture {
	s := viewstest.Start(t, secret, change, reports.Room(nil), Room, query.Room, review.Room, admin.Room)
	return &fixture{s, &handlers{UI: s.UI}}
}
