package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// outward lists the files that may open a connection to an address set by the user, or
// start a program.
var outward = []string{
	"cli/backup_fetch.go",  // segraph backup --url
	"cli/bridge.go",        // segraph bridge
	"robot/foxglove/",      // segraph bridge
	"cli/demo.go",          // opens a page on the desktop
	"app/notify.go",        // the socket of the service manager
	"app/probe.go",         // segraph healthcheck, and the watchdog
	"cli/query_service.go", // segraph query --url
	"store/fleet/box/",     // the configured centres
	"store/log/cosigners/", // the configured witnesses
	"store/follow/remote/", // the configured graph store
}

// ways lists the identifiers with which Go code opens a connection or starts a program.
var ways = map[string][]string{
	"net": {"Dial", "DialTimeout", "DialIP", "DialTCP", "DialUDP", "DialUnix", "Dialer", "Resolver", "DefaultResolver", "LookupAddr", "LookupCNAME", "LookupHost",
		"LookupIP", "LookupMX", "LookupNS", "LookupPort", "LookupSRV", "LookupTXT", "ResolveIPAddr"},
	"net/http":              {"Get", "Head", "Post", "PostForm", "Client", "DefaultClient", "Transport", "DefaultTransport", "NewRequest", "NewRequestWithContext"},
	"net/http/httputil":     {"NewSingleHostReverseProxy", "ReverseProxy"},
	"net/rpc":               {"Dial", "DialHTTP", "DialHTTPPath"},
	"net/smtp":              {"Dial", "SendMail"},
	"crypto/tls":            {"Dial", "DialWithDialer", "Dialer", "Client"},
	"log/syslog":            {"Dial", "New"},
	"os/exec":               {"Command", "CommandContext"},
	"os":                    {"StartProcess"},
	"syscall":               {"Connect", "Exec", "ForkExec", "StartProcess"},
	"golang.org/x/sys/unix": {"Connect", "Exec"},
}

// TestNothingOpensAConnectionButWhereItsUserSaid searches every file of the program for
// these identifiers.
func TestNothingOpensAConnectionButWhereItsUserSaid(t *testing.T) {
	suite.OneGoroutine(t)
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if p := filepath.ToSlash(path); strings.HasPrefix(p, "internal/suite/") || strings.HasPrefix(p, "internal/e2e/") {
			return nil // not part of the program
		}
		for _, way := range waysOut(t, path) {
			i := slices.IndexFunc(outward, func(o string) bool {
				return o == filepath.ToSlash(path) || strings.HasSuffix(o, "/") && strings.HasPrefix(filepath.ToSlash(path), o)
			})
			if i < 0 {
				t.Errorf("%s uses %s", path, way)
			} else {
				used[outward[i]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range outward {
		if !used[path] && !strings.HasSuffix(path, "/") {
			t.Errorf("%s opens no connection: take it out of the list", path)
		}
	}
}

// waysOut returns the identifiers of ways that a file uses.
func waysOut(t *testing.T, path string) (out []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]string{} // name used in the file -> path
	for _, i := range file.Imports {
		from, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := from[strings.LastIndexByte(from, '/')+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		packages[name] = from
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(ways[packages[x.Name]], s.Sel.Name) {
				out = append(out, packages[x.Name]+"."+s.Sel.Name)
			}
		}
		return true
	})
	return out
}

// strangers lists the linked modules that import a package of the standard library which
// can open connections, with what they use it for.
var strangers = []string{
	"github.com/coder/websocket",          // connects where segraph bridge is asked to
	"github.com/gorilla/mux",              // http.Handler
	"github.com/nats-io/nats.go",          // connects to the servers of SEGRAPH_FORWARD_TO and SEGRAPH_FORWARD_FROM
	"github.com/prometheus/client_golang", // promhttp, a server
	"github.com/prometheus/common",        // HTTP headers of the metrics
	"github.com/prometheus/procfs",        // addresses in /proc
	"github.com/google/uuid",              // MAC addresses
	"github.com/a-h/templ",                // http.Handler
	"github.com/icholy/digest",            // HTTP headers; its http.RoundTripper is not used
	"golang.org/x/crypto",                 // the ACME server of SEGRAPH_TLS_ACME
}

// A new module that could open connections must be reviewed before it is linked.
func TestModulesThatCouldOpenConnectionsAreKnown(t *testing.T) {
	suite.OneGoroutine(t)
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}} {{join .Imports \",\"}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path == "" || path+"/" == module {
			continue
		}
		for _, i := range strings.Split(imports, ",") {
			if i == "net" || strings.HasPrefix(i, "net/http") || i == "net/rpc" || i == "net/smtp" || i == "crypto/tls" || i == "os/exec" {
				found[path] = true
			}
		}
	}
	for path := range found {
		if !slices.Contains(strangers, path) {
			t.Errorf("%s imports a package that can open connections", path)
		}
	}
	for _, path := range strangers {
		if !found[path] {
			t.Errorf("%s is not in the program, or opens nothing: take it out of the list", path)
		}
	}
}
