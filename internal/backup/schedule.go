package backup

import (
	"context"
	"time"
)

// retryAfter is the maximum delay between a failure and the next attempt.
const retryAfter = 10 * time.Minute

// firstAfter is the maximum delay of the first snapshot after the start. It is not 0
// because the store may still be empty.
const firstAfter = 10 * time.Minute

// Run makes scheduled snapshots, one after each interval every, until ctx ends. It logs
// failures and tries again: the store works without snapshots.
func (f *Folder) Run(ctx context.Context, every time.Duration) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer f.next.Store(0)
	wait := func(d time.Duration) {
		f.next.Store(f.options.Now().Add(d).Unix())
		timer.Reset(d)
	}
	wait(f.due(every))
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
			wait(min(every, retryAfter))
			continue
		}
		wait(every)
	}
}

// Next returns when the next scheduled snapshot is made, to the second, or the zero time if none is. While one is made, it
// returns when that began.
func (f *Folder) Next() time.Time {
	if at := f.next.Load(); at != 0 {
		return time.Unix(at, 0).UTC()
	}
	return time.Time{}
}

// due returns the time until the next scheduled snapshot.
func (f *Folder) due(every time.Duration) time.Duration {
	infos, _ := f.List() // Make reports errors
	for _, info := range infos {
		if info.Reason == Schedule {
			// If the clock was set back, do not wait longer than usual.
			return min(every, max(0, every-f.options.Now().Sub(info.Time)))
		}
	}
	return min(every, firstAfter)
}
