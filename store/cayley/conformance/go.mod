// This module runs Cayley's test suite for backends on store/cayley. It is a module of its
// own, so that segraph does not require Cayley's query languages.
module github.com/segraph/segraph/store/cayley/conformance

go 1.26.0

require (
	github.com/cayleygraph/cayley v0.7.7
	github.com/cayleygraph/quad v1.2.5
	github.com/segraph/segraph v0.0.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/dlclark/regexp2 v1.1.4 // indirect
	github.com/dop251/goja v0.0.0-20190105122144-6d5bf35058fa // indirect
	github.com/go-sourcemap/sourcemap v2.1.2+incompatible // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.18.7 // indirect
	github.com/piprate/json-gold v0.3.0 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/pquerna/cachecontrol v0.0.0-20180517163645-1555304b9b35 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	github.com/tidwall/btree v1.8.1 // indirect
	github.com/transparency-dev/merkle v0.0.2 // indirect
	go.etcd.io/bbolt v1.5.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)

replace github.com/segraph/segraph => ../../..
