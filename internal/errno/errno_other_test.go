//go:build !windows

package errno_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/segraph/segraph/internal/errno"
)

func TestAFullDiskIsFoundInWords(t *testing.T) {
	for _, n := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if err := errno.FullIn("file resize error: truncate x.db: " + n.Error()); !errors.Is(err, n) {
			t.Errorf("%v gives %v", n, err)
		}
	}
	if err := errno.FullIn("file sync error: " + syscall.EIO.Error()); err != nil {
		t.Errorf("a failed disk gives %v", err)
	}
}
