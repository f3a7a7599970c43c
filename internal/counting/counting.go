// Package counting counts the bytes that pass through a writer.
package counting

import "io"

// Writer writes to W and counts in N the bytes that W accepted.
type Writer struct {
	W io.Writer
	N int64
}

// Write implements io.Writer.
func (c *Writer) Write(b []byte) (int, error) {
	n, err := c.W.Write(b)
	c.N += int64(n)
	return n, err
}
