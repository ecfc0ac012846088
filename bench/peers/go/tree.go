// SPDX-License-Identifier: Apache-2.0

package main

func init() {
	add("fib", 30, func(asked request) report {
		fib(20)
		return measureRounds(asked, fibSpawns(asked.size), func() uint64 { return fib(asked.size) })
	})
	add("nqueens", 12, func(asked request) report {
		queens(asked.size, 0, 0, 0, 0)
		return measureRounds(asked, 1, func() uint64 { return queens(asked.size, 0, 0, 0, 0) })
	})
}

// One goroutine for each inner node.
func fib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	forked := make(chan uint64, 1)
	go func() { forked <- fib(n - 1) }()
	sum := fib(n - 2)
	return <-forked + sum
}

func fibSpawns(n uint64) uint64 { // fib(n + 1) - 1
	a, b := uint64(0), uint64(1)
	for i := uint64(0); i <= n; i++ {
		a, b = b, a+b
	}
	return a - 1
}

// One goroutine for each legal placement but the last of its row.
func queens(n, row uint64, columns, left, right uint32) uint64 {
	if row == n {
		return 1
	}
	free := (uint32(1)<<n - 1) &^ (columns | left | right)
	parts := make(chan uint64, n)
	forked, sum := 0, uint64(0)
	for free != 0 {
		at := free & -free
		free ^= at
		if free == 0 {
			sum += queens(n, row+1, columns|at, (left|at)<<1, (right|at)>>1)
			break
		}
		forked++
		go func() { parts <- queens(n, row+1, columns|at, (left|at)<<1, (right|at)>>1) }()
	}
	for ; forked > 0; forked-- {
		sum += <-parts
	}
	return sum
}
