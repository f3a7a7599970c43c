// Package suite locates test material that is not part of the repository: W3C test
// suites, logs of real robots, and the generator of benchmark data. It is for tests only.
//
// The material is in ../shared beside the repository, or in the folder that
// SEGRAPH_SHARED names. RDF_TESTS may name a clone of the public w3c/rdf-tests, which
// replaces the subfolder w3c. A test whose material is missing is skipped with a message
// on how to get it. With SEGRAPH_REQUIRE_ALL=1 it fails instead, so that CI never passes
// by skipping.
package suite

import (
	"os"
	"path/filepath"
	"testing"
)

// Shared returns the path of a file or folder below the shared folder, as in
// Shared(t, "w3c", "rdf", "rdf11", "rdf-turtle"). If it does not exist, Shared calls
// Missing.
func Shared(t testing.TB, elem ...string) string {
	t.Helper()
	path, hint := locate(Root(t), os.Getenv, elem)
	if _, err := os.Stat(path); err != nil {
		Missing(t, "no "+filepath.Join(elem...)+": "+hint)
	}
	return path
}

// Missing skips a test because something outside the repository is missing, or fails it
// with SEGRAPH_REQUIRE_ALL=1. why says what is missing and how to get it.
func Missing(t testing.TB, why string) {
	t.Helper()
	if required() {
		t.Fatal("required by SEGRAPH_REQUIRE_ALL=1: " + why)
	}
	t.Skip(why)
}

func required() bool { return os.Getenv("SEGRAPH_REQUIRE_ALL") == "1" }

// Root returns the root folder of the repository, which contains go.mod.
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

// locate returns the path where elem should be, and a hint on how to get it.
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
