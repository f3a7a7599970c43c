package main_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// Only tests use files beside the repository, and skip without them. Only package
// internal/suite knows where they are.
func TestNothingRefersToWhatIsBesideTheRepository(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	beside := regexp.MustCompile(`\.\./shared([^-]|$)|\bshared/(bench|data|er|segb|w3c|hooks)\b|/work/`)
	built := map[string]bool{".git": true, "node_modules": true, "dist": true, "screenshots": true, "testdata": true}
	read := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (built[d.Name()] || filepath.ToSlash(path) == "internal/suite") {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || path == "beside_test.go" || path == ".git" || info.Size() > 1<<20 { // a large file is a program built here
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(text), "\n") {
			if found := beside.FindString(line); found != "" {
				t.Errorf("%s:%d refers to %s: %.120s", path, i+1, found, line)
			}
		}
		return nil
	})
	if err != nil || read < 500 {
		t.Errorf("%d files were read: %v", read, err)
	}
}
