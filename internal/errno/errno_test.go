package errno_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/segraph/segraph/internal/errno"
)

// The errors are real ones of the system that runs the test.
func TestAnAddressInUseDiffersFromOneWithoutAListener(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_, err = net.Listen("tcp", address)
	if err = fmt.Errorf("listening: %w", err); !errno.AddressInUse(err) || errno.Refused(err) {
		t.Errorf("a second listener: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = net.Dial("tcp", address)
	if !errno.Refused(err) || errno.AddressInUse(err) || errno.DiskFull(err) || errno.DiskFailed(err) {
		t.Errorf("a call that nobody takes: %v", err)
	}
}
