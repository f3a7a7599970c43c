package e2e

import "os"

// long gives how often something is done: few times, or many with SEGRAPH_LONG=1.
func long(few, many int) int {
	if os.Getenv("SEGRAPH_LONG") == "1" {
		return many
	}
	return few
}
