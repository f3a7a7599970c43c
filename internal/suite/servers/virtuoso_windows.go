package servers

// Pause panics, since Windows can't suspend a process. Tests do not start Virtuoso on
// Windows.
func (v *Virtuoso) Pause()  { panic("Windows can't suspend a process") }
func (v *Virtuoso) Resume() {}
