//go:build race

package webui

// race tells that the race detector runs, with which nothing is fast.
const race = true
