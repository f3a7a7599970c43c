package main

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

// unguarded are the goroutines that recover from no panic themselves, and why that ends nothing.
var unguarded = map[string]string{
	"front/server.go Serve":               "net/http recovers in each connection's goroutine",
	"front/server.go shutdown":            "net/http's Shutdown alone",
	"cli/demo.go openPage":                "waits for another program",
	"cli/interrupt.go say":                "writes to a file",
	"cli/interrupt.go interruptible":      "is the command itself",
	"cli/observe.go serveMetrics":         "net/http recovers in each connection's goroutine",
	"internal/logbuf/writer.go newWriter": "is what a panic is told to",
	"store/engine/store.go Open":          "guarded recovers for each batch, flush and step",
}

// TestEveryGoroutineRecoversFromAPanic looks at every goroutine that the program starts: a function that it begins with
// recovers, or calls what does, in a deferred call. One panic that nobody recovers from would end the process.
func TestEveryGoroutineRecoversFromAPanic(t *testing.T) {
	suite.OneGoroutine(t)
	folders := map[string]map[string]*ast.File{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		path = filepath.ToSlash(path)
		if strings.HasPrefix(path, "internal/suite/") || strings.HasPrefix(path, "internal/e2e/") || strings.HasPrefix(path, "internal/powercut/") || strings.HasPrefix(path, "internal/ci/") || strings.HasPrefix(path, "node_modules/") {
			return nil // no part of the program
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

// functions are those of a package, by name and number of parameters, which tell them apart well enough.
type functions map[signature]*ast.FuncDecl

type signature struct {
	name       string
	parameters int
}

// started gives what the goroutines run that a function starts, by go or by a WaitGroup; nil for what is not the package's.
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

// bodyOf gives the body of a function that is written in place, or that the package has by that name.
func bodyOf(e ast.Expr, arguments int, functions functions) *ast.BlockStmt {
	var name string
	switch e := e.(type) {
	case *ast.FuncLit:
		// A function that only calls another one is that other one.
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

// recovers tells whether a body defers a call that recovers: one written in place, or a function of the package.
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
