package servers

// Pause panics: Windows stops no process without ending it. Virtuoso is not there for a
// test to start.
func (v *Virtuoso) Pause()  { panic("Windows can't make a process stand still") }
func (v *Virtuoso) Resume() {}
