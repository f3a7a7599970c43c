package reports

import (
	"testing"
	"time"

	"github.com/segraph/segraph/views"
	"github.com/segraph/segraph/views/viewstest"
)

func TestTheConnectPage(t *testing.T) {
	t.Parallel()
	m := Start{Path: "/connect", Publish: views.Command{Text: "curl …", Role: "logger"}, Robots: []Program{{Name: "Python", File: "robot.py", Text: "import segraph", Run: "python3 robot.py"}}}
	now := viewstest.Now
	logs := []ArrivedLog{{ID: "0198", User: "rio", At: now.Add(-5 * time.Second), Triples: 12}}
	viewstest.Golden(t, "connect-waiting", Arrival(Arrivals{Now: now}))
	viewstest.Golden(t, "connect-arrived", Arrival(Arrivals{Activities: true, Logs: logs, Now: now}))
	viewstest.Golden(t, "connect-programs", programs(m))
	viewstest.Show(t, ConnectPage(viewstest.Frame("Connect a robot", "/connect"), m, Arrivals{Now: now})).Reads(`
# Connect a robot
Send what a robot hears, decides and says. Reports, replays and explanations follow from it.
Each program logs a short talk. The clients keep events on disk until the service has them. Recordings (MCAP) and foxglove_bridge work too.
Python → /connect?with=Python
Set SEGRAPH_TOKEN to a token with the role logger, such as segraph token --user rio --role logger prints.
Save this as robot.py
import segraph
Run
python3 robot.py
Waiting for the first activity
This changes when it arrives.
`)
	viewstest.Show(t, ConnectPage(viewstest.Frame("Connect a robot", "/connect"), m, Arrivals{Activities: true, Logs: logs, Now: now})).Reads(`
# Connect a robot
Send what a robot hears, decides and says. Reports, replays and explanations follow from it.
…
Activities have arrived
Open the last session → /reports?last=session , and ask why of anything in it.
12 triples → /log?id=0198 from rio, 5 seconds ago
`)
}
