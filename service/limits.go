package service

import (
	"runtime"
	"time"
)

// Limits bounds what one client, and all clients together, may use. The zero value of a
// field means its default.
type Limits struct {
	Document int64         // bytes of a document, and of all documents being read; 16 MiB
	Body     int64         // bytes of any other body; 1 MiB
	Header   int           // bytes of a request's header; 128 KiB
	BodyDisk int64         // bytes of disk for all bodies being received; 1 GiB
	Workers  int           // documents read at once, and exports made at once; GOMAXPROCS
	Rate     int64         // bytes per second that a client must send or take; 16 KiB
	Patience time.Duration // how long a client may fall behind Rate; 60 s
	// Connections bounds both listeners together (4,096), ClientConnections one client
	// (1,024). A client is an IPv4 address or an IPv6 /64. Trusted proxies have no limit
	// of their own.
	Connections, ClientConnections int
	// Files bounds the files in which bodies wait, and as many others of exports; no limit.
	Files int

	FailedTokens int           // wrong tokens that an address may send per minute; 500
	SpoolDisk    int64         // bytes of disk for all waiting exports; 4 GiB
	RoomPatience time.Duration // how long an export waits for room in its spool; 30 s, and ten times that in total

	DocumentPatience time.Duration // how long a document waits for its turn; 10 s
	ExportPatience   time.Duration // how long an export waits for its turn; 10 s

	Memory        int64         // bytes that queries, documents and exports share; 2 GiB
	QueryTime     time.Duration // how long a query runs; 30 s
	QueryMemory   int64         // bytes of Memory that one query may use, by its own accounting; 1 GiB
	Queries       int           // how many queries run at once; the number of processors
	QueryQueue    int           // how many queries wait for their turn; 64
	QueryPatience time.Duration // how long a query waits for its turn; 10 s
}

// withDefaults sets the limits that are 0.
func (l Limits) withDefaults() Limits {
	set(&l.Document, 16<<20)
	set(&l.Body, 1<<20)
	set(&l.Header, 128<<10)
	set(&l.BodyDisk, 1<<30)
	set(&l.Workers, runtime.GOMAXPROCS(0))
	set(&l.Rate, 16<<10)
	set(&l.Patience, time.Minute)
	set(&l.Connections, 4096)
	set(&l.ClientConnections, 1024)
	set(&l.FailedTokens, 500)
	set(&l.SpoolDisk, 4<<30)
	set(&l.RoomPatience, 30*time.Second)
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

// keepFree returns how many bytes of a disk exports leave free for the store, which is
// usually on the same disk. The reserve is small because an export without room keeps its
// read snapshot, and the file then grows with every write.
func keepFree(disk int64) int64 { return min(1<<30, disk/2) }
