package views

import "testing"

func TestTheConnectPage(t *testing.T) {
	m := Start{Publish: Command{Text: "curl …", Role: "logger"}, Robots: []Program{{Name: "Python", File: "robot.py", Text: "import segraph", Run: "python3 robot.py"}}}
	golden(t, "connect", ConnectPage(testFrame("Connect a robot", "/connect"), m))
	m.Arrived = true
	golden(t, "connect-arrived", ConnectPage(testFrame("Connect a robot", "/connect"), m))
}
