package file

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// DamagedError says that a file is not, or no longer, what segraph wrote.
type DamagedError struct {
	Path, Detail string
	remedy       string // what to do; "" is to restore a backup
}

func (e *DamagedError) Error() string {
	remedy := cmp.Or(e.remedy, "restore it from a backup, and keep the damaged one for inspection")
	return fmt.Sprintf("%s is damaged or no file of segraph's: %s; %s", e.Path, e.Detail, remedy)
}

// Damaged says what is wrong. The packages that keep something in the file have errors
// with this method too, so that one look tells damage from other failures.
func (e *DamagedError) Damaged() string { return e.Detail }

// useNewer is what to do about a file that a newer program has written.
const useNewer = "use a newer segraph, or restore a backup that this version made; segraph dump of the newer one and load of this one " +
	"keep the graph, without journal and shared contexts"

// SchemaError says that a file's schema is not one of this program's.
type SchemaError struct {
	Path  string
	Found int // the file's schema number
}

func (e *SchemaError) Error() string {
	if e.Found > Schema {
		return fmt.Sprintf("%s has schema %d and this program knows up to %d: %s", e.Path, e.Found, Schema, useNewer)
	}
	return fmt.Sprintf("%s has schema %d, which no segraph was released with: restore it from a backup", e.Path, e.Found)
}

// Guard runs do, which reads the file, and turns into a *DamagedError what damaged pages
// bring about in it: a fault of the map, and a panic of bbolt's or of a package that
// decodes what bbolt gives. Other panics are faults of the program, or net/http's to end
// an answer, and go on. It covers this goroutine alone: those that do starts need a guard
// of their own.
func (f *File) Guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = damage(f.path, r)
		}
	}()
	return do()
}

// closedTransaction is bbolt's panic for reading after the end of a transaction: a fault
// of the program, whatever the file holds.
const closedTransaction = "assertion failed: tx closed"

// damage returns the error for a panic that was just recovered, or panics again.
func damage(path string, r any) *DamagedError {
	_, fault := r.(interface {
		runtime.Error
		Addr() uintptr
	})
	if r == closedTransaction || !fault && !fromDecoder() {
		panic(r)
	}
	return &DamagedError{Path: path, Detail: fmt.Sprint(r)}
}

// decoders are the packages that take bytes of the file apart.
var decoders = []string{
	"go.etcd.io/bbolt",
	"github.com/segraph/segraph/store/engine/file",
	"github.com/segraph/segraph/store/engine/index",
	"github.com/segraph/segraph/store/engine/dict",
	"github.com/segraph/segraph/store/journal",
}

// fromDecoder reports whether the panic that a deferred function handles was raised in a
// decoder, or in what one called of the standard library.
func fromDecoder() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	panicked := false
	for {
		frame, more := frames.Next()
		name := frame.Function
		first, _, _ := strings.Cut(name, "/")
		switch {
		case name == "runtime.gopanic":
			panicked = true
		case panicked && strings.Contains(first, ".") && strings.Contains(name, "/"): // not the standard library's
			return slices.ContainsFunc(decoders, func(d string) bool {
				rest, ok := strings.CutPrefix(name, d)
				return ok && (rest[0] == '.' || rest[0] == '/')
			})
		}
		if !more {
			return false
		}
	}
}
