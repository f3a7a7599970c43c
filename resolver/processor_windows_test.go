package resolver_test

import (
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

// processorTime returns how long the processors have worked for this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var began, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &kernel, &user); err != nil {
		t.Fatal(err)
	}
	took := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (took(kernel) + took(user))) // in units of 100 ns
}
