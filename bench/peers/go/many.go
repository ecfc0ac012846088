// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

func init() {
	add("parked", 1000000, parked)
	add("sleepers", 1000000, sleepers)
}

// Memory of tasks that wait: the growth of the resident set.
func parked(asked request) report {
	var waiting int64
	perTask := 0.0
	asked.rounds = 1
	runtime.GC()
	found := measureRounds(asked, asked.size, func() uint64 {
		release := make(chan struct{})
		before := processStatus("VmRSS:")
		for i := uint64(0); i < asked.size; i++ {
			go func() {
				atomic.AddInt64(&waiting, 1)
				<-release
				atomic.AddInt64(&waiting, -1)
			}()
		}
		for atomic.LoadInt64(&waiting) != int64(asked.size) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		perTask = float64(processStatus("VmRSS:")-before) * 1024 / float64(asked.size)
		close(release)
		for atomic.LoadInt64(&waiting) != 0 {
			time.Sleep(time.Millisecond)
		}
		return asked.size
	})
	found.figures = fmt.Sprintf(`, "bytes_per_task": %.1f`, perTask)
	return found
}

// Sleeps of 1 to 1000 ms, all at once.
func sleepers(asked request) report {
	late := make([]uint32, asked.size)
	asked.rounds = 1
	found := measureRounds(asked, asked.size, func() uint64 {
		return sumOf(asked.size, func(i uint64) uint64 {
			due := time.Now().Add(time.Duration(1000+mix(i)%999001) * time.Microsecond)
			time.Sleep(time.Until(due))
			if behind := time.Since(due); behind > 0 {
				late[i] = uint32(behind)
			}
			return 1
		})
	})
	found.figures = latencyFigures(late)
	return found
}
