//go:build race

package ui

// race tells that the race detector runs, with which nothing is fast.
const race = true
