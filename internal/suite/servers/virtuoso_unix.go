//go:build unix

package servers

import "syscall"

// Pause makes it stand still, and Resume go on: it takes connections and does not answer.
func (v *Virtuoso) Pause()  { _ = v.cmd.Process.Signal(syscall.SIGSTOP) }
func (v *Virtuoso) Resume() { _ = v.cmd.Process.Signal(syscall.SIGCONT) }
