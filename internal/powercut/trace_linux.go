//go:build amd64 || arm64

package powercut

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Tracer runs programs, one at a time, and records what they do to the files of a folder.
// Like a debugger, it stops them at each system call, so it misses no write, however it
// is made. Recording contains a call before the program sees its result.
type Tracer struct {
	Recording *Recording
	folder    string
	files     map[inode]int // in the folder
	names     map[string]inode
	made      int
}

type inode struct{ device, number uint64 }

// NewTracer returns a Tracer for a folder, which must be empty.
func NewTracer(folder string, r *Recording) (*Tracer, error) {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	return &Tracer{Recording: r, folder: folder, files: map[inode]int{}, names: map[string]inode{}}, nil
}

// Start starts a command. wait waits until it ends and returns its exit code, or -1 after
// a signal. Only then may the next command be started.
func (t *Tracer) Start(cmd *exec.Cmd) (wait func() (int, error), err error) {
	started, ended := make(chan error, 1), make(chan struct{})
	p := &process{tracer: t, calls: map[int]call{}}
	go func() {
		runtime.LockOSThread() // ptrace is tied to the thread, which ends with this goroutine
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{}
		}
		cmd.SysProcAttr.Ptrace = true
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
			err = p.begin()
		}
		started <- err
		if err != nil {
			return
		}
		p.run()
		close(ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("tracing %s: %w", cmd.Path, err)
	}
	return func() (int, error) {
		<-ended
		_ = cmd.Wait() // closes its pipes; the exit status is already known
		return p.code, p.err
	}, nil
}

// process is a program being traced.
type process struct {
	tracer *Tracer
	pid    int
	calls  map[int]call // unfinished calls by thread
	memory *os.File     // opened on first use
	code   int
	err    error
}

const (
	exitKill       = 0x100000 // PTRACE_O_EXITKILL
	getSyscallInfo = 0x420e   // PTRACE_GET_SYSCALL_INFO
	stoppedAtCall  = syscall.SIGTRAP | 0x80
	ownChildren    = 0x20000000 // __WNOTHREAD
)

// begin waits for the initial stop of a traced program.
func (p *process) begin() error {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.pid, &status, syscall.WALL, nil); err != nil {
		return err
	}
	if !status.Stopped() {
		return fmt.Errorf("it did not begin: %v", status)
	}
	if err := syscall.PtraceSetOptions(p.pid, syscall.PTRACE_O_TRACESYSGOOD|syscall.PTRACE_O_TRACECLONE|exitKill); err != nil {
		return err
	}
	return syscall.PtraceSyscall(p.pid, 0)
}

