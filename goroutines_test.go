package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// unguarded lists the goroutines that do not recover from panics themselves, with the
// reason why a panic does no harm there.
var unguarded = map[string]string{
	"front/server.go Serve":              "net/http recovers in each connection's goroutine",
	"front/server.go shutdown":           "net/http's Shutdown alone",
	"cli/demo.go openPage":               "waits for another program",
	"cli/demo_fleet.go runFleet":         "ends a command whose data is deleted",
	"cli/demo_fleet.go runAltered":       "ends a command whose data is deleted",
	"cli/interrupt.go say":               "writes to a file",
	"cli/interrupt.go interruptible":     "is the command itself",
	"app/observe.go serveMetrics":        "net/http recovers in each connection's goroutine",
	"app/restore.go stayAlive":           "writes to the service manager alone",
	"logs/writer.go newWriter":           "is where panics are logged",
	"store/engine/store.go startWorkers": "guarded recovers for each batch, flush and step",
}

// TestEveryGoroutineRecoversFromAPanic checks every goroutine that the program starts: its
// body must defer a call that recovers. A panic without recover would end the process.
func TestEveryGoroutineRecoversFromAPanic(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	folders := map[string]map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		path = filepath.ToSlash(path)
		if strings.HasPrefix(path, "internal/suite/") || strings.HasPrefix(path, "internal/e2e/") || strings.HasPrefix(path, "internal/powercut/") || strings.HasPrefix(path, "views/viewstest/") || strings.HasPrefix(path, "node_modules/") {
			return nil // not part of the program
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		if folders[folder] == nil {
			folders[folder] = map[string]*ast.File{}
		}
		folders[folder][path] = file
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found, used := 0, map[string]bool{}
	for _, files := range folders {
		functions := functions{}
		for _, file := range files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					functions[signature{f.Name.Name, f.Type.Params.NumFields()}] = f
				}
			}
		}
		for path, file := range files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Body == nil {
					continue
				}
				for _, body := range started(f.Body, functions) {
					found++
					if body != nil && recovers(body, functions) {
						continue
					}
					place := path + " " + f.Name.Name
					if used[place] = true; unguarded[place] == "" {
						t.Errorf("a goroutine that %s starts recovers from no panic", place)
					}
				}
			}
		}
	}
	if found < 12 {
		t.Errorf("only %d goroutines were found", found)
	}
	for place := range unguarded {
		if !used[place] {
			t.Errorf("%s starts no goroutine without a guard: take it out of the list", place)
		}
	}
}

// functions holds the functions of a package by name and number of parameters, which is
// unique enough here.
type functions map[signature]*ast.FuncDecl

type signature struct {
	name       string
	parameters int
}

// started returns the bodies of the goroutines that a function starts, by go or by a
// WaitGroup. A body outside the package is nil.
func started(body *ast.BlockStmt, functions functions) (out []*ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			out = append(out, bodyOf(n.Call.Fun, len(n.Call.Args), functions))
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
				out = append(out, bodyOf(n.Args[0], 0, functions))
			}
		}
		return true
	})
	return out
}

// bodyOf returns the body of a function literal, or of the package's function with that
// name.
func bodyOf(e ast.Expr, arguments int, functions functions) *ast.BlockStmt {
	var name string
	switch e := e.(type) {
	case *ast.FuncLit:
		// Replace a literal that only calls another function by that function.
		if len(e.Body.List) == 1 {
			if s, ok := e.Body.List[0].(*ast.ExprStmt); ok {
				if call, ok := s.X.(*ast.CallExpr); ok {
					if inner := bodyOf(call.Fun, len(call.Args), functions); inner != nil {
						return inner
					}
				}
			}
		}
		return e.Body
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	if f := functions[signature{name, arguments}]; f != nil {
		return f.Body
	}
	return nil
}

// recovers reports whether a body defers a call that recovers: a function literal or a
// function of the package.
func recovers(body *ast.BlockStmt, functions functions) bool {
	return slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			return false
		}
		deferred, has := bodyOf(d.Call.Fun, len(d.Call.Args), functions), false
		if deferred != nil {
			ast.Inspect(deferred, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					if i, ok := c.Fun.(*ast.Ident); ok && i.Name == "recover" {
						has = true
					}
				}
				return true
			})
		}
		return has
	})
}
