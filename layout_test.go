package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/store/engine/file"
)

const module = "github.com/segraph/segraph/"

// arrows lists the packages of the project that each package may import. DESIGN.md
// explains the direction.
var arrows = map[string][]string{
	"store/rdf":             nil,
	"store/rdf/canon":       {"store/rdf"},
	"store/orders":          nil,
	"store/trigram":         nil,
	"store/engine/text":     {"internal/varint", "store/engine/checksum", "store/trigram"},
	"store/engine/index":    {"internal/varint", "store/engine/checksum"},
	"store/engine/checksum": nil,
	"store/engine/memtable": {"store/orders", "internal/varint", "store/engine/dict", "store/engine/index", "store/engine/kv"},
	"store/engine/file":     {"internal/errno", "store/engine/checksum"},
	"store/turtle":          {"store/rdf"},
	"store/rdfxml":          {"store/rdf", "store/turtle"},
	"store/jsonscan":        nil,
	"store/jsonld":          {"store/jsonscan", "store/rdf", "store/turtle"},
	"store/format":          {"store/jsonld", "store/rdf", "store/rdfxml", "store/turtle"},
	"store/engine/dict":     {"store/orders", "store/rdf", "internal/varint", "store/engine/checksum"},
	"internal/vocabulary":   {"store/rdf", "store/turtle"},
	"store/journal":         {"internal/varint", "store/engine/kv", "store/publickey"},
	"store/journal/tree":    {"store/engine/kv", "store/journal"},
	"store/engine/kv":       {"store/engine/checksum"},
	"store":                 {"store/format", "store/rdf", "store/rdf/canon", "store/turtle", "store/journal"},
	"store/sparql/budget":   {},
	"store/sparql/syntax":   {"store/sparql/budget", "store/rdf"},
	"store/sparql/value":    {"store/trigram", "store/rdf", "store/sparql/syntax"},
	"store/sparql/results":  {"store/rdf", "store/turtle", "store/jsonscan"},
	"store/sparql/algebra":  {"store/trigram", "store/sparql/budget", "store/rdf", "store/sparql/syntax"},
	"store/sparql/eval":     {"store/trigram", "store/orders", "store/sparql/budget", "store/rdf", "store/sparql/syntax", "store/sparql/algebra", "store/sparql/value"},
	"store/sparql":          {"store/sparql/budget", "store/rdf", "store/sparql/syntax", "store/sparql/algebra", "store/sparql/plan", "store/sparql/eval", "store/sparql/value"},
	"store/memory":          {"store/rdf", "store/sparql"},
	"store/sparql/plan":     {"store/trigram", "store/sparql/budget", "store/rdf", "store/sparql/syntax", "store/sparql/algebra", "store/sparql/value"},
	"store/cayley":          {"store/orders", "store", "store/engine", "store/engine/dict", "store/engine/index", "store/rdf", "store/journal"},
	"store/engine": {"store/format", "store/trigram", "store/engine/text", "internal/counting", "store/engine/memtable", "store/orders", "internal/varint", "store", "store/rdf", "store/turtle", "store/engine/index", "store/engine/dict", "store/engine/file", "store/engine/kv", "internal/errno",
		"store/sparql", "store/sparql/syntax", "store/sparql/eval", "store/sparql/value", "store/journal", "store/journal/tree"},
	"store/provenance":       {"store/format", "internal/counting", "internal/varint", "store", "store/rdf", "store/turtle", "store/engine", "store/engine/checksum", "store/engine/dict", "store/engine/index", "store/engine/kv", "store/journal"},
	"store/translog":         {"store/cosignature", "store/engine", "store/engine/file", "store/engine/kv", "store/journal", "store/journal/tree", "store/publickey"},
	"store/signers":          {"store", "store/engine", "store/journal", "store/publickey"},
	"store/cosignature":      {"store/publickey"},
	"store/publickey":        nil,
	"store/witness":          {"store/cosignature", "store/engine/file", "store/publickey"},
	"store/cosigners":        {"store/cosignature", "store/translog"},
	"store/outbox":           {"internal/varint", "store", "store/rdf", "store/engine", "store/engine/dict", "store/engine/index", "store/engine/kv"},
	"store/notes":            {"store", "store/engine", "store/engine/kv"},
	"store/retries":          {"internal/varint", "store/engine", "store/engine/kv", "store/journal"},
	"resolver/persist":       {"resolver", "resolver/mirror", "internal/vocabulary", "store", "store/rdf", "store/engine", "store/journal", "store/notes", "store/outbox", "store/provenance", "store/retries"},
	"resolver":               {"internal/strictjson", "resolver/text", "resolver/weigh", "resolver/record", "resolver/mirror", "store/rdf", "store/journal"},
	"resolver/text":          nil,
	"resolver/weigh":         nil,
	"resolver/record":        {"internal/varint"},
	"resolver/mirror":        {"resolver/record", "store/rdf", "internal/vocabulary"},
	"resolver/memory":        {"resolver", "store/rdf"},
	"store/remote":           {"store/sparql/budget", "store", "store/rdf", "store/turtle", "store/engine", "store/outbox", "store/sparql", "store/sparql/syntax", "store/sparql/eval", "store/sparql/results", "store/journal"},
	"store/virtuoso":         {"store/rdf", "store/remote", "store/sparql/syntax", "store/sparql/eval"},
	"internal/auth":          {"internal/logbuf", "internal/quoted"},
	"internal/httpsig":       nil,
	"internal/quoted":        nil,
	"internal/logbuf":        {"store/trigram"},
	"internal/spool":         {"internal/errno"},
	"internal/drawing":       nil,
	"internal/museum":        {"resolver", "store/rdf"},
	"internal/counting":      nil,
	"internal/storetest":     {"store", "store/engine/kv", "store/journal", "store/rdf", "store/turtle"},
	"internal/headroom":      nil,
	"internal/memory":        nil,
	"internal/suite":         {"store/rdf", "store/turtle", "internal/vocabulary"},
	"internal/suite/servers": {"internal/suite"},
	"internal/suite/answers": {"store/rdf", "store/sparql/results", "store/turtle"},
	"internal/acme":          nil,
	"internal/keypair":       nil,
	"internal/powercut":      nil,
	"internal/metrics":       nil,
	"internal/running":       nil,
	"internal/varint":        nil,
	"internal/backup":        {"store", "store/engine/file", "internal/spool"},
	"internal/e2e":           nil,
	"internal/e2e/ui":        nil,
	"internal/config":        {"internal/logbuf", "internal/quoted", "resolver"},
	"internal/semcheck":      {"store/format", "store", "store/rdf", "store/turtle", "store/engine/dict", "store/engine/index", "internal/vocabulary"},
	"static":                 {"internal/coding"},
	"docs":                   nil,
	"clients":                nil,
	"service":                {"evidence", "internal/auth", "internal/backup", "internal/coding", "internal/logbuf", "internal/memory", "internal/museum", "internal/semcheck", "internal/spool", "internal/strictjson", "internal/vocabulary", "resolver", "store", "store/cosigners", "store/format", "store/journal", "store/notes", "store/rdf", "store/retries", "store/sparql", "store/sparql/eval", "store/sparql/results", "store/sparql/syntax", "store/translog", "store/turtle", "store/witness"},
	"evidence":               {"internal/coding", "internal/counting", "internal/httpsig", "internal/quoted", "internal/strictjson", "store", "store/cosignature", "store/format", "store/journal", "store/publickey", "store/rdf", "store/rdf/canon", "store/sparql/syntax", "store/translog", "store/turtle"},
	"front":                  {"internal/auth", "internal/coding", "internal/httpsig", "internal/logbuf", "internal/metrics", "internal/spool", "internal/strictjson", "service", "store", "store/journal", "store/rdf", "store/sparql", "store/sparql/syntax", "store/turtle"},
	"httpapi":                {"evidence", "front", "internal/auth", "internal/backup", "internal/logbuf", "internal/strictjson", "internal/vocabulary", "resolver", "service", "static", "store", "store/journal", "store/rdf", "store/sparql/results", "store/turtle", "store/witness"},
	"views":                  {"internal/quoted", "static"},
	"webui/report":           {"internal/quoted", "views", "store/rdf", "internal/vocabulary"},
	"webui":                  {"clients", "docs", "evidence", "front", "internal/auth", "internal/coding", "internal/drawing", "internal/logbuf", "internal/museum", "internal/quoted", "internal/semcheck", "internal/vocabulary", "resolver", "resolver/mirror", "resolver/text", "service", "static", "store", "store/cosigners", "store/journal", "store/rdf", "store/sparql", "store/sparql/results", "store/sparql/syntax", "store/trigram", "store/turtle", "store/witness", "views", "webui/report"},
	"cli":                    {"evidence", "front", "httpapi", "internal/acme", "internal/auth", "internal/backup", "internal/config", "internal/errno", "internal/headroom", "internal/keypair", "internal/logbuf", "internal/memory", "internal/metrics", "internal/running", "internal/spool", "internal/strictjson", "internal/vocabulary", "resolver", "resolver/memory", "resolver/persist", "service", "store", "store/cayley", "store/cosigners", "store/engine", "store/engine/file", "store/format", "store/journal", "store/rdf", "store/rdf/canon", "store/remote", "store/sparql", "store/sparql/eval", "store/sparql/results", "store/signers", "store/sparql/syntax", "store/translog", "store/turtle", "store/virtuoso", "store/witness", "webui"},
	"internal/errno":         nil,
	"internal/strictjson":    {"store/jsonscan"},
	"internal/coding":        nil,
	"":                       {"cli"},
}

