// Package suite finds the test material that is not part of the repository: the W3C suites,
// captures of real robots, the generator of benchmark data. It is for tests alone.
//
// The material lies in ../shared beside the repository, or where the environment variable
// SEGRAPH_SHARED points; a clone of the public w3c/rdf-tests at RDF_TESTS stands in for its
// folder w3c. A test that needs what is not there skips, and says how to get it. With
// SEGRAPH_REQUIRE_ALL=1 it fails instead, so that CI never passes by skipping.
package suite

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of the file or folder that elem names below the shared folder,
// for instance Shared(t, "w3c", "rdf", "rdf11", "rdf-turtle"). Where it does not exist
// the test ends here: skipped, or failed if everything is required.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	path, hint := locate(Root(t), os.Getenv, elem)
	if _, err := os.Stat(path); err != nil {
		Missing(t, "no "+filepath.Join(elem...)+": "+hint)
	}
	return path
}

// Missing ends a test for want of something that is not in the repository: it skips, or
// fails with SEGRAPH_REQUIRE_ALL=1. why says what is missing and how to get it.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("SEGRAPH_REQUIRE_ALL") == "1" {
		t.Fatal("required by SEGRAPH_REQUIRE_ALL=1: " + why)
	}
	t.Skip(why)
}

// Root returns the folder of the repository, which is the one that holds go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("the test does not run inside the repository: no go.mod above it")
		}
	}
}

// locate returns the path where elem should be, and how to get it if it is not there.
func locate(root string, env func(string) string, elem []string) (path, hint string) {
	if len(elem) > 0 && elem[0] == "w3c" {
		hint = "clone the public https://github.com/w3c/rdf-tests and set RDF_TESTS to its folder"
		if clone := env("RDF_TESTS"); clone != "" {
			return filepath.Join(append([]string{clone}, elem[1:]...)...), hint
		}
	} else {
		hint = "put it into ../shared beside the repository, or set SEGRAPH_SHARED to its folder"
	}
	shared := env("SEGRAPH_SHARED")
	if shared == "" {
		shared = filepath.Join(root, "..", "shared")
	}
	return filepath.Join(append([]string{shared}, elem...)...), hint
}