// run follows the program until all its threads have ended.
func (p *process) run() {
	known := map[int]bool{p.pid: true}
	for {
		if p.awaitsOther(known) { // the thread of the operating system started another program before
			time.Sleep(time.Millisecond)
			continue
		}
		var status syscall.WaitStatus
		thread, err := syscall.Wait4(-1, &status, syscall.WALL|ownChildren, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil { // no thread is left
			break
		}
		if !status.Stopped() {
			if thread == p.pid {
				p.code = status.ExitStatus()
			}
			continue
		}
		deliver := 0
		switch signal := status.StopSignal(); {
		case signal == stoppedAtCall:
			p.stopped(thread)
		case signal == syscall.SIGTRAP: // a new thread
		case signal == syscall.SIGSTOP && !known[thread]: // initial stop of a new thread
			known[thread] = true
		default:
			deliver = int(signal)
		}
		_ = syscall.PtraceSyscall(thread, deliver) // fails if the thread was killed meanwhile
	}
	for _, c := range p.calls {
		p.cutShort(c)
	}
	if p.memory != nil {
		p.memory.Close()
	}
}

// awaitsOther waits until a child changes its state, and reports whether it is not part of the traced program, so that
// somebody else waits for it. Threads in known are part of it.
func (p *process) awaitsOther(known map[int]bool) bool {
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|syscall.WALL|ownChildren, nil); err != nil {
		return false // Wait4 reports it
	}
	thread := int(binary.NativeEndian.Uint32((*[128]byte)(unsafe.Pointer(&info))[16:])) // si_pid
	if known[thread] {
		return false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	return err == nil && !bytes.Contains(status, fmt.Appendf(nil, "\nTgid:\t%d\n", p.pid))
}

// callInfo is the kernel's struct ptrace_syscall_info.
type callInfo struct {
	kind    uint8 // 1 at the beginning of a call, 2 at its end
	_       [3]uint8
	arch    uint32
	_       [2]uint64 // registers
	numbers [8]uint64 // number and arguments at the beginning, result at the end
}

// stopped handles a thread that stopped at the beginning or end of a system call.
func (p *process) stopped(thread int) {
	var info callInfo
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(thread), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if n == 0 || errno != 0 {
		if errno != syscall.ESRCH { // ESRCH: it was killed
			p.fail(fmt.Errorf("the kernel does not describe a call (this needs Linux 5.3): %w", errno))
		}
		return
	}
	switch info.kind {
	case 1:
		c := call{number: info.numbers[0]}
		copy(c.args[:], info.numbers[1:7])
		p.begins(&c)
		p.calls[thread] = c
	case 2:
		c, ok := p.calls[thread]
		delete(p.calls, thread)
		if result := int64(info.numbers[0]); ok && result >= 0 {
			p.ended(c, result)
		}
	}
}

func (p *process) fail(err error) {
	if err != nil && p.err == nil {
		p.err = err
	}
}

func (p *process) descriptor(n uint64) string {
	return fmt.Sprintf("/proc/%d/fd/%d", p.pid, int32(n))
}

// file returns the number of the file that is open at a descriptor, or 0 if it is not in
// the folder.
func (p *process) file(descriptor uint64) int {
	number, ok := inodeOf(p.descriptor(descriptor))
	if !ok {
		return 0
	}
	return p.tracer.files[number]
}

// folder returns the name of the folder that is open at a descriptor, or "" if it is not
// inside the recorded folder.
func (p *process) folder(descriptor uint64) string {
	path, err := os.Readlink(p.descriptor(descriptor))
	if err != nil {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return ""
	}
	return p.tracer.inside(path)
}

// inodeOf returns the inode of a regular file.
func inodeOf(path string) (found inode, ok bool) {
	var s syscall.Stat_t
	err := syscall.Stat(path, &s)
	return inode{uint64(s.Dev), s.Ino}, err == nil && s.Mode&syscall.S_IFMT == syscall.S_IFREG
}

// position returns the file offset of a descriptor.
func (p *process) position(descriptor uint64) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", p.pid, int32(descriptor)))
	if err != nil {
		return 0, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(string(line), "pos:")), 10, 64)
}

// read reads the program's memory at an address.
func (p *process) read(b []byte, at uint64) error {
	if p.memory == nil {
		m, err := os.Open(fmt.Sprintf("/proc/%d/mem", p.pid))
		if err != nil {
			return err
		}
		p.memory = m
	}
	if len(b) == 0 { // the address may be anything
		return nil
	}
	_, err := p.memory.ReadAt(b, int64(at))
	return err
}

// path reads a path from the program's memory and returns its name in the folder, or "".
func (p *process) path(at uint64) (string, error) {
	const piece = 256 // stay within a page: the next may be unmapped
	var out []byte
	for len(out) < syscall.PathMax {
		b := make([]byte, piece-int(at%piece))
		if err := p.read(b, at); err != nil {
			return "", err
		}
		before, _, ended := bytes.Cut(b, []byte{0})
		if out = append(out, before...); ended {
			return p.tracer.inside(string(out)), nil
		}
		at += uint64(len(b))
	}
	return "", errors.New("a path has no end")
}
