module github.com/segraph/segraph

go 1.26.0

require (
	filippo.io/edwards25519 v1.2.0 // which Ed25519 keys have a small order
	github.com/KimMachineGun/automemlimit v1.0.1 // how much memory the control group and the machine allow
	github.com/a-h/templ v0.3.977 // pages; its generator is used by a test
	github.com/cayleygraph/cayley v0.7.7 // the graph interfaces that the store serves
	github.com/cayleygraph/quad v1.2.5 // Cayley's terms and quads; Cayley does not build with later versions
	github.com/chromedp/cdproto v0.159.0 // the browser's protocol, for tests
	github.com/chromedp/chromedp v0.23.0 // drives a browser, for tests
	github.com/coder/websocket v1.8.15 // the connection to a robot
	github.com/dunglas/httpsfv v1.1.2 // structured fields: the headers of signed requests
	github.com/golang-jwt/jwt/v5 v5.3.1 // tokens
	github.com/google/uuid v1.6.0 // ids of logs, requests and files
	github.com/gorilla/mux v1.8.1 // the router
	github.com/hashicorp/golang-lru/v2 v2.0.7 // maps with a bound: sessions, tickets, results, addresses
	github.com/icholy/digest v1.2.0 // HTTP Digest, to log in to graph stores
	github.com/klauspost/compress v1.20.0 // gzip and zstd of requests and answers
	github.com/nats-io/nats.go v1.55.0 // forwards journals over JetStream
	github.com/pierrec/lz4/v4 v4.1.33 // chunks of recordings
	github.com/prometheus/client_golang v1.23.2 // metrics, in the format that is scraped
	github.com/remitly-oss/httpsig-go v1.0.0 // tests sign requests with it; it does not return what it verified, which must be kept
	github.com/tidwall/btree v1.8.1 // the trees of the memtable, which are copied in constant time
	github.com/transparency-dev/formats v0.1.1 // cosignatures of witnesses
	github.com/transparency-dev/merkle v0.0.2 // the journal's tree: ranges and proofs of RFC 6962
	go.etcd.io/bbolt v1.5.0 // the file
	golang.org/x/crypto v0.58.0 // certificates by ACME
	golang.org/x/mod v0.42.0 // signed notes, for checkpoints; tests compare the journal's tree with its own
	golang.org/x/sys v0.49.0 // locks, disk space and error numbers on Windows; lets a test have the system forget what it cached of a file
	golang.org/x/text v0.43.0 // normal forms of Unicode, to compare texts, and its case mappings, for UCASE and LCASE
	golang.org/x/time v0.16.0 // limits of rates: wrong tokens, checkpoints
	gopkg.in/yaml.v3 v3.0.1 // maps of robots; tests read the Compose files
	pgregory.net/rapid v1.3.0 // tests against models, with random input
	rsc.io/qr v0.2.0 // the QR code of a live demo
)

require (
	filippo.io/mldsa v0.0.0-20260215214346-43d0283efc3e // indirect
	github.com/a-h/parse v0.0.0-20250122154542-74294addb73e // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/nats-io/nkeys v0.4.16 // indirect
	github.com/nats-io/nuid v1.0.1 // indirect
	github.com/pbnjay/memory v0.0.0-20210728143218-7b4eea64cf58 // indirect
	github.com/prometheus/client_model v0.6.2 // indirect
	github.com/prometheus/common v0.66.1 // indirect
	github.com/prometheus/procfs v0.16.1 // indirect
	go.yaml.in/yaml/v2 v2.4.2 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/sync v0.24.0 // semaphores
	google.golang.org/protobuf v1.36.8 // indirect
)

ignore ./node_modules // of the UI's build

// Cayley's query languages and quad's JSON-LD, which nothing here builds, and scanners flag.
exclude (
	github.com/dlclark/regexp2 v1.1.4
	github.com/dop251/goja v0.0.0-20190105122144-6d5bf35058fa
	github.com/piprate/json-gold v0.3.0
)
