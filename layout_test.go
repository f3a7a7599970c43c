package main_test

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

// listed is a package of the project, as the Go command lists it.
type listed struct {
	name    string   // without the module's path; "" is the program
	imports []string // of the project, by such names, and others by their paths
}

// packages returns the project's packages.
func packages(t *testing.T) (all []listed) {
	t.Helper()
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
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		l := listed{name: strings.TrimSuffix(strings.TrimPrefix(p.ImportPath+"/", module), "/")}
		for _, i := range p.Imports {
			l.imports = append(l.imports, strings.TrimPrefix(i, module))
		}
		all = append(all, l)
	}
}

// TestImportsRunOneWay checks the rules of forbidden.
func TestImportsRunOneWay(t *testing.T) {
	suite.OneGoroutine(t)
	for _, p := range packages(t) {
		for _, i := range p.imports {
			if why := forbidden(p.name, i); why != "" {
				t.Errorf("%s imports %s: %s", p.name, i, why)
			}
		}
	}
}

// readsVerified lists packages that import a decoder of the file's data, and in which a
// panic is a bug and no damage: they read values whose checksum was verified, by functions
// that return errors.
var readsVerified = []string{"store/engine", "store/provenance", "store/log/translog", "store/follow/outbox", "store/notes", "store/holds", "store/retention", "store/forgotten", "store/retries", "store/fleet/pack", "store/fleet/box", "store/fleet/centre", "resolver/record", "resolver/persist", "internal/storetest"}

