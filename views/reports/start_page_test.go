package reports

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheConnectPage(t *testing.T) {
	t.Parallel()
	m := Start{Publish: views.Command{Text: "curl …", Role: "logger"}, Robots: []Program{{Name: "Python", File: "robot.py", Text: "import segraph", Run: "python3 robot.py"}}}
	now := viewstest.Now
	logs := []ArrivedLog{{ID: "0198", User: "rio", At: now.Add(-5 * time.Second), Triples: 12}}
	viewstest.Golden(t, "connect", ConnectPage(viewstest.Frame("Connect a robot", "/connect"), m, Arrivals{Now: now}))
	viewstest.Golden(t, "connect-arrived", ConnectPage(viewstest.Frame("Connect a robot", "/connect"), m, Arrivals{Activities: true, Logs: logs, Now: now}))
}
