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

// FusekiJar returns the path of the jar that SEGRAPH_FUSEKI names, or of the newest one
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

// StartFuseki starts an Apache Jena Fuseki with its data on disk and returns the URL of
// its dataset, below which are /query, /update and /data. The server is stopped at the
// end of the test. Its jar is that of FusekiJar.
func StartFuseki(t testing.TB) string {
	t.Helper()
	jar := FusekiJar(t)
	address := freePorts(t, 1)[0]
	dir := t.TempDir()
	port := address[strings.LastIndex(address, ":")+1:]
	cmd := exec.Command("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g", "-jar", jar, "--localhost", "--port", port, "--update", "--tdb2", "--loc", filepath.Join(dir, "data"), "/ds")
	cmd.Dir = dir
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting Fuseki: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // its exit status does not matter
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails only if it has already exited
		<-ended
	})
	base := "http://" + address + "/ds"
	WaitForSPARQL(t, base+"/query", ended)
	return base
}
