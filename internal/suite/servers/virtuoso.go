// Package servers starts other graph stores for tests. It is separate from package suite,
// so that tests without graph stores do not link an HTTP client.
package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// Virtuoso is a running Virtuoso, from Debian's virtuoso-opensource, with an empty folder
// and free ports of its own.
type Virtuoso struct {
	URL      string // URL of its HTTP server
	Password string // password of the user dba

	dir   string
	sql   string // address of its SQL server
	cmd   *exec.Cmd
	ended chan struct{}
}

// StartVirtuoso starts a Virtuoso with rows as its ResultSetMaxRows, waits until it
// answers, and stops it at the end of the test. If it is not installed, StartVirtuoso
// calls suite.Missing.
func StartVirtuoso(t testing.TB, rows int) *Virtuoso {
	t.Helper()
	return StartVirtuosoWith(t, rows, "the first password")
}

// StartVirtuosoWith is like StartVirtuoso with the given password of dba.
func StartVirtuosoWith(t testing.TB, rows int, password string) *Virtuoso {
	t.Helper()
	return startVirtuoso(t, rows, password, 10_000)
}

// StartLargeVirtuoso is like StartVirtuoso for measurements, with up to 1.4 GB of memory.
func StartLargeVirtuoso(t testing.TB, rows int) *Virtuoso {
	t.Helper()
	return startVirtuoso(t, rows, "the first password", 170_000)
}

// startVirtuoso starts an empty Virtuoso, which returns at most rows rows and caches pages in
// buffers of 8 KiB.
func startVirtuoso(t testing.TB, rows int, password string, buffers int) *Virtuoso {
	t.Helper()
	if _, err := exec.LookPath("virtuoso-t"); err != nil {
		suite.Missing(t, "no virtuoso-t: install Debian's virtuoso-opensource-7-bin")
	}
	ports := freePorts(t, 2)
	v := &Virtuoso{URL: "http://" + ports[1], Password: password, dir: t.TempDir(), sql: ports[0]}
	ini := fmt.Sprintf(`[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx
[Parameters]
ServerPort = %s
DisableUnixSocket = 1
DirsAllowed = .
NumberOfBuffers = %d
MaxDirtyBuffers = %d
CaseMode = 2
MaxSortedTopRows = 1000000
[HTTPServer]
ServerPort = %s
ServerThreads = 10
[SPARQL]
ResultSetMaxRows = %d
MaxQueryExecutionTime = 600
`, ports[0], buffers, buffers*3/5, ports[1], rows)
	if err := os.WriteFile(filepath.Join(v.dir, "virtuoso.ini"), []byte(ini), 0o600); err != nil {
		t.Fatal(err)
	}
	v.create(t)
	v.Start(t)
	t.Cleanup(v.Kill)
	return v
}

// created holds the file of a new database by password. Virtuoso takes two seconds of CPU
// to make one.
var created struct {
	sync.Mutex
	files map[string][]byte
}

// create makes an empty database in v's folder.
func (v *Virtuoso) create(t testing.TB) {
	t.Helper()
	path := filepath.Join(v.dir, "virtuoso.db")
	created.Lock()
	defer created.Unlock()
	if file := created.files[v.Password]; file != nil {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// The first run creates the database, sets the passwords and exits.
	first := v.command(ctx, "+pwdold", "dba", "+pwddba", v.Password, "+pwddav", v.Password)
	if out, err := first.CombinedOutput(); err != nil {
		t.Fatalf("making a Virtuoso: %v\n%s", err, out)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if created.files == nil {
		created.files = map[string][]byte{}
	}
	created.files[v.Password] = file
}

func (v *Virtuoso) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "virtuoso-t", append([]string{"+foreground", "+configfile", "virtuoso.ini"}, args...)...)
	cmd.Dir = v.dir
	return cmd
}

// Start starts Virtuoso and waits until it answers. If Virtuoso exits at once, Start tries
// twice more: another process can hold one of its ports for a moment.
func (v *Virtuoso) Start(t testing.TB) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		err := v.start()
		if err == nil {
			return
		}
		if attempt == 3 || !errors.Is(err, errEnded) {
			text, _ := os.ReadFile(filepath.Join(v.dir, "virtuoso.log")) // empty if there is none
			t.Fatalf("starting Virtuoso: %v\n%s", err, text[max(0, len(text)-2000):])
		}
		time.Sleep(time.Second) // the port may be free by then
	}
}

