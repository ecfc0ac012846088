// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"sync/atomic"
	"time"
)

func init() {
	add("closed_loop", 5000, closedLoop)
	add("wake_hot", 30000, func(asked request) report { return wake(asked, 2000) })
	add("wake_cold", 5000, func(asked request) report { return wake(asked, 100000) })
}

// The lanes are goroutines bound to threads, since Go has no other threads.
func closedLoop(asked request) report {
	spans := make([]uint32, asked.permits*asked.size)
	drive := func(requests uint64, keep bool) uint64 {
		return sumOf(asked.permits, func(lane uint64) uint64 {
			runtime.LockOSThread()
			sum := uint64(0)
			for i := uint64(0); i < requests; i++ {
				begin := now()
				answer := make(chan uint64, 1)
				go func() { answer <- work(lane*requests+i, 1000) }()
				sum += <-answer
				if keep {
					spans[lane*requests+i] = uint32(now() - begin)
				}
			}
			return sum
		})
	}
	drive(asked.size/10+1, false)
	found := measureRounds(asked, asked.permits*asked.size, func() uint64 { return drive(asked.size, true) })
	found.figures = latencyFigures(spans)
	return found
}

// The waker is a goroutine bound to a thread; it holds a processor while it spins, so there is one more of them.
func wake(asked request, gap uint64) report {
	runtime.GOMAXPROCS(int(asked.permits) + 1)
	signal := make(chan struct{}, 1)
	var stamp, seen uint64
	spans := make([]uint32, asked.size)
	done := make(chan struct{})
	go func() {
		for i := range spans {
			<-signal
			spans[i] = uint32(now() - atomic.LoadUint64(&stamp))
			atomic.StoreUint64(&seen, uint64(i)+1)
		}
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	asked.rounds = 1
	found := measureRounds(asked, asked.size, func() uint64 {
		go func() {
			runtime.LockOSThread()
			for i := uint64(0); i < asked.size; i++ {
				spinFor(gap)
				atomic.StoreUint64(&stamp, now())
				signal <- struct{}{}
				for atomic.LoadUint64(&seen) != i+1 {
				}
			}
		}()
		<-done
		return asked.size
	})
	found.figures = latencyFigures(spans)
	return found
}
