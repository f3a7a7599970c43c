package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/segraph/segraph/config"
	"github.com/segraph/segraph/internal/errno"
	"github.com/segraph/segraph/resolver/persist/replace"
	"github.com/segraph/segraph/store/engine/file"
	"github.com/segraph/segraph/store/turtle"
)

// The exit codes of segraph. Scripts and container engines rely on them.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitInUse   = 3
	exitDamaged = 4
)

// report writes the error, if any, to stderr and returns the exit code.
func (p *program) report(verb string, err error) int {
	code, hint := classify(err)
	if err == nil {
		return code
	}
	name := "segraph"
	if verb != "" {
		name += " " + verb
	}
	words := fmt.Sprintf("%s: %v\n", name, err)
	if hint != "" {
		words += hint + "\n"
	}
	limit := atLeisure
	if errors.Is(err, errInterrupted) {
		limit = inPassing
	}
	p.printMessage(slog.LevelError, limit, words)
	return code
}

// classify returns the exit code for an error and a hint on what to do.
func classify(err error) (code int, hint string) {
	var (
		usage   *config.Error
		locked  *file.LockedError
		whole   *file.DamagedError
		damaged interface{ Damaged() string } // implemented by errors about a damaged store or journal
		backup  *replace.DamagedError
		syntax  *turtle.SyntaxError
		bundle  *falseBundle
	)
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &usage):
		return exitUsage, usage.Hint
	case errors.As(err, &locked):
		return exitInUse, "A running service may hold it. Then use the service: POST /ttl publishes documents, GET /events exports the graph, and `segraph query`, `import`, `person`, `hold`, `withdraw`, `key`, `evidence`, `backup` and `token revoke` use it with --url. The page Personal data erases people."
	case errors.As(err, &backup):
		return exitDamaged, "Nothing was changed. Use another backup: `segraph check FILE` checks one."
	case errors.As(err, &whole), errors.As(err, &bundle): // they say what to do, or why
		return exitDamaged, ""
	case errors.As(err, &damaged):
		return exitDamaged, "The file is damaged. Restore it from a backup, and keep the damaged file for inspection."
	case errors.As(err, &syntax):
		return exitFailed, "Nothing of this file was stored. Fix it and load it again."
	case errors.Is(err, context.Canceled):
		return exitFailed, "The command was interrupted; unfinished work was not stored."
	case errno.AddressInUse(err):
		return exitFailed, "Another program listens there. Choose another address with --api or --ui; port 0 means any free port."
	case errno.Refused(err):
		return exitFailed, "Nothing listens there. Check the address, and that the service runs."
	case errno.DiskFull(err):
		return exitFailed, "The disk is full. Free some space and try again."
	case errno.DiskFailed(err):
		return exitFailed, "The disk failed. Read the system's log and check the disk before you try again."
	case errors.Is(err, fs.ErrPermission):
		return exitFailed, "The user running this may not do that. Check the owner of the file and its folder."
	case errors.Is(err, fs.ErrNotExist):
		return exitFailed, "Check the path."
	}
	return exitFailed, ""
}
