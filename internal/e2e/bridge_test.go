package e2e

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// museumTold is what an import or a bridge says about the museum's recording.
const museumTold = "161 logs stored, 2,264 triples new\n49 events compared with what other robots report: 35 new, 6 matched, 8 to review\n"

// robotTools returns a Python with the libraries of testdata/robots.
func robotTools(t *testing.T) string {
	t.Helper()
	python := client(t, "venv", "bin", "python")
	if out, err := exec.Command(python, "-c", "import foxglove, foxglove_websocket, mcap, rosbags").CombinedOutput(); err != nil {
		suite.Missing(t, "run .ci/tools again: "+string(out))
	}
	return python
}

// TestBagsOfOtherPrograms imports the museum's recording as rosbags and foxglove-sdk write it.
func TestBagsOfOtherPrograms(t *testing.T) {
	suite.NotShort(t)
	t.Parallel()
	python, dir := robotTools(t), t.TempDir()
	for _, how := range []string{"rosbags", "zstd", "lz4", "none"} {
		out := filepath.Join(dir, how+".mcap")
		if text, err := exec.Command(python, "testdata/robots/rewrite.py", suite.Shared(t, "data", "mcap", "museum.mcap"), out, how).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", how, err, text)
		}
		if got := command(t, dir, nil, "", "import", "--data", how+".db", "--map", museumMap(t), out); got.code != 0 || got.stdout != museumTold {
			t.Errorf("%s: %+v", how, got)
		}
	}
}

// TestTheBridgeTellsWhatTheImportTells plays the recording on servers of foxglove-sdk and foxglove-websocket.
func TestTheBridgeTellsWhatTheImportTells(t *testing.T) {
	suite.NotShort(t)
	python := robotTools(t)
	plays := [][]string{{"100"}, {"2000"}, {"2000", "--old"}}
	if suite.Long() {
		plays = append(plays, []string{"1"})
	}
	for _, play := range plays {
		t.Run(strings.Join(play, " "), func(t *testing.T) {
			t.Parallel()
			port := freePort(t)
			robot := exec.Command(python, append([]string{"testdata/robots/play.py", suite.Shared(t, "data", "mcap", "museum.mcap"), play[0], port}, play[1:]...)...)
			in, err := robot.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := robot.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := robot.Start(); err != nil {
				t.Fatal(err)
			}
			defer robot.Wait()
			defer in.Close()
			s := serve(t, t.TempDir(), nil)
			bridge := exec.Command(binary, "bridge", "--url", s.api, "--map", museumMap(t), "ws://127.0.0.1:"+port)
			said, warned := &output{}, &output{}
			bridge.Env, bridge.Stdout, bridge.Stderr = environ(), said, warned
			if err := bridge.Start(); err != nil {
				t.Fatal(err)
			}
			for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "played"; {
			}
			go io.Copy(io.Discard, out)
			poll(t, "the last log is stored, and all before", func() bool {
				return s.count(robotPrefixes+`SELECT (COUNT(*) AS ?n) { ?m schema:text "Good night." }`) == 1
			})
			if err := bridge.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if err := bridge.Wait(); err != nil || !strings.HasSuffix(said.String(), museumTold) {
				t.Errorf("%v\n%s%s", err, said, warned)
			}
			s.museumIsTold()
		})
	}
}

// TestTheNodesOfROS runs the node of ROS 2 against stubs, since Debian has no ROS 2, and that of ROS 1 with Debian's rospy.
func TestTheNodesOfROS(t *testing.T) {
	suite.NotShort(t)
	const python = "/usr/bin/python3" // Debian's packages are for this one
	if err := exec.Command(python, "-c", "import rospy, std_msgs, yaml").Run(); err != nil {
		suite.Missing(t, "no rospy: apt-get install python3-rospy python3-rosmaster python3-std-msgs")
	}
	cmd := exec.Command(python, "-B", "-m", "unittest", "test_nodes")
	cmd.Dir, cmd.Env = filepath.Join(suite.Root(t), "clients", "ros2", "test"), environ()
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "Ran 3 tests") || strings.Contains(string(out), "skipped") {
		t.Errorf("%v\n%s", err, out)
	}
}