// TestImportsRunOneWay checks the imports of every package against arrows. A new package
// must be added there. An arrow that no import uses fails too.
func TestImportsRunOneWay(t *testing.T) {
	suite.OneGoroutine(t)
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath+"/", module)
		name = strings.TrimSuffix(name, "/")
		allowed, ok := arrows[name]
		if !ok {
			t.Errorf("package %q has no arrows", name)
		}
		for _, i := range p.Imports {
			if why := forbidden(name, strings.TrimPrefix(i, module)); why != "" {
				t.Errorf("%s imports %s: %s", name, i, why)
			}
			if ours, ok := strings.CutPrefix(i, module); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s", name, i)
			}
		}
		for _, ours := range allowed {
			if !slices.Contains(p.Imports, module+ours) {
				t.Errorf("%s does not import %s: remove the arrow", name, ours)
			}
		}
	}
}

// readsVerified lists packages that import a decoder of the file's data, and in which a
// panic is a bug and no damage: they read values whose checksum was verified, by functions
// that return errors.
var readsVerified = []string{"store/engine", "store/provenance", "store/translog", "store/outbox", "store/notes", "store/retries", "resolver/record", "internal/storetest"}

// TestAPanicOfADecoderIsDamage checks that file.Guard knows every package that decodes the
// file's data: those that import the encoding of numbers, checksums or buckets.
func TestAPanicOfADecoderIsDamage(t *testing.T) {
	suite.OneGoroutine(t)
	for name, imports := range arrows {
		decodes := slices.ContainsFunc([]string{"internal/varint", "store/engine/checksum", "store/engine/kv"}, func(d string) bool {
			return d == name || slices.Contains(imports, d)
		})
		decodes = decodes && !slices.Contains(readsVerified, name)
		for _, function := range []string{".Read", ".(*Reader).next", "/below.Read"} {
			if got := file.Decodes(module + name + function); decodes && !got {
				t.Errorf("a panic in %s%s is no damage of the file: add the package to the decoders of store/engine/file, or to readsVerified", name, function)
			}
		}
	}
	for _, name := range append(readsVerified, "store", "store/rdf", "store/sparql/eval", "service", "resolver") {
		if file.Decodes(module + name + ".Read") {
			t.Errorf("a panic in %s is reported as damage of the file", name)
		}
	}
}

