package file

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// DamagedError means that a file is not, or is no longer, what segraph wrote.
type DamagedError struct {
	Path, Detail string
	remedy       string // what to do; "" means restoring a backup
}

func (e *DamagedError) Error() string {
	remedy := cmp.Or(e.remedy, "restore it from a backup, and keep the damaged one for inspection")
	return fmt.Sprintf("%s is damaged or not a segraph file: %s; %s", e.Path, e.Detail, remedy)
}

// Damaged describes the damage. The errors of packages that store data in the file have
// this method too, to distinguish damage from other failures.
func (e *DamagedError) Damaged() string { return e.Detail }

// useNewer is the remedy for a file written by a newer program.
const useNewer = "use a newer segraph, or restore a backup that this version made; segraph dump of the newer one and load of this one " +
	"keep the graph, without journal and shared contexts"

// FormError means that a file has another form than those that this program reads.
type FormError struct {
	Path  string
	Found string // the file's form, "" if it is from before forms had names
}

func (e *FormError) Error() string {
	found := "no form, because an early development version wrote it"
	if e.Found != "" {
		found = fmt.Sprintf("the form %q", e.Found)
	}
	return fmt.Sprintf("%s has %s, and this program reads only %q: "+
		"write its graphs with `segraph dump` of the version that wrote it, and read them into a new file with `segraph load` of this one. "+
		"Shared contexts, cases, the journal, notes, keys of robots and revoked tokens do not move. "+
		"Set another SECRET_KEY, because revoked tokens would be valid again", e.Path, found, Form)
}

// Guard runs do, which reads the file. It turns what damaged pages cause into a
// *DamagedError: a fault of the memory map, or a panic in bbolt or in a package that
// decodes the file's data. It passes other panics on: bugs, or net/http's way to abort a
// response. Goroutines that do starts need guards of their own.
func (f *File) Guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = damage(f.path, r)
		}
	}()
	return do()
}

// closedTransaction is bbolt's panic for a read after the end of a transaction. That is a
// bug of the program, not damage.
const closedTransaction = "assertion failed: tx closed"

// damage returns the error for a recovered panic, or panics again.
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

// decoders are the packages that decode the file's data, with those below them, or, with a
// slash at the end, only those below. A test in layout_test.go finds those that are missing.
var decoders = []string{
	"go.etcd.io/bbolt",
	"github.com/segraph/segraph/internal/varint",
	"github.com/segraph/segraph/store/engine/",
	"github.com/segraph/segraph/store/log/journal",
	"github.com/segraph/segraph/store/log/tree",
}

// Decodes reports whether a function belongs to a package that decodes the file's data,
// given its name as runtime.Frame has it.
func Decodes(function string) bool {
	return slices.ContainsFunc(decoders, func(d string) bool {
		rest, ok := strings.CutPrefix(function, d)
		return ok && (strings.HasSuffix(d, "/") || rest[0] == '.' || rest[0] == '/')
	})
}

// fromDecoder reports whether the panic that is being recovered was raised in a decoder,
// or in a function of the standard library that a decoder called.
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
		case panicked && strings.Contains(first, ".") && strings.Contains(name, "/"): // as in "host.name/path.Function": not in the standard library
			return Decodes(name)
		}
		if !more {
			return false
		}
	}
}
