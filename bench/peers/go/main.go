// SPDX-License-Identifier: Apache-2.0

// Go's program: WORKLOAD --permits N [--size N] [--rounds N] prints one line of JSON; --list names the workloads.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"syscall"
	"time"
)

type request struct {
	workload              string
	permits, size, rounds uint64
}

type report struct {
	operations, wall, cpu, checksum uint64
	threads                         int64
	figures                         string // further fields of the JSON line, each led by a comma
}

type workload struct {
	defaultSize uint64
	run         func(request) report
}

// Filled by the init functions of the families, one a file.
var workloads = map[string]workload{}

func add(name string, defaultSize uint64, run func(request) report) {
	workloads[name] = workload{defaultSize, run}
}

// Runs `round` as often as asked; the median wall and CPU times are reported.
func measureRounds(asked request, operations uint64, round func() uint64) report {
	found := report{operations: operations}
	walls, cpus := []uint64{}, []uint64{}
	for i := uint64(0); i < asked.rounds; i++ {
		cpu, begin := processCPU(), now()
		found.checksum = round()
		walls = append(walls, now()-begin)
		cpus = append(cpus, processCPU()-cpu)
	}
	found.wall, found.cpu = middleOf(walls), middleOf(cpus)
	found.threads = processStatus("Threads:")
	return found
}

func middleOf(values []uint64) uint64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values[len(values)/2]
}

func latencyFigures(spans []uint32) string {
	sort.Slice(spans, func(i, j int) bool { return spans[i] < spans[j] })
	text := ""
	for _, each := range []struct {
		name  string
		share float64
	}{{"p50_ns", 0.5}, {"p99_ns", 0.99}, {"p999_ns", 0.999}} {
		at := int(each.share * float64(len(spans)))
		if at >= len(spans) {
			at = len(spans) - 1
		}
		text += fmt.Sprintf(`, "%s": %d`, each.name, spans[at])
	}
	return text
}

var start = time.Now()

func now() uint64 { return uint64(time.Since(start)) }

func processCPU() uint64 {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return uint64(used.Utime.Nano() + used.Stime.Nano())
}

func readOptions(asked *request, arguments []string) bool {
	for ; len(arguments) >= 2; arguments = arguments[2:] {
		number, err := strconv.ParseUint(arguments[1], 10, 64)
		if err != nil || number == 0 {
			return false
		}
		switch arguments[0] {
		case "--permits":
			asked.permits = number
		case "--size":
			asked.size = number
		case "--rounds":
			asked.rounds = number
		default:
			return false
		}
	}
	return len(arguments) == 0
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--list" {
		for name := range workloads {
			fmt.Println(name)
		}
		return
	}
	asked := request{permits: 1, rounds: 1}
	if len(os.Args) < 2 || !readOptions(&asked, os.Args[2:]) {
		fmt.Fprintln(os.Stderr, "usage: go_peer WORKLOAD --permits N [--size N] [--rounds N]\n       go_peer --list")
		os.Exit(2)
	}
	asked.workload = os.Args[1]
	chosen, known := workloads[asked.workload]
	if !known {
		fmt.Fprintf(os.Stderr, "no workload %s; --list names them\n", asked.workload)
		os.Exit(2)
	}
	if asked.size == 0 {
		asked.size = chosen.defaultSize
	}
	runtime.GOMAXPROCS(int(asked.permits))
	found := chosen.run(asked)
	fmt.Printf(`{"peer": "go", "workload": "%s", "permits": %d, "size": %d, "rounds": %d, "ops": %d, "wall_ns": %d, "cpu_ns": %d, `+
		`"peak_rss": %d, "peak_threads": %d, "checksum": %d%s}`+"\n", asked.workload, asked.permits, asked.size, asked.rounds,
		found.operations, found.wall, found.cpu, processStatus("VmHWM:")*1024, found.threads, found.checksum, found.figures)
}
