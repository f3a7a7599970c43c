//go:build !linux

package memory

// ReadCodeByPage does nothing on this system.
func ReadCodeByPage() {}
