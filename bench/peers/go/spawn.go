// SPDX-License-Identifier: Apache-2.0

package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

func init() {
	add("spawn_join", 1000000, func(asked request) report {
		spawnJoin(asked.size/10 + 1)
		return measureRounds(asked, asked.size, func() uint64 { return spawnJoin(asked.size) })
	})
	add("yield", 1000, func(asked request) report {
		yieldInMany(1000, asked.size/10+1)
		return measureRounds(asked, 1000*asked.size, func() uint64 { return yieldInMany(1000, asked.size) })
	})
	add("skynet", 1000000, func(asked request) report {
		skynet(1000)
		return measureRounds(asked, asked.size, func() uint64 { return skynet(asked.size) })
	})
	add("remote_spawn", 8, func(asked request) report {
		spawnFromThreads(asked.size)
		return measureRounds(asked, remoteTasks, func() uint64 { return spawnFromThreads(asked.size) })
	})
}

// Starts `count` goroutines, waits for them and adds their results.
func sumOf(count uint64, run func(uint64) uint64) uint64 {
	results := make([]uint64, count)
	var left sync.WaitGroup
	left.Add(int(count))
	for i := uint64(0); i < count; i++ {
		i := i
		go func() {
			results[i] = run(i)
			left.Done()
		}()
	}
	left.Wait()
	sum := uint64(0)
	for _, each := range results {
		sum += each
	}
	return sum
}

func spawnJoin(count uint64) uint64 {
	return sumOf(count, func(i uint64) uint64 { return i })
}

func yieldInMany(tasks, times uint64) uint64 {
	return sumOf(tasks, func(uint64) uint64 {
		for i := uint64(0); i < times; i++ {
			runtime.Gosched()
		}
		return times
	})
}

func skynet(leaves uint64) uint64 {
	result := make(chan uint64, 1)
	go skynetNode(result, 0, leaves)
	return <-result
}

func skynetNode(result chan uint64, first, leaves uint64) {
	if leaves == 1 {
		result <- first
		return
	}
	parts := make(chan uint64, 10)
	share := leaves / 10
	for i := uint64(0); i < 10; i++ {
		go skynetNode(parts, first+i*share, share)
	}
	sum := uint64(0)
	for i := 0; i < 10; i++ {
		sum += <-parts
	}
	result <- sum
}

const remoteTasks = 64000

// Go has no threads outside its scheduler: the spawners are goroutines that are bound to threads.
func spawnFromThreads(threads uint64) uint64 {
	each := remoteTasks / threads
	left := int64(each * threads)
	done := make(chan struct{})
	for i := uint64(0); i < threads; i++ {
		go func() {
			runtime.LockOSThread()
			for k := uint64(0); k < each; k++ {
				go func() {
					if atomic.AddInt64(&left, -1) == 0 {
						close(done)
					}
				}()
			}
		}()
	}
	<-done
	return each * threads
}
