package e2e

import (
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/segraph/segraph/internal/suite"
	"github.com/segraph/segraph/internal/suite/servers"
)

// everyStore are the tests that run on every store: by themselves on the embedded one, and through
// TestOnEveryStore on the others.
var everyStore = []func(*testing.T){
	TestRobotCaptureIsKeptForEver,
	TestLiteralsComeBackToTheLetter,
	TestOddTermsComeBackToTheLetter,
	TestAnErrorInTheLastLineStoresNothing,
	TestRoleTableWithIssuedTokens,
	TestWithoutASecretEverybodyMayDoEverything,
	TestTheGraphSurvivesRestarts,
	TestEvery201SurvivesAKill,
	TestShutdownLetsAPostEnd,
	TestQueriesAreAnsweredInEveryForm,
	TestAQuerySeesWhatWasPublishedBeforeIt,
	TestNoGraphButTheStoresOwnIsSeen,
	TestBlankNodesAreNodesAndEachDocumentsOwn,
	TestAnAnswerIsWhole,
	TestDeleteAllLeavesNothing,
	TestDeleteAllKeepsContextsCasesAndDecisions,
	TestQueriesOnlyRead,
	TestDecisionsAreSeenByQueries,
	TestAGraphOfContextsOfAnOlderFormIsRewritten,
}

// dialectTests are those that a server may fail by doing what the standard says otherwise.
var dialectTests = []func(*testing.T){
	TestRobotCaptureIsKeptForEver,
	TestOddTermsComeBackToTheLetter,
	TestQueriesAreAnsweredInEveryForm,
	TestNoGraphButTheStoresOwnIsSeen,
	TestBlankNodesAreNodesAndEachDocumentsOwn,
	TestAnAnswerIsWhole,
	TestDeleteAllLeavesNothing,
	TestDecisionsAreSeenByQueries,
}

// racedTests are those of everyStore in which several things happen at once.
var racedTests = []func(*testing.T){
	TestEvery201SurvivesAKill,
	TestShutdownLetsAPostEnd,
	TestAQuerySeesWhatWasPublishedBeforeIt,
	TestDecisionsAreSeenByQueries,
	TestAGraphOfContextsOfAnOlderFormIsRewritten,
}

// storesOf has, by the first two parts of the names of tests that run on a store of another kind, what gives the
// settings that make a service in a folder use it.
var storesOf sync.Map // string -> func(dir string) []string

// storeSettings gives the settings that make a service in a folder use the store that a test is run on. Nil is the
// embedded one.
func storeSettings(t testing.TB) func(dir string) []string {
	name := t.Name()
	if parts := strings.SplitN(name, "/", 3); len(parts) == 3 {
		name = parts[0] + "/" + parts[1]
	}
	settings, _ := storesOf.Load(name)
	found, _ := settings.(func(dir string) []string)
	return found
}

// TestOnEveryStore runs what is promised of the service on graph stores that are services of their own.
func TestOnEveryStore(t *testing.T) {
	t.Parallel()
	for _, on := range []struct {
		name     string
		settings func(t *testing.T) func(dir string) []string
	}{
		{"virtuoso", onVirtuoso}, {"fuseki", onFuseki},
	} {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			if on.name == "fuseki" && suite.Race {
				t.Skip("the race detector looks at this program, which does the same on Virtuoso")
			}
			storesOf.Store(t.Name(), on.settings(t))
			tests := everyStore
			switch {
			case on.name == "fuseki":
				tests = dialectTests // what goes over the wire; the rest is the same program
			case suite.Race:
				tests = racedTests
			}
			for _, test := range tests {
				t.Run(nameOf(test), test)
			}
		})
	}
}

// onVirtuoso starts a Virtuoso that cuts answers at 2,000 rows, which must not be noticed.
func onVirtuoso(t *testing.T) func(string) []string {
	v := servers.StartVirtuoso(t, 2000)
	return func(dir string) []string { return virtuosoSettings(v, dir) }
}

func virtuosoSettings(v *servers.Virtuoso, dir string) []string {
	return []string{"SEGRAPH_STORE=virtuoso", "SEGRAPH_VIRTUOSO_URL=" + v.URL, "TRIPLESTORE_PASSWORD=" + v.Password,
		"SEGRAPH_VIRTUOSO_GRAPH=" + graphOf(dir)}
}

func onFuseki(t *testing.T) func(string) []string {
	base := servers.StartFuseki(t)
	return func(dir string) []string {
		return []string{"SEGRAPH_STORE=sparql", "SEGRAPH_SPARQL_GRAPH=" + graphOf(dir), "SEGRAPH_SPARQL_QUERY_URL=" + base + "/query",
			"SEGRAPH_SPARQL_UPDATE_URL=" + base + "/update", "SEGRAPH_SPARQL_GRAPH_STORE_URL=" + base + "/data"}
	}
}

// graphOf gives the name of the graph of a folder's service: one server serves many tests.
func graphOf(dir string) string { return "urn:test:" + url.PathEscape(dir) }

func nameOf(test func(*testing.T)) string {
	name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
	return strings.TrimPrefix(filepath.Ext(name), ".Test")
}
