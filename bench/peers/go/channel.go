// SPDX-License-Identifier: Apache-2.0

package main

import "sync"

func init() {
	add("ping_pong", 1000000, func(asked request) report {
		pingPong(asked.size/10 + 2)
		return measureRounds(asked, asked.size, func() uint64 { return pingPong(asked.size) })
	})
	add("mpmc", 1000000, func(asked request) report {
		manyToMany(asked.size/10 + 4)
		return measureRounds(asked, asked.size, func() uint64 { return manyToMany(asked.size) })
	})
}

// Two unbuffered channels; `messages` counts both directions.
func pingPong(messages uint64) uint64 {
	there, back := make(chan uint64), make(chan uint64)
	result := make(chan uint64)
	go func() {
		sum := uint64(0)
		for i := uint64(0); i < messages/2; i++ {
			there <- i
			sum += <-back
		}
		result <- sum
	}()
	go func() {
		for i := uint64(0); i < messages/2; i++ {
			back <- (<-there) + 1
		}
	}()
	return <-result
}

// Four producers, four consumers, a bound of 1024.
func manyToMany(items uint64) uint64 {
	channel := make(chan uint64, 1024)
	each := items / 4
	var producers sync.WaitGroup
	producers.Add(4)
	for p := uint64(0); p < 4; p++ {
		p := p
		go func() {
			for i := uint64(0); i < each; i++ {
				channel <- p*each + i
			}
			producers.Done()
		}()
	}
	go func() {
		producers.Wait()
		close(channel)
	}()
	return sumOf(4, func(uint64) uint64 {
		sum := uint64(0)
		for item := range channel {
			sum += item
		}
		return sum
	})
}
