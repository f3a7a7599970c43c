// Package rooms lists the rooms of the web UI.
package rooms

import (
	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/admin"
	"github.com/segraph/segraph/views/explore"
	"github.com/segraph/segraph/views/query"
	"github.com/segraph/segraph/views/reports"
	"github.com/segraph/segraph/views/review"
)

// All returns all rooms, in the order of the navigation. live is the live demo that pages follow, or
// nil.
func All(live *reports.Live) []func(*views.UI) views.Room {
	return []func(*views.UI) views.Room{reports.Room(live), explore.Room, query.Room, review.Room, admin.Room}
}
