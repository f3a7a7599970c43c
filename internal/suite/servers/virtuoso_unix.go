//go:build unix

package servers

import "syscall"

// Pause suspends the process, which then accepts connections but does not answer. Resume
// continues it.
func (v *Virtuoso) Pause()  { _ = v.cmd.Process.Signal(syscall.SIGSTOP) }
func (v *Virtuoso) Resume() { _ = v.cmd.Process.Signal(syscall.SIGCONT) }
