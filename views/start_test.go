package views

import (
	"testing"
	"time"
)

func TestTheConnectPage(t *testing.T) {
	m := Start{Publish: Command{Text: "curl …", Role: "logger"}, Robots: []Program{{Name: "Python", File: "robot.py", Text: "import segraph", Run: "python3 robot.py"}}}
	now := testNow
	logs := []ArrivedLog{{ID: "0198", User: "rio", At: now.Add(-5 * time.Second), Triples: 12}}
	golden(t, "connect", ConnectPage(testFrame("Connect a robot", "/connect"), m, Arrivals{Now: now}))
	golden(t, "connect-arrived", ConnectPage(testFrame("Connect a robot", "/connect"), m, Arrivals{Activities: true, Logs: logs, Now: now}))
}