// linked returns all packages that the given packages link, and whether each belongs to
// the standard library.
func linked(t *testing.T, patterns ...string) map[string]bool {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-deps", "-f", "{{.ImportPath}} {{.Standard}}"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	standard := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		name, is, _ := strings.Cut(strings.TrimSpace(line), " ")
		standard[name] = is == "true"
	}
	return standard
}

// The dataset in memory is for tests and library users.
func TestTheProgramLinksNoDatasetInMemory(t *testing.T) {
	suite.OneGoroutine(t)
	program := linked(t, ".")
	if _, ok := program[module+"store/sparql/results"]; !ok {
		t.Error("the program does not link the writers: is it the program?")
	}
	if _, ok := program[module+"store/memory"]; ok {
		t.Error("the program links store/memory")
	}
}

// Users of RDF, its text formats, SPARQL or the dataset in memory link only these packages, the
// standard library and golang.org/x/text.
func TestTheLibraryLinksNothingElse(t *testing.T) {
	suite.OneGoroutine(t)
	all := linked(t, "./store/rdf/...", "./store/turtle", "./store/rdfxml", "./store/jsonld", "./store/format", "./store/sparql/...", "./store/memory")
	for name, standard := range all {
		ok := standard || strings.HasPrefix(name, "golang.org/x/text/")
		for _, ours := range []string{"store/rdf", "store/turtle", "store/rdfxml", "store/jsonld", "store/jsonscan", "store/format", "store/sparql", "store/memory", "store/orders", "store/trigram"} {
			ok = ok || name == module+ours || strings.HasPrefix(name, module+ours+"/")
		}
		if !ok {
			t.Errorf("the library links %s", name)
		}
	}
	if len(all) < 50 {
		t.Errorf("only %d packages are listed", len(all))
	}
}

