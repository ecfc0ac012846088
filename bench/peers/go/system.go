// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// A number of /proc/self/status, -1 where there is none.
func processStatus(key string) int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return -1
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, key) {
			value, _ := strconv.ParseInt(strings.Fields(line)[1], 10, 64)
			return value
		}
	}
	return -1
}

func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9
	x = (x ^ (x >> 27)) * 0x94D049BB133111EB
	return x ^ (x >> 31)
}

func work(seed uint64, steps int) uint64 {
	for i := 0; i < steps; i++ {
		seed = mix(seed)
	}
	return seed
}

func spinFor(span uint64) {
	for end := now() + span; now() < end; {
	}
}

// The calls below go through entersyscall and exitsyscall, as any call of the system does.
func shortSystemCall() uint64 {
	parent, _, _ := syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0)
	if parent > 0 {
		return 1
	}
	return 0
}

func sleepFor(span int64) {
	left := syscall.Timespec{Sec: span / 1000000000, Nsec: span % 1000000000}
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&left)), 0, 0)
}

type pollFd struct {
	fd              int32
	events, revents int16
}

// Blocks in ppoll until the span is over; 1 if that is how it ended.
func waitAtSocket(fd int, span int64) uint64 {
	waited := pollFd{fd: int32(fd), events: 1}
	limit := syscall.Timespec{Sec: 0, Nsec: span}
	ready, _, failure := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&waited)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if ready == 0 && failure == 0 {
		return 1
	}
	return 0
}