// TestAPanicOfADecoderIsDamage checks that file.Guard knows every package that decodes the
// file's data: those that import the encoding of numbers, checksums or buckets.
func TestAPanicOfADecoderIsDamage(t *testing.T) {
	suite.OneGoroutine(t)
	for _, p := range packages(t) {
		name := p.name
		decodes := slices.ContainsFunc([]string{"internal/varint", "store/engine/checksum", "store/engine/kv"}, func(d string) bool {
			return d == name || slices.Contains(p.imports, d)
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
		for _, ours := range []string{"store/rdf", "store/turtle", "store/rdfxml", "store/jsonld", "store/jsonscan", "store/format", "store/sparql", "store/memory", "store/ids", "store/orders", "store/trigram"} {
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

// rooms are the parts of the web UI, one for each feature.
var rooms = []string{"views/review", "views/explore", "views/query", "views/reports", "views/admin"}

// forbidden returns why a package may not import another, or "" if it may. DESIGN.md explains the direction.
func forbidden(name, imported string) string {
	from := func(trees ...string) bool { return under(name, trees) }
	to := func(trees ...string) bool { return under(imported, trees) }
	switch {
	case from("store") && to("resolver", "service", "vocabulary"):
		return "a store is for anybody, and knows neither what is decided on it nor its vocabulary"
	case from("store/sparql") && to("store/engine", "store/memory"):
		return "queries run on any dataset"
	case from("store/rdf") && to("store", "internal") && !to("store/rdf"):
		return "terms need nothing else"
	case layerOf(name) >= 0 && layerOf(imported) >= 0 && layerOf(imported) < layerOf(name):
		return "imports in store lead down its layers"
	case from("resolver/text", "resolver/weigh") && to("store", "resolver", "internal"):
		return "what weighs evidence is pure"
	case from("resolver/clocks") && to("store", "resolver", "internal") && imported != "resolver/record" && imported != "resolver/text":
		return "what learns clocks depends on records alone"
	case name == "resolver" && to("store") && imported != "store/rdf" && imported != "store/log/journal":
		return "the resolver decides; it needs the terms that it says and the entries of what people decided, and resolver/persist stores them"
	case from("store", "resolver", "evidence") && to("service", "front", "httpapi", "views"):
		return "what stores, decides and proves knows no use case and no front end"
	case name == "service" && to("net/http", "html", "front", "httpapi", "views"):
		return "the service knows no HTTP and no HTML; the front ends translate"
	case from("httpapi") && to("views") || from("views") && name != "views/viewstest" && to("httpapi"):
		return "the front ends are siblings over the service"
	case from("front") && to("httpapi", "views"):
		return "what both front ends share knows neither"
	case from("robot") && to("store", "resolver", "evidence", "service", "front", "httpapi", "views", "internal") && !to("internal/strictyaml", "internal/spool", "internal/extsort"):
		return "what reads robots' messages makes lines for any service, and knows no store"
	case from("internal", "auth", "config", "vocabulary") && to("service", "front", "httpapi", "views"):
		return "small parts are imported by others, and import none of them"
	case from(rooms...) && to(rooms...) && !strings.HasPrefix(imported+"/", name+"/") && !strings.HasPrefix(name+"/", imported+"/"), name == "views" && to(rooms...):
		return "a room of the web UI knows only the core, and the core knows no room"
	case name != "" && to("cli"), !from("cli") && to("app"):
		return "the commands are on top, and they alone run a service"
	}
	return ""
}

// storeLayers are the layers of store, from the top: packages import only their own and lower ones.
var storeLayers = [][]string{
	{"store/provenance", "store/log", "store/notes", "store/holds", "store/retention", "store/retries", "store/forgotten", "store/signers", "store/follow", "store/fleet", "store/cayley"},
	{"store/engine"},
	{"store/log/tree", "store/log/journal"},
	{"store/engine/checksum", "store/engine/dict", "store/engine/file", "store/engine/index", "store/engine/kv", "store/engine/memtable", "store/engine/text", "store/sparql"},
	{"store/format", "store/turtle", "store/rdfxml", "store/jsonld"},
	{"store/rdf"},
}

// layerOf returns the number of the layer of a package, or -1 if it belongs to none. The longest path in storeLayers decides.
func layerOf(name string) int {
	found, longest := -1, ""
	for i, layer := range storeLayers {
		for _, tree := range layer {
			if under(name, []string{tree}) && len(tree) > len(longest) {
				found, longest = i, tree
			}
		}
	}
	return found
}

// under reports whether a package is one of the given trees, or in one.
func under(name string, trees []string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool { return name == tree || strings.HasPrefix(name, tree+"/") })
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
		{"store/provenance", "vocabulary", false},
		{"store/new/below", "service", false},
		{"store", "store/log/journal", true},
		{"store/rdf", "store/trigram", false},
		{"store/turtle", "store/sparql/value", false},
		{"store/sparql/results", "store/turtle", true},
		{"store/sparql/plan", "store/engine/dict", false},
		{"store/engine/dict", "store/log/journal", false},
		{"store/log/journal", "store/engine/kv", true},
		{"store/engine", "store/log/tree", true},
		{"store/engine", "store/follow/outbox", false},
		{"store/log/translog", "store/engine", true},
		{"resolver", "store/engine", false},
		{"resolver", "store/engine/kv", false},
		{"resolver", "store/log/journal", true},
		{"resolver/persist", "store/engine", true},
		{"service", "net/http", false},
		{"service", "store/engine", true},
		{"httpapi", "service", true},
		{"httpapi", "views", false},
		{"auth", "service", false},
		{"views", "httpapi", false},
		{"front", "views", false},
		{"views", "cli", false},
		{"service", "app", false},
		{"cli", "app", true},
		{"resolver/weigh", "store/rdf", false},
		{"resolver/clocks", "resolver/record", true},
		{"resolver/clocks", "resolver/persist", false},
		{"robot/mapping", "robot/message", true},
		{"robot/bag", "service", false},
		{"views", "views/review", false},
		{"views/review", "views", true},
		{"views/review", "views/query", false},
		{"views/query/chart", "views/query", true},
		{"", "cli", true},
	} {
		if why := forbidden(x.name, x.imported); (why == "") != x.allowed {
			t.Errorf("%s imports %s: %q", x.name, x.imported, why)
		}
	}
}
