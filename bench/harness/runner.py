# SPDX-License-Identifier: Apache-2.0
"""Runs the plan: each cell (a workload at a number of permits) once a repetition, all its peers next to each other in time."""
import json
import os
import pathlib
import random
import resource
import subprocess
import tempfile
import time

from . import machine

FIELDS = ("peer", "workload", "permits", "ops", "wall_ns", "cpu_ns", "peak_rss", "peak_threads", "checksum")
FILES = 64


class BadRun(Exception):
    """A program that failed, ran too long or printed something else than its line."""


def order_of(peers, repetition):
    """The peers rotate from repetition to repetition and run in reverse in every other one, so that none always goes first and
    each pair is seen in both orders."""
    turn = repetition // 2 % len(peers)
    turned = peers[turn:] + peers[:turn]
    return turned if repetition % 2 == 0 else turned[::-1]


def parse_line(text):
    """The last line that a program printed. Errors: BadRun."""
    lines = text.strip().splitlines()
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError):
        raise BadRun(f"printed no line of JSON: {text.strip()[-200:]!r}") from None
    missing = [field for field in FIELDS if field not in found] if isinstance(found, dict) else FIELDS
    if missing:
        raise BadRun(f"its line lacks {', '.join(missing)}")
    if found["ops"] <= 0 or found["wall_ns"] <= 0:
        raise BadRun("its line has no operations or no time")
    return found


def make_files(folder):
    """The inputs of the build graph: words of a small vocabulary, so that they compress like source text; always the same."""
    source = random.Random(1)
    words = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz_", k=source.randint(2, 12))) for _ in range(2000)]
    for index in range(FILES):
        text = " ".join(source.choices(words, k=1500 + 60 * index))
        pathlib.Path(folder, str(index)).write_text(text)


def run_once(command, limit, busy):
    """Runs one program. Returns its line, with what other processes did meanwhile."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy_before, begin = machine.busy_seconds(), time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise BadRun(f"was still running after {limit} s") from None
    wall, busy_time = time.monotonic() - begin, machine.busy_seconds() - busy_before
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise BadRun(f"ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    found = parse_line(done.stdout)
    if busy == 0:  # beside busy processes nobody can tell whose time it was
        own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found["foreign_share"] = max(0.0, busy_time - own) / max(wall, 1e-6)
        found["disturbed"] = machine.is_disturbed(busy_time - own, wall)
    return found


class Session:
    """The runs of one call, in the order they were made."""

    def __init__(self, peers, options, progress):
        self.peers, self.options, self.progress = peers, options, progress
        self.runs, self.failures = [], {}
        self.begin = time.monotonic()
        self.repetitions_done = 0

    def cells(self, workloads):
        for workload in workloads:
            names = [name for name, peer in self.peers.items() if workload.program_of(name) in peer.programs]
            if "weir" in names:
                for permits in workload.permits_among(self.options.permits):
                    yield workload, permits, names

    def out_of_time(self):
        return self.options.budget is not None and time.monotonic() - self.begin > self.options.budget

    def measure(self, workloads):
        """Repetition by repetition, so that stopping early leaves every cell with as many pairs. Ctrl-C stops early."""
        cells = list(self.cells(workloads))
        with tempfile.TemporaryDirectory() as folder:
            make_files(folder)
            os.environ["WEIR_BENCH_FILES"] = folder
            try:
                for repetition in range(self.options.pairs):
                    for done, cell in enumerate(cells):
                        if self.out_of_time():
                            return "the time was over"
                        self.progress(repetition, done, len(cells), cell)
                        self.measure_cell(repetition, *cell)
                    self.repetitions_done += 1
            except KeyboardInterrupt:
                return "it was interrupted"
        return None

    def measure_cell(self, repetition, workload, permits, names):
        with machine.busy_processes(workload.contended) as busy:
            for name in order_of(names, repetition):
                if (workload.name, permits, name) in self.failures:
                    continue
                command = self.peers[name].command(workload.program_of(name), permits, workload.size_for(name, self.options.quick), workload.rounds)
                try:
                    run = self.run_quietly(command, busy)
                except BadRun as reason:
                    self.failures[workload.name, permits, name] = str(reason)
                    continue
                self.runs.append(dict(run, peer=name, cell=workload.name, permits=permits, repetition=repetition))

    def run_quietly(self, command, busy):
        """Runs again when others disturbed the run, as often as the options allow; the last run counts."""
        for attempt in range(self.options.retries + 1):
            if busy == 0:
                machine.wait_for_quiet(self.options.patience)
            run = run_once(command, self.options.limit, busy)
            if not run.get("disturbed"):
                break
        return run
