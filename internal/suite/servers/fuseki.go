package servers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// FusekiJar returns the path of the jar that SEGRAPH_FUSEKI names, or of the newest jar
// that Maven has fetched. If there is no jar, or no Java, it calls suite.Missing.
func FusekiJar(t testing.TB) string {
	t.Helper()
	jar := os.Getenv("SEGRAPH_FUSEKI")
	if home, err := os.UserHomeDir(); jar == "" && err == nil {
		found, _ := filepath.Glob(filepath.Join(home, ".m2/repository/org/apache/jena/jena-fuseki-server/*/jena-fuseki-server-*.jar"))
		if len(found) > 0 {
			jar = slices.Max(found)
		}
	}
	if _, err := exec.LookPath("java"); err != nil || jar == "" {
		suite.Missing(t, "no Apache Jena Fuseki: install Java, and `mvn dependency:get -Dtransitive=false -Dartifact=org.apache.jena:jena-fuseki-server:4.10.0`")
	}
	return jar
}

// Fuseki is a running Apache Jena Fuseki, with its data on disk in a folder of its own.
type Fuseki struct {
	URL string // of its dataset, below which are /query, /update and /data

	jar, dir string
	cmd      *exec.Cmd
	ended    chan struct{}
}

// StartFuseki starts an Apache Jena Fuseki, waits until it answers, and stops it at the end of
// the test. Its jar is that of FusekiJar.
func StartFuseki(t testing.TB) *Fuseki {
	t.Helper()
	f := &Fuseki{URL: "http://" + freePorts(t, 1)[0] + "/ds", jar: FusekiJar(t), dir: t.TempDir()}
	if err := os.Mkdir(filepath.Join(f.dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.Start(t)
	t.Cleanup(f.Kill)
	return f
}

// Start starts Fuseki and waits until it answers.
func (f *Fuseki) Start(t testing.TB) {
	t.Helper()
	address, _ := strings.CutSuffix(f.URL, "/ds")
	port := address[strings.LastIndex(address, ":")+1:]
	f.cmd = exec.Command("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g", "-jar", f.jar, "--localhost", "--port", port, "--update", "--tdb2", "--loc", filepath.Join(f.dir, "data"), "/ds")
	f.cmd.Dir = f.dir
	if err := f.cmd.Start(); err != nil {
		t.Fatalf("starting Fuseki: %v", err)
	}
	cmd, ended := f.cmd, make(chan struct{})
	f.ended = ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its exit status does not matter
	}()
	WaitForSPARQL(t, f.URL+"/query", ended)
}

// Kill kills the process, as a crash would, and waits until it is gone.
func (f *Fuseki) Kill() {
	_ = f.cmd.Process.Kill() // fails only if it has already exited
	<-f.ended
}
