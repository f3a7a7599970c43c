//go:build !linux

package memory

// ReadCodeByPage does nothing here.
func ReadCodeByPage() {}
