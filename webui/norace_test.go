//go:build !race

package webui

const race = false
