package memory

import (
	"os"
	"strings"
	"testing"
)

// ReadCodeByPage sets the flag "rr" (random reads) on all read-only parts of the
// program's code.
func TestCodeIsReadByPage(t *testing.T) {
	ReadCodeByPage()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skipf("this system does not show the flags of memory: %v", err)
	}
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	parts, reads := 0, false
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 6 && fields[5] == program && !strings.Contains(fields[1], "w"):
			parts, reads = parts+1, true
		case reads && fields[0] == "VmFlags:":
			if !strings.Contains(line, " rr ") {
				t.Errorf("a part of the program has the flags %s", line)
			}
			reads = false
		}
	}
	if parts == 0 {
		t.Error("the program has no parts")
	}
}
