package memory

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ReadCodeByPage asks the kernel to read the program's code one page at a time, instead
// of megabytes around each page. When memory is short, that read-ahead would displace
// pages that are needed more. Errors are ignored, since nothing depends on the call.
func ReadCodeByPage() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		fields := strings.Fields(lines.Text()) // example: 00400000-00c00000 r-xp 00000000 fe:00 123 /usr/bin/segraph
		if len(fields) < 6 || fields[5] != program || strings.Contains(fields[1], "w") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		begin, errBegin := strconv.ParseUint(from, 16, 64)
		end, errEnd := strconv.ParseUint(to, 16, 64)
		if errBegin == nil && errEnd == nil {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(begin), uintptr(end-begin), syscall.MADV_RANDOM)
		}
	}
}
