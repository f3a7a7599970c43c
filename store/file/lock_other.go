//go:build !unix

package file

func inode(string) (uint64, bool) { return 0, false }
