package backup

import (
	"context"
	"time"
)

// retryAfter is how long after a failure the next try comes, at most.
const retryAfter = 10 * time.Minute

// firstAfter is how long after the start a first snapshot is made, at most: not at once,
// when there may be nothing.
const firstAfter = 10 * time.Minute

// Run makes a snapshot whenever every has gone by since the last one by schedule, until
// ctx ends. What goes wrong is logged and tried again: a store works without snapshots.
func (f *Folder) Run(ctx context.Context, every time.Duration) {
	timer := time.NewTimer(f.due(every))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		_, err := f.Make(ctx, Schedule)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			f.options.Log.ErrorContext(ctx, "no snapshot could be made", "error", err)
			timer.Reset(min(every, retryAfter))
			continue
		}
		timer.Reset(every)
	}
}

// due returns the time until the next snapshot by schedule.
func (f *Folder) due(every time.Duration) time.Duration {
	infos, _ := f.List() // what can't be read now is told when the snapshot is made
	for _, info := range infos {
		if info.Reason == Schedule {
			// A clock that was set back must not put the next one off for longer than
			// usual.
			return min(every, max(0, every-f.options.Now().Sub(info.Time)))
		}
	}
	return min(every, firstAfter)
}
