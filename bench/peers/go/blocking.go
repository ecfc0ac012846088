// SPDX-License-Identifier: Apache-2.0

package main

import "syscall"

const callsPerTask = 100

func init() {
	add("syscall_region", 100000, func(asked request) report {
		callsInMany(asked.size)
		return measureRounds(asked, asked.size, func() uint64 { return callsInMany(asked.size) })
	})
	add("block_inline", 1000, blockInMany)
	add("socket_wait", 200, func(asked request) report {
		lanes := 4 * asked.permits
		sockets := make([][2]int, lanes)
		for i := range sockets {
			ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
			if err != nil {
				panic(err)
			}
			sockets[i] = ends
		}
		wait := func(times uint64) uint64 {
			return sumOf(lanes, func(lane uint64) uint64 {
				waits := uint64(0)
				for i := uint64(0); i < times; i++ {
					waits += waitAtSocket(sockets[lane][0], 500000)
				}
				return waits
			})
		}
		wait(asked.size/10 + 1)
		return measureRounds(asked, lanes*asked.size, func() uint64 { return wait(asked.size) })
	})
}

func callsInMany(calls uint64) uint64 {
	return sumOf(calls/callsPerTask, func(uint64) uint64 {
		sum := uint64(0)
		for i := 0; i < callsPerTask; i++ {
			sum += shortSystemCall()
		}
		return sum
	})
}

func blockInMany(asked request) report {
	return measureRounds(asked, asked.size, func() uint64 {
		return sumOf(asked.size, func(uint64) uint64 {
			sleepFor(1000000)
			return 1
		})
	})
}
