// SPDX-License-Identifier: GPL-2.0-or-later
// calls.go - for go.test: two goroutines, each with one call stack

package main

var sum uint64

// With a frame, so that it can be followed before there is a table for the program, too.
//
//go:noinline
func spin(n uint64) uint64 {
	var x [8]uint64
	for i := uint64(0); i < n; i++ {
		x[i&7] = x[(i+1)&7]*6364136223846793005 + i
	}
	return x[0]
}

//go:noinline
func inner(n uint64) uint64 { return spin(n) + 1 }

//go:noinline
func outer(n uint64) uint64 { return inner(n) + 1 }

func worker(done chan uint64) {
	var sum uint64
	for i := 0; i < 400; i++ {
		sum += outer(1000000)
	}
	done <- sum
}

func main() {
	done := make(chan uint64)
	go worker(done)
	for i := 0; i < 400; i++ {
		sum += outer(1000000)
	}
	sum += <-done
}
