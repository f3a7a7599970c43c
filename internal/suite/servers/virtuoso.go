// Package servers starts other graph stores, for tests alone. It is not a part of suite,
// so that tests which need none do not link an HTTP client.
package servers

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/segraph/segraph/internal/suite"
)

// Virtuoso is a Virtuoso of a test's own: Debian's virtuoso-opensource, in an empty
// folder on free ports.
type Virtuoso struct {
	URL      string // of its HTTP server
	Password string // of dba

	dir   string
	sql   string // address of its SQL server
	cmd   *exec.Cmd
	ended chan struct{}
}

// StartVirtuoso starts a Virtuoso and waits until it answers; it is stopped when t ends.
// Where there is none to start, t ends here: skipped, or failed if everything is
// required. rows is its ResultSetMaxRows.
func StartVirtuoso(t testing.TB, rows int) *Virtuoso {
	t.Helper()
	return StartVirtuosoWith(t, rows, "the first password")
}

// StartVirtuosoWith is StartVirtuoso for a database that is created with this password.
func StartVirtuosoWith(t testing.TB, rows int, password string) *Virtuoso {
	t.Helper()
	return startVirtuoso(t, rows, password, 10_000)
}

// StartLargeVirtuoso is StartVirtuoso for measurements: it may keep 1.4 GB in memory.
func StartLargeVirtuoso(t testing.TB, rows int) *Virtuoso {
	t.Helper()
	return startVirtuoso(t, rows, "the first password", 170_000)
}

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
MaxQueryExecutionTime = 60
`, ports[0], buffers, buffers*3/5, ports[1], rows)
	if err := os.WriteFile(filepath.Join(v.dir, "virtuoso.ini"), []byte(ini), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// It makes its database, sets the password and ends.
	first := v.command(ctx, "+pwdold", "dba", "+pwddba", v.Password, "+pwddav", v.Password)
	if out, err := first.CombinedOutput(); err != nil {
		t.Fatalf("making a Virtuoso: %v\n%s", err, out)
	}
	v.Start(t)
	t.Cleanup(v.Kill)
	return v
}

func (v *Virtuoso) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "virtuoso-t", append([]string{"+foreground", "+configfile", "virtuoso.ini"}, args...)...)
	cmd.Dir = v.dir
	return cmd
}

// Start starts it again and waits until it answers.
func (v *Virtuoso) Start(t testing.TB) {
	t.Helper()
	v.cmd = v.command(context.Background())
	if err := v.cmd.Start(); err != nil {
		t.Fatalf("starting Virtuoso: %v", err)
	}
	ended := make(chan struct{})
	v.ended = ended
	go func() {
		defer close(ended)
		_ = v.cmd.Wait() // how it ended says nothing
	}()
	WaitForSPARQL(t, v.URL+"/sparql", ended)
}

// Kill ends it as a power cut would, and waits until it is gone.
func (v *Virtuoso) Kill() { v.end(syscall.SIGKILL) }

// Stop ends it in good order, and waits until it is gone.
func (v *Virtuoso) Stop() { v.end(syscall.SIGTERM) }

func (v *Virtuoso) end(s syscall.Signal) {
	_ = v.cmd.Process.Signal(s) // fails only if it has ended already
	<-v.ended
}

// WaitForSPARQL waits until a SPARQL endpoint answers, or until its process has ended.
func WaitForSPARQL(t testing.TB, endpoint string, ended <-chan struct{}) {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		r, err := client.Get(endpoint + "?query=ASK%7B%7D")
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-ended:
			t.Fatalf("the server at %s ended by itself", endpoint)
		case <-time.After(50 * time.Millisecond): // between two looks
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server at %s does not answer: %v", endpoint, err)
		}
	}
}

// freePorts returns addresses of loopback that were free a moment ago.
func freePorts(t testing.TB, n int) []string {
	t.Helper()
	out := make([]string, n)
	for i := range out {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all are held until the last is found
		out[i] = l.Addr().String()
	}
	return out
}

// Update carries out an update as an operator would, past segraph.
func (v *Virtuoso) Update(t testing.TB, text string) {
	t.Helper()
	v.execute(t, "SPARQL "+text)
}

// Open lets everybody write, so that what it does without a password can be measured.
func (v *Virtuoso) Open(t testing.TB) {
	t.Helper()
	v.execute(t, `GRANT SPARQL_UPDATE TO "SPARQL"`)
}

// Load reads a Turtle file into a graph.
func (v *Virtuoso) Load(t testing.TB, path, graph string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(filepath.Join(v.dir, "load.ttl"), text, 0o600) // it reads its own folder alone
	}
	if err != nil {
		t.Fatal(err)
	}
	// Each row is a transaction and none is logged: as one, 5 M triples never end.
	v.execute(t, "log_enable(2); DB.DBA.TTLP(file_open('load.ttl'), '', '"+graph+"', 0)")
	v.execute(t, "checkpoint")
}

// Undo carries out statements in one transaction, and undoes it.
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
