// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package main

// The application of measure/build_graph.hpp. It compresses with the same zlib as the others, so it needs cgo and is a build of its own:
// cgo changes how Go makes threads, which the other workloads measure.

// #cgo LDFLAGS: -lz
// #include <zlib.h>
import "C"

import (
	"fmt"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"
)

type node struct{ dependencies, dependents []uint32 }

type buildGraph struct {
	folder  string
	nodes   []node
	digests []uint64
	left    []int32
	ending  sync.WaitGroup
}

func init() {
	add("build_graph", 1000, func(asked request) report {
		graph := makeGraph(asked.size)
		return measureRounds(asked, asked.size, graph.walk)
	})
}

func makeGraph(count uint64) *buildGraph {
	graph := &buildGraph{folder: os.Getenv("WEIR_BENCH_FILES"), nodes: make([]node, count), digests: make([]uint64, count), left: make([]int32, count)}
	for i := uint64(1); i < count; i++ {
		reach := i
		if reach > 200 {
			reach = 200
		}
		needs := map[uint32]bool{}
		for k := uint64(0); k < 3; k++ {
			needs[uint32(i-1-mix(i*3+k)%reach)] = true
		}
		for needed := range needs {
			graph.nodes[i].dependencies = append(graph.nodes[i].dependencies, needed)
			graph.nodes[needed].dependents = append(graph.nodes[needed].dependents, uint32(i))
		}
		sort.Slice(graph.nodes[i].dependencies, func(a, b int) bool { return graph.nodes[i].dependencies[a] < graph.nodes[i].dependencies[b] })
	}
	return graph
}

func (graph *buildGraph) walk() uint64 {
	for i := range graph.nodes {
		graph.left[i] = int32(len(graph.nodes[i].dependencies))
	}
	graph.ending.Add(len(graph.nodes))
	for i := range graph.nodes {
		if len(graph.nodes[i].dependencies) == 0 {
			go graph.build(uint32(i))
		}
	}
	graph.ending.Wait()
	sum := uint64(0)
	for _, each := range graph.digests {
		sum += each
	}
	return sum
}

func (graph *buildGraph) build(at uint32) {
	content, err := os.ReadFile(fmt.Sprintf("%s/%d", graph.folder, at%64))
	if err != nil {
		panic(err)
	}
	hash := mix(uint64(at))
	for _, needed := range graph.nodes[at].dependencies {
		hash = mix(hash ^ graph.digests[needed])
	}
	for _, each := range content {
		hash = (hash ^ uint64(each)) * 0x100000001B3
	}
	graph.digests[at] = mix(hash ^ compressedSize(content))
	for _, dependent := range graph.nodes[at].dependents {
		if atomic.AddInt32(&graph.left[dependent], -1) == 0 {
			go graph.build(dependent)
		}
	}
	graph.ending.Done()
}

func compressedSize(content []byte) uint64 {
	size := C.compressBound(C.uLong(len(content)))
	packed := make([]byte, size)
	if C.compress2((*C.Bytef)(unsafe.Pointer(&packed[0])), &size, (*C.Bytef)(unsafe.Pointer(&content[0])), C.uLong(len(content)), 1) != C.Z_OK {
		panic("zlib could not compress")
	}
	return uint64(size)
}
