package service

import (
	"runtime"
	"time"
)

// Limits bound what one client, or all together, may use. A field that is 0 has its
// default.
type Limits struct {
	Document int64         // bytes of a document, and of all that are being read; 16 MiB
	Body     int64         // bytes of any other body; 1 MiB
	BodyDisk int64         // bytes of disk for all bodies that are being received; 1 GiB
	Workers  int           // documents that are read at once, and as many exports that are made; GOMAXPROCS
	Rate     int64         // bytes a second that a client must take or send; 16 KiB
	Patience time.Duration // how long a client may stay behind Rate; 60 s
	// Connections are those of both listeners together, 4,096; ClientConnections those of
	// one client, 1,024: an address of IPv4 or the 64 bits of IPv6 that one is given,
	// unless it is a trusted proxy's.
	Connections, ClientConnections int

	FailedTokens int           // tokens that an address may get wrong in a minute; 500
	SpoolDisk    int64         // bytes of disk for all exports that wait; 4 GiB
	Room         time.Duration // how long an export waits for room in its spool; 30 s, and ten times that in all

	DocumentPatience time.Duration // how long a document waits for its turn; 10 s
	ExportPatience   time.Duration // how long an export waits for its turn; 10 s

	Memory        int64         // bytes that queries, documents and exports share; 2 GiB
	QueryTime     time.Duration // how long a query runs; 30 s
	QueryMemory   int64         // bytes that a query keeps of them, by its own accounting; 1 GiB
	Queries       int           // how many run at once; the number of processors
	QueryQueue    int           // how many wait for their turn; 64
	QueryPatience time.Duration // how long a query waits for its turn; 10 s
}

func (l Limits) withDefaults() Limits {
	set(&l.Document, 16<<20)
	set(&l.Body, 1<<20)
	set(&l.BodyDisk, 1<<30)
	set(&l.Workers, runtime.GOMAXPROCS(0))
	set(&l.Rate, 16<<10)
	set(&l.Patience, time.Minute)
	set(&l.Connections, 4096)
	set(&l.ClientConnections, 1024)
	set(&l.FailedTokens, 500)
	set(&l.SpoolDisk, 4<<30)
	set(&l.Room, 30*time.Second)
	set(&l.DocumentPatience, 10*time.Second)
	set(&l.ExportPatience, 10*time.Second)
	set(&l.Memory, 2<<30)
	set(&l.QueryTime, 30*time.Second)
	set(&l.QueryMemory, 1<<30)
	set(&l.Queries, runtime.GOMAXPROCS(0))
	set(&l.QueryQueue, 64)
	set(&l.QueryPatience, 10*time.Second)
	return l
}

func set[T ~int | ~int64](limit *T, value T) {
	if *limit == 0 {
		*limit = value
	}
}

// keepFree returns how much of a disk exports leave free for the store, which is mostly
// on the same one. It is no more than it must be: an export without room keeps its read
// snapshot, and then the file grows by all that is written.
func keepFree(disk int64) int64 { return min(1<<30, disk/2) }
