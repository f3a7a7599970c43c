//go:build !race

package e2e

const race = false
