package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/segraph/segraph/internal/suite"
)

// unread lists files whose formatted text is never shown, with the reason.
var unread = map[string]string{
	"resolver/settings.go":        "the settings' name is made of their text",
	"store/sparql/algebra/set.go": "a key of a map is made of text",
}

// TestNoMessageShowsGosFormatting checks that text never contains a list, map or struct
// in Go's format, such as [admin logger auditor]. It checks every call of a function with
// a format, and of fmt.Sprint and similar functions.
func TestNoMessageShowsGosFormatting(t *testing.T) {
	suite.NotShort(t)
	suite.OneGoroutine(t)
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		Module                  *struct{ Main bool }
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	var own []listed
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if p.Module != nil && p.Module.Main && !strings.Contains(p.ImportPath, "/internal/suite") && !strings.HasSuffix(p.ImportPath, "/viewstest") { // those are for tests
			own = append(own, p)
		}
	}
	fset := token.NewFileSet()
	known := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, p := range own {
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		config := types.Config{Importer: known}
		if _, err := config.Check(p.ImportPath, fset, files, info); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name, err := filepath.Rel(root, fset.Position(f.Pos()).Filename)
			if err != nil {
				t.Fatal(err)
			}
			if unread[filepath.ToSlash(name)] != "" {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					for verb, arg := range formatted(info, call) {
						calls++
						if shown := info.Types[arg].Type; showsGo(verb, shown) {
							t.Errorf("%s: %s of a %s", fset.Position(arg.Pos()), verb, shown)
						}
					}
				}
				return true
			})
		}
	}
	if calls < 500 {
		t.Errorf("%d arguments were looked at", calls)
	}
}

var verbs = regexp.MustCompile(`%[-+# 0]*(?:\[\d+\])?[\d.*]*[a-zA-Z%]`)

// formatted yields the arguments of a call that are formatted as text, each with its
// verb.
func formatted(info *types.Info, call *ast.CallExpr) func(func(string, ast.Expr) bool) {
	return func(yield func(string, ast.Expr) bool) {
		s, ok := info.Types[call.Fun].Type.(*types.Signature)
		if !ok || !s.Variadic() || call.Ellipsis.IsValid() {
			return
		}
		last := s.Params().Len() - 1
		if any, ok := s.Params().At(last).Type().(*types.Slice).Elem().Underlying().(*types.Interface); !ok || !any.Empty() || len(call.Args) < last {
			return
		}
		if last == 0 || s.Params().At(last-1).Name() != "format" {
			if name := types.ExprString(call.Fun); strings.HasPrefix(name, "fmt.") && !strings.Contains(name, "scan") {
				for _, arg := range call.Args[last:] {
					if !yield("%v", arg) {
						return
					}
				}
			}
			return
		}
		format := info.Types[call.Args[last-1]].Value
		if format == nil || format.Kind() != constant.String {
			return // vet reports unsafe ones
		}
		args := call.Args[last:]
		for _, verb := range verbs.FindAllString(constant.StringVal(format), -1) {
			if strings.HasSuffix(verb, "%") || strings.Contains(verb, "[") || strings.Contains(verb, "*") || len(args) == 0 {
				continue
			}
			if !yield(verb, args[0]) {
				return
			}
			args = args[1:]
		}
	}
}

// showsGo reports whether a verb formats a value of type t in Go's syntax.
func showsGo(verb string, t types.Type) bool {
	switch verb[len(verb)-1] {
	case 'v', 's', 'd', 'q':
	default:
		return false
	}
	if strings.ContainsAny(verb, "+#") && verb[len(verb)-1] == 'v' {
		return true
	}
	for _, method := range []string{"Error", "String"} {
		if m, _, _ := types.LookupFieldOrMethod(t, true, nil, method); m != nil {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		basic, ok := u.Elem().Underlying().(*types.Basic)
		return !ok || basic.Kind() != types.Byte || verb[len(verb)-1] == 'v' || verb[len(verb)-1] == 'd'
	case *types.Pointer, *types.Array, *types.Map, *types.Struct, *types.Chan, *types.Signature:
		return true
	}
	return false
}
