//go:build !race

package ui

const race = false
