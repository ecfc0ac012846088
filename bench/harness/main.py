# SPDX-License-Identifier: Apache-2.0
"""Runs the suites that the command line asks for, in order."""
import json
import subprocess
import sys

from . import machine, options as command_line, page, peers, plan, results, runner, stats, suites, terminal


def measure_peers(options):
    """Builds, measures, and returns everything that the reports are made of."""
    progress = terminal.Progress(options.pairs)
    made, skipped = peers.make_all(options.peers, progress.say)
    session = runner.Session(made, options, progress)
    about = machine.describe()
    stopped = session.measure(options.only)
    progress.clear()
    absent = [each.name for each in options.only if each.program_of("weir") not in made["weir"].programs]
    failures = [{"workload": cell, "permits": permits, "peer": peer, "reason": reason} for (cell, permits, peer), reason in session.failures.items()]
    return {"machine": about, "peers": {name: peer.about for name, peer in made.items()}, "skipped": skipped, "absent": absent, "failures": failures,
            "stopped": stopped, "pairs": options.pairs, "pairs_done": session.repetitions_done, "quick": options.quick, "runs": session.runs}


def print_notes(data):
    for peer, reason in data["skipped"].items():
        print(f"skipped: {peer}: {reason}")
    if data["absent"]:
        print(f"left out, since weir's program has no such workload: {', '.join(data['absent'])}")
    for failure in data["failures"]:
        print(f"failed: {failure['workload']} at {failure['permits']}: {failure['peer']} {failure['reason']}")
    if data["stopped"]:
        print(f"stopped after {data['pairs_done']} of {data['pairs']} pairs: {data['stopped']}")
    if data["pairs_done"] < stats.ENOUGH_PAIRS:
        print(f"{data['pairs_done']} pairs are too few for an interval of 95 %: take what follows as hints")
    disturbed = sum(bool(run.get("disturbed")) for run in data["runs"])
    if disturbed:
        print(f"{disturbed} of {len(data['runs'])} runs were disturbed by other processes on this machine")
    for (cell, permits, size), sums in results.unequal_checksums(data["runs"]).items():
        print(f"unequal work: {cell} at {permits}, size {size}: {sums}")


def run_peers(options):
    data = json.loads(options.source.read_text()) if options.source else measure_peers(options)
    rows = results.rows_of(options.only, data["runs"], ["weir", *(name for name in data["peers"] if name != "weir")])
    terminal.print_tables(options.only, rows)
    print()
    print_notes(data)
    terminal.print_summary(rows)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(dict(data, rows=rows), indent=1) + "\n")
    options.html.write_text(page.render(options.only, rows, data))
    print(f"\npage: {options.html}\ndata: {options.json}")
    return 1 if data["failures"] and not rows else 0


def main(arguments=None):
    options = command_line.parse(arguments)
    if options.list:
        for workload in plan.WORKLOADS:
            print(f"{workload.name:20} {workload.about}")
        return 0
    status = 0
    for suite in options.suites:
        if suite == "peers":
            try:
                status |= run_peers(options)
            except peers.Unavailable as reason:
                print(f"weir's program could not be built: {reason}", file=sys.stderr)
                return 1
        elif suite == "gate":
            status |= subprocess.run([peers.ROOT / "bench/gate.py", options.weir]).returncode
        else:
            suites.run_suite(suite, options.weir, options.suite_pairs)
    return status
