package review

import (
	"testing"
	"time"

	"github.com/segraph/segraph/service"
	"github.com/segraph/segraph/views/admin"
	"github.com/segraph/segraph/views/explore"
	"github.com/segraph/segraph/views/query"
	"github.com/segraph/segraph/views/reports"
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

// limitedService returns a service without authentication, with limits on the time and the memory of
// queries; 0 means the default.
func limitedService(t testing.TB, timeLimit time.Duration, memory int64) *fixture {
	return startWith(t, "", func(c *viewstest.Settings) { c.Limits = service.Limits{QueryTime: timeLimit, QueryMemory: memory} })
}

// startWith starts a service with settings changed by change, if it is not nil.
func startWith(t testing.TB, secret string, change func(*viewstest.Settings)) *fixture {
	s := viewstest.Start(t, secret, change, reports.Room(nil), explore.Room, query.Room, Room, admin.Room)
	return &fixture{s, &handlers{UI: s.UI}}
}