// start starts the process and waits until it answers. The error is errEnded if it ends before.
func (v *Virtuoso) start() error {
	// A killed Virtuoso leaves its lock file. The next one refuses to start if another
	// process has been given the number in it.
	_ = os.Remove(filepath.Join(v.dir, "virtuoso.lck")) // often there is none
	v.cmd = v.command(context.Background())
	if err := v.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	v.ended = ended
	go func() {
		defer close(ended)
		_ = v.cmd.Wait() // its exit status does not matter
	}()
	return waitForSPARQL(v.URL+"/sparql", ended)
}

// Kill kills the process, as a crash would, and waits until it is gone.
func (v *Virtuoso) Kill() { v.end(syscall.SIGKILL) }

// Stop shuts Virtuoso down and waits until it is gone.
func (v *Virtuoso) Stop() { v.end(syscall.SIGTERM) }

func (v *Virtuoso) end(s syscall.Signal) {
	_ = v.cmd.Process.Signal(s) // fails only if it has already exited
	<-v.ended
}

// errEnded reports that a server's process ended while a test waited for its answer.
var errEnded = errors.New("it ended by itself")

// WaitForSPARQL waits until a SPARQL endpoint answers. It fails the test if the server's
// process ends or two minutes pass.
func WaitForSPARQL(t testing.TB, endpoint string, ended <-chan struct{}) {
	t.Helper()
	if err := waitForSPARQL(endpoint, ended); err != nil {
		t.Fatalf("the server at %s: %v", endpoint, err)
	}
}

// waitForSPARQL asks until an endpoint answers, for at most two minutes.
func waitForSPARQL(endpoint string, ended <-chan struct{}) error {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		r, err := client.Get(endpoint + "?query=ASK%7B%7D")
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(r.Status)
		}
		select {
		case <-ended:
			return errEnded
		case <-time.After(50 * time.Millisecond): // between two attempts
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer: %w", err)
		}
	}
}

// freePorts returns n loopback addresses with ports that were free.
func freePorts(t testing.TB, n int) []string {
	t.Helper()
	out := make([]string, n)
	for i := range out {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // keep all ports taken until the last is found
		out[i] = l.Addr().String()
	}
	return out
}

// Update runs a SPARQL update directly in Virtuoso, bypassing segraph.
func (v *Virtuoso) Update(t testing.TB, text string) {
	t.Helper()
	v.execute(t, "SPARQL "+text)
}

// Open lets everybody write, so that tests can measure updates without a password.
func (v *Virtuoso) Open(t testing.TB) {
	t.Helper()
	v.execute(t, `GRANT SPARQL_UPDATE TO "SPARQL"`)
}

// Load loads a Turtle file into a graph.
func (v *Virtuoso) Load(t testing.TB, path, graph string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(v.dir, "load.ttl"), text, 0o600) // it reads only its own folder
	}
	if err != nil {
		t.Fatal(err)
	}
	// Each row is a transaction of its own and nothing is logged. As one transaction, 5 M
	// triples never finish.
	v.execute(t, "log_enable(2); DB.DBA.TTLP(file_open('load.ttl'), '', '"+graph+"', 0)")
	v.execute(t, "checkpoint")
}

// Undo runs statements in one transaction and rolls it back.
func (v *Virtuoso) Undo(t testing.TB, statements ...string) {
	t.Helper()
	cmd := exec.Command("isql-vt", v.sql, "dba", v.Password)
	cmd.Stdin = strings.NewReader("SET AUTOCOMMIT MANUAL;\n" + strings.Join(statements, ";\n") + ";\nROLLBACK WORK;\n")
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("Error")) {
		t.Fatalf("%q: %v\n%s", statements, err, out)
	}
}

func (v *Virtuoso) execute(t testing.TB, statement string) {
	t.Helper()
	cmd := exec.Command("isql-vt", v.sql, "dba", v.Password, "exec="+statement+";")
	if out, err := cmd.CombinedOutput(); err != nil || bytes.Contains(out, []byte("Error")) {
		t.Fatalf("%s: %v\n%s", statement, err, out)
	}
}
