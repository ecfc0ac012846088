# SPDX-License-Identifier: Apache-2.0
"""Exact counters of one operation, for bench/gate.py: two runs of `counted` under callgrind, a short and a long one, of which the
difference is that of the operations alone. Callgrind says how often the instruction at each address ran, the disassembly says which of
those are atomic read-modify-writes, full fences and system calls. Under callgrind every reading of a clock is a system call, too."""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SHORT, LONG = 2_000, 12_000
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*)$")
FENCE = re.compile(r"mfence|lock or[lq]?\s+\$0x0,[-0-9a-fx]*\(%[er]sp\)")
ATOMIC = re.compile(r"lock |xchg\s+%\w+,.*\(|xchg\s+.*\(.*\),%")


def kind(text):
    if FENCE.match(text):
        return "fences"
    if ATOMIC.match(text):
        return "atomics"
    return "syscalls" if text.startswith("syscall") else None


def kinds_of(program, known={}):
    """Address -> kind, of the instructions that have one, and the address of malloc."""
    if program not in known:
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True).stdout
        found, matches = {}, (INSTRUCTION.match(line) for line in text.splitlines())
        for match in filter(None, matches):
            if what := kind(match[2].strip()):
                found[int(match[1], 16)] = what
        symbols = subprocess.run(["nm", "-D", "--defined-only", program], capture_output=True, text=True).stdout
        for line in symbols.splitlines():
            address, _, name = line.split(maxsplit=2) if line.count(" ") >= 2 else ("", "", "")
            if name.split("@")[0] in ("malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"):
                found[int(address, 16)] = "allocations"
        known[program] = found
    return known[program]


def run(program, workload, times):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                               f"--callgrind-out-file={out}", program, workload, str(times)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"gate: {program} {workload} {times} failed under callgrind:\n{done.stderr[-800:]}")
        counts, kinds, is_inclusive = collections.Counter(), {}, False
        for line in out.read_text().splitlines():
            if line.startswith("ob="):
                kinds = kinds_of(line[3:]) if os.path.exists(line[3:]) else {}
            elif line.startswith("calls="):
                is_inclusive = True  # the next line has the cost of what is called
            elif line.startswith("0x"):
                address, _, cost = line.split()
                if not is_inclusive:
                    counts["instructions"] += int(cost)
                    if what := kinds.get(int(address, 16)):
                        counts[what] += int(cost)
                is_inclusive = False
        return counts


def per_operation(program, workload):
    """A count for each kind, of one operation."""
    short, long = run(program, workload, SHORT), run(program, workload, LONG)
    return {what: (long[what] - short[what]) / (LONG - SHORT)
            for what in ("instructions", "atomics", "fences", "allocations", "syscalls")}
