package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/segraph/segraph/internal/config"
	"github.com/segraph/segraph/internal/errno"
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

// report writes what went wrong to stderr, if anything, and gives the exit code.
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
	p.tell(slog.LevelError, limit, words)
	return code
}

// classify turns a kind of error into an exit code and into what to do about it.
func classify(err error) (code int, hint string) {
	var (
		usage   *config.Error
		locked  *file.LockedError
		named   *file.DamagedError
		damaged interface{ Damaged() string } // what the store and the journal say of what they read
		backup  *damagedBackup
		syntax  *turtle.SyntaxError
	)
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &usage):
		return exitUsage, usage.Hint
	case errors.As(err, &locked):
		return exitInUse, "If that is a running service: it takes documents with POST /ttl, gives the graph with GET /events, answers `segraph query --url`, ends tokens with `segraph token revoke --url`, and is copied with `segraph backup --url`."
	case errors.As(err, &backup):
		return exitDamaged, "Nothing was changed. Take another backup: `segraph check FILE` says of each whether it is whole."
	case errors.As(err, &named):
		return exitDamaged, ""
	case errors.As(err, &damaged):
		return exitDamaged, "The file is damaged: restore it from a backup, and keep the damaged one for inspection."
	case errors.As(err, &syntax):
		return exitFailed, "Nothing of this file was stored. Mend it there and load it again."
	case errors.Is(err, context.Canceled):
		return exitFailed, "It was interrupted; what was not finished is not stored."
	case errno.AddressInUse(err):
		return exitFailed, "Another program listens there. Choose another address with --api or --ui; port 0 is any free one."
	case errno.Refused(err):
		return exitFailed, "Nothing listens there. Look whether the service runs, and at --url."
	case errno.DiskFull(err):
		return exitFailed, "The disk is full. Make room and try again."
	case errno.DiskFailed(err):
		return exitFailed, "The disk failed. Look at what the system's log says of it, and after the disk, before you try again."
	case errors.Is(err, fs.ErrPermission):
		return exitFailed, "The user that this runs as may not do that. Look who owns the file and its folder."
	case errors.Is(err, fs.ErrNotExist):
		return exitFailed, "Look at the path, and at --data."
	}
	return exitFailed, ""
}
