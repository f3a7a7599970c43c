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

// everyStore lists the tests that run on every store: on the embedded store as tests of
// their own, and on others in TestOnEveryStore.
var everyStore = []func(*testing.T){
	TestRobotCaptureIsKeptForEver,
	TestLiteralsRoundTrip,
	TestOddTermsRoundTrip,
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
	TestLinesAreStoredOnceAndSeen,
}

// dialectTests are tests that a server may fail because it interprets the standard
// differently.
var dialectTests = []func(*testing.T){
	TestRobotCaptureIsKeptForEver,
	TestOddTermsRoundTrip,
	TestQueriesAreAnsweredInEveryForm,
	TestNoGraphButTheStoresOwnIsSeen,
	TestBlankNodesAreNodesAndEachDocumentsOwn,
	TestAnAnswerIsWhole,
	TestDeleteAllLeavesNothing,
	TestDecisionsAreSeenByQueries,
}

// racedTests are the tests of everyStore with concurrent operations.
var racedTests = []func(*testing.T){
	TestEvery201SurvivesAKill,
	TestShutdownLetsAPostEnd,
	TestAQuerySeesWhatWasPublishedBeforeIt,
	TestDecisionsAreSeenByQueries,
}

// storesOf maps the first two parts of a test's name to a function. The function returns
// the settings with which a service in a folder uses the store of that test.
var storesOf sync.Map // string -> func(dir string) []string

// storeSettings returns the function that returns the settings for the store of the test,
// or nil for the embedded store.
func storeSettings(t testing.TB) func(dir string) []string {
	name := t.Name()
	if parts := strings.SplitN(name, "/", 3); len(parts) == 3 {
		name = parts[0] + "/" + parts[1]
	}
	settings, _ := storesOf.Load(name)
	found, _ := settings.(func(dir string) []string)
	return found
}

// TestOnEveryStore tests the promises of the service on separate graph stores.
func TestOnEveryStore(t *testing.T) {
	suite.Slow(t, "it repeats most tests on Virtuoso and Fuseki")
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
				t.Skip("the race detector checks this program, which does the same on Virtuoso")
			}
			storesOf.Store(t.Name(), on.settings(t))
			tests := everyStore
			switch {
			case on.name == "fuseki":
				tests = dialectTests // only these depend on the protocol; the rest is the same program
			case suite.Race:
				tests = racedTests
			}
			for _, test := range tests {
				t.Run(nameOf(test), test)
			}
		})
	}
}

// onVirtuoso starts a Virtuoso that cuts answers at 2,000 rows, which must have no
// visible effect.
func onVirtuoso(t *testing.T) func(string) []string {
	v := servers.StartVirtuoso(t, 2000)
	return func(dir string) []string { return virtuosoSettings(v, dir) }
}

func virtuosoSettings(v *servers.Virtuoso, dir string) []string {
	return []string{"SEGRAPH_STORE=virtuoso", "SEGRAPH_VIRTUOSO_URL=" + v.URL, "TRIPLESTORE_PASSWORD=" + v.Password,
		"SEGRAPH_VIRTUOSO_GRAPH=" + graphOf(dir)}
}

func onFuseki(t *testing.T) func(string) []string {
	base := servers.StartFuseki(t).URL
	return func(dir string) []string {
		return []string{"SEGRAPH_STORE=sparql", "SEGRAPH_SPARQL_GRAPH=" + graphOf(dir), "SEGRAPH_SPARQL_QUERY_URL=" + base + "/query",
			"SEGRAPH_SPARQL_UPDATE_URL=" + base + "/update", "SEGRAPH_SPARQL_GRAPH_STORE_URL=" + base + "/data"}
	}
}

// graphOf returns the name of the graph for the service in a folder, because many tests
// share a server.
func graphOf(dir string) string { return "urn:test:" + url.PathEscape(dir) }

func nameOf(test func(*testing.T)) string {
	name := runtime.FuncForPC(reflect.ValueOf(test).Pointer()).Name()
	return strings.TrimPrefix(filepath.Ext(name), ".Test")
}
