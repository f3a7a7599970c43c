package rdfxml

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// wide decodes UTF-16 to UTF-8. For half a surrogate pair, or half a unit at the end, it returns a byte that UTF-8 does not
// have, so that the scanner refuses it (XML 1.0, section 4.3.3).
type wide struct {
	in    *bufio.Reader
	order binary.ByteOrder
}

// Read reads one character into p, which has room for it.
func (w *wide) Read(p []byte) (int, error) {
	c, err := w.unit()
	if err == nil && utf16.IsSurrogate(c) {
		low, lowErr := w.unit()
		c, err = utf16.DecodeRune(c, low), lowErr
		isHalf := c == utf8.RuneError
		if isHalf && (err == nil || err == io.EOF) {
			err = io.ErrUnexpectedEOF // as for half a unit
		}
	}
	switch err {
	case nil:
		return utf8.EncodeRune(p, c), nil
	case io.ErrUnexpectedEOF:
		p[0] = 0xFF
		return 1, nil
	}
	return 0, err
}

// unit reads 16 bits.
func (w *wide) unit() (rune, error) {
	var b [2]byte
	_, err := io.ReadFull(w.in, b[:])
	return rune(w.order.Uint16(b[:])), err
}
