#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/gate.py WEIR [--only PART]: fails when a command of bench/gate.json takes more instructions than its limit, or an operation of
the scheduler (the program `counted` of the same build) more of what is counted for it. Instructions, counted by callgrind, are the same
on a busy machine and on a quiet one; times are not, so times are reported by bench/run.py and never gated."""
import json
import os
import pathlib
import re
import subprocess
import sys

from operations import per_operation

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLLECTED = re.compile(r"Collected\s*:\s*(\d+)")


def instructions(weir, arguments):
    words = [str(ROOT / "examples/guests" / word) if word.endswith(".wasm") else word for word in arguments]
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", weir, *words], capture_output=True, text=True)
    found = COLLECTED.search(done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"gate: {' '.join(words)} failed under callgrind:\n{done.stderr[-800:]}")
    return int(found.group(1))


def main():
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--only"):
        sys.exit("usage: bench/gate.py WEIR [--only instructions|ratios|operations]")
    weir, gate = sys.argv[1], json.loads((ROOT / "bench/gate.json").read_text())
    counted_program = pathlib.Path(weir).resolve().parents[2] / "bench/counted/counted"
    if len(sys.argv) == 4:
        gate = {part: entries if part == sys.argv[3] else [] for part, entries in gate.items()}
    counted = {}

    def count(arguments):
        key = tuple(arguments)
        if key not in counted:
            counted[key] = instructions(weir, arguments)
        return counted[key]

    def least(arguments, limit):
        """A thread that is interrupted lets another wait for it, and waiting takes instructions: what is over the limit is counted again."""
        figure = count(arguments)
        for _ in range(2):
            if figure <= limit:
                break
            figure = min(figure, instructions(weir, arguments))
        return figure

    failed = 0
    for entry in gate["instructions"]:
        figure = least(entry["arguments"], entry["limit"])
        over = figure > entry["limit"]
        failed += over
        print(f"gate: {entry['name']}: {figure:,} instructions, limit {entry['limit']:,}{' EXCEEDED' if over else ''}")
    for entry in gate["ratios"]:
        ratio = count(entry["arguments"]) / (entry["times"] * count(entry["beside"]))
        over = ratio > entry["limit"]
        failed += over
        print(f"gate: {entry['name']}: {ratio:.3f}x the instructions, limit {entry['limit']}x{' EXCEEDED' if over else ''}")
    for entry in gate["operations"]:
        figures = per_operation(str(counted_program), entry["workload"])
        over = [what for what, limit in entry["limits"].items() if figures[what] > limit]
        failed += bool(over)
        text = ", ".join(f"{figures[what]:.4g} {what} (limit {limit:g}){' EXCEEDED' if what in over else ''}"
                         for what, limit in entry["limits"].items())
        print(f"gate: {entry['name']}: {text}")
    total = sum(len(gate[part]) for part in ("instructions", "ratios", "operations"))
    if counts := os.environ.get("WEIR_TEST_COUNTS"):
        with open(counts, "a") as file:
            file.write(f"{total - failed} {failed} 0\n")
    return 1 if failed else 0


sys.exit(main())
