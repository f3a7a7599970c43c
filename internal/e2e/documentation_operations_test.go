package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// freeAddress returns a loopback address with a port that was free.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

// machine replaces root, systemd and packages. systemctl starts the service like the
// section of docs/operations.md about running without systemd. The process id of the
// service is in the file pid.
const machine = `sudo() { if [ "$1" != -i ]; then "$@"; fi; }
apt() { :; }
systemctl() {
  case $1 in
  stop | restart) if [ -f pid ]; then kill "$(cat pid)"; while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.02; done; rm pid; fi ;;
  esac
  case $1 in
  start | restart | enable)
    SECRET_KEY_FILE=/etc/segraph/secret-key segraph serve --data /var/lib/segraph/segraph.db >out 2>log & echo $! >pid
    until segraph healthcheck >/dev/null 2>&1; do kill -0 "$(cat pid)" || { cat log >&2; exit 1; }; sleep 0.02; done ;;
  esac
}
`

// The commands of docs/operations.md work in order, on a machine whose folders are in a
// temporary folder.
func TestRunningSegraphGoesAsThePageSays(t *testing.T) {
	t.Parallel()
	b, dir := blocksOf(t, "docs/operations.md"), shellIn(t)
	address := freeAddress(t)
	for _, folder := range []string{"etc", "var/lib/segraph", "mnt", "root"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	place := strings.NewReplacer("/etc/segraph", dir+"/etc/segraph", "/var/lib", dir+"/var/lib", "/mnt/backups", dir+"/mnt/backups",
		"/root/", dir+"/root/", "http://robots.example:5000", "http://"+address, "http://localhost:5000", "http://"+address)
	given := fmt.Sprintf("export SEGRAPH_API=%s SEGRAPH_UI=127.0.0.1:0\n", address)
	run := func(commands string) string {
		t.Helper()
		return runBlock(t, dir, place.Replace(given+machine+commands), "")
	}
	t.Cleanup(func() { endProcess(filepath.Join(dir, "pid")) })

	run(b[0])
	run("systemctl stop\ncp /etc/segraph/secret-key /var/lib/segraph/secret-key\n" + strings.TrimSuffix(b[1], "\n") + ` >/dev/null 2>&1 & echo $! >pid
until segraph healthcheck >/dev/null 2>&1; do kill -0 "$(cat pid)"; sleep 0.02; done
systemctl restart segraph
`)
	given += "export SEGRAPH_TOKEN=" + strings.TrimSpace(run(b[2])) + "\n" // of a logger, to publish
	run(`curl -fsS http://localhost:5000/ttl -H "Authorization: Bearer $SEGRAPH_TOKEN" -H 'Content-Type: text/turtle' ` +
		`--data '<http://example.org/m1> <http://example.org/text> "Hello"@en .' -o published
`)
	admin := lastLine(run(b[7]))
	if err := os.WriteFile(filepath.Join(dir, "root", "segraph-token"), []byte(admin), 0o600); err != nil {
		t.Fatal(err)
	}
	published, err := os.ReadFile(filepath.Join(dir, "published"))
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`"log_id":"([^"]+)"`).FindSubmatch(published)
	if id == nil {
		t.Fatalf("no log_id in %s", published)
	}
	given += "export SEGRAPH_TOKEN=" + admin + " LOG_ID=" + string(id[1]) + "\n"
	if out := run(strings.ReplaceAll(b[5], "curl ", "curl -fsS ")); strings.Count(out, string(id[1])) < 3 || !strings.Contains(out, "Hello") {
		t.Errorf("the journal says %s", out)
	}
	run("mkdir -p /mnt/backups\n" + b[3])
	run(b[8])
	backups, err := filepath.Glob(filepath.Join(dir, "mnt", "backups", "*.db"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("%d backups: %v", len(backups), err)
	}
	run(strings.Replace(b[9], "segraph-20260131T120000.000Z-1234-schedule.db", filepath.Base(backups[0]), 1))
	run(b[10])
	snapshots := filepath.Join(dir, "var", "lib", "segraph", "segraph.db.snapshots")
	if err := os.MkdirAll(snapshots, 0o700); err != nil {
		t.Fatal(err)
	}
	run("cp /mnt/backups/*.db /var/lib/segraph/segraph.db.snapshots/\n" + b[11])
	if out := run("systemctl stop segraph\n" + strings.Replace(b[6], "segraph.db", "/var/lib/segraph/segraph.db", 1)); !strings.Contains(out, "head") {
		t.Errorf("audit verify prints %s", out)
	}
	if out := run("export SEGRAPH_DATA=/var/lib/segraph/segraph.db\n" + b[4] + "segraph query --data new.db 'ASK { ?s ?p \"Hello\"@en }'"); !strings.Contains(out, "true") {
		t.Errorf("after the way back to an older version there is %s", out)
	}
}

// endProcess kills the process whose id is in a file, if there is one.
func endProcess(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return // it has already exited
	}
	if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		if p, err := os.FindProcess(id); err == nil {
			_ = p.Kill() // fails only if it has already exited
		}
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