// forbidden returns why a package may not import another, or "" if it may. These rules
// also apply to new packages and take precedence over arrows.
func forbidden(name, imported string) string {
	switch in := func(tree string) bool { return imported == tree || strings.HasPrefix(imported, tree+"/") }; {
	case strings.HasPrefix(name+"/", "store/") && (in("resolver") || in("service") || in("internal/vocabulary")):
		return "a store is for anybody, and knows neither what is decided on it nor its vocabulary"
	case name == "resolver" && in("store") && imported != "store/rdf" && imported != "store/journal":
		return "the resolver decides; it needs the terms that it says and the entries of what people decided, and resolver/persist stores them"
	case name == "service" && (in("net/http") || in("html") || in("views") || in("front") || in("httpapi") || in("webui") || in("cli")):
		return "the service knows no HTTP and no HTML; the front ends translate"
	case name == "httpapi" && (in("webui") || in("views")) || name == "webui" && in("httpapi"):
		return "the front ends are siblings over the service"
	case name == "front" && (in("httpapi") || in("webui") || in("views")):
		return "what both front ends share knows neither"
	case strings.HasPrefix(name, "internal/") && (in("service") || in("front") || in("httpapi") || in("webui") || in("cli")):
		return "internal has small parts that others import"
	case name != "" && in("cli"):
		return "the commands are on top"
	}
	return ""
}

// TestTheRulesOfTheTreesAreKept checks imports that a change of arrows might allow.
func TestTheRulesOfTheTreesAreKept(t *testing.T) {
	suite.OneGoroutine(t)
	for _, x := range []struct {
		name, imported string
		allowed        bool
	}{
		{"store/engine", "resolver", false},
		{"store/engine", "resolver/record", false},
		{"store/provenance", "internal/vocabulary", false},
		{"store/new/below", "service", false},
		{"store", "store/journal", true},
		{"resolver", "store/engine", false},
		{"resolver", "store/engine/kv", false},
		{"resolver", "store/journal", true},
		{"resolver/persist", "store/engine", true},
		{"service", "net/http", false},
		{"service", "store/engine", true},
		{"httpapi", "service", true},
		{"httpapi", "webui", false},
		{"internal/auth", "service", false},
		{"webui", "httpapi", false},
		{"front", "webui", false},
		{"webui", "cli", false},
		{"", "cli", true},
	} {
		if why := forbidden(x.name, x.imported); (why == "") != x.allowed {
			t.Errorf("%s imports %s: %q", x.name, x.imported, why)
		}
	}
}
