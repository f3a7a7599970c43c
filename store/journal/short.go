package journal

import (
	"net/netip"
	"strings"

	"github.com/google/uuid"
)

// An address or a UUID beside an entry is stored as the byte short and its 4 or 16 bytes.
// Any other text is stored as it is: none begins with that byte.
const short = "\x01"

// shortAddress returns the stored form of an address.
func shortAddress(text string) string {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" && a.String() == text {
		return short + string(a.AsSlice())
	}
	return text
}

// longAddress returns the address of a stored form.
func longAddress(stored string) string {
	raw, found := strings.CutPrefix(stored, short)
	if a, ok := netip.AddrFromSlice([]byte(raw)); found && ok {
		return a.String()
	}
	return stored
}

// shortID returns the stored form of a request's id.
func shortID(text string) string {
	if id, err := uuid.Parse(text); err == nil && id.String() == text {
		return short + string(id[:])
	}
	return text
}

// longID returns the id of a stored form.
func longID(stored string) string {
	raw, found := strings.CutPrefix(stored, short)
	if id, err := uuid.FromBytes([]byte(raw)); found && err == nil {
		return id.String()
	}
	return stored
}
