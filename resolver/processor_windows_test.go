package resolver_test

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// processorTime returns the processor time that this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var began, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &kernel, &user); err != nil {
		t.Fatal(err)
	}
	took := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (took(kernel) + took(user))) // the unit is 100 ns
}
