# SPDX-License-Identifier: Apache-2.0
"""From runs to rows: one row for each cell, metric and program, with weir's paired ratio and what it means."""
import collections
import statistics

from . import stats

ONE_PERMIT = "weir at 1 permit"


def by_repetition(runs, metric):
    figures = {run["repetition"]: metric.of(run) for run in runs}
    return {repetition: figure for repetition, figure in figures.items() if figure is not None}


def row_of(workload, metric, permits, peer, runs, comparison, target):
    row = {"workload": workload.name, "metric": metric.label, "unit": metric.unit, "permits": permits, "peer": peer,
           "median": statistics.median(by_repetition(runs, metric).values()),
           "cpu_ns_per_op": statistics.median(run["cpu_ns"] / run["ops"] for run in runs),
           "peak_rss": max(run["peak_rss"] for run in runs), "peak_threads": max(run["peak_threads"] for run in runs),
           "runs": len(runs), "disturbed": sum(bool(run.get("disturbed")) for run in runs)}
    if comparison is not None:
        row |= {"ratio": comparison.ratio, "low": comparison.low, "high": comparison.high, "pairs": comparison.pairs, "target": target,
                "verdict": comparison.verdict(target)}
    return row


def rows_of(workloads, runs, peers):
    """The rows of all workloads in the order of the plan. A row of weir has a ratio where it is compared with itself at one permit."""
    grouped = collections.defaultdict(list)
    for run in runs:
        grouped[run["cell"], run["permits"], run["peer"]].append(run)
    rows = []
    for workload in workloads:
        for number, metric in enumerate(workload.metrics):
            for permits in sorted({permits for cell, permits, _ in grouped if cell == workload.name}):
                ours = by_repetition(grouped[workload.name, permits, "weir"], metric)
                for peer in peers:
                    measured = grouped[workload.name, permits, peer]
                    if not by_repetition(measured, metric):
                        continue
                    comparison = None if peer == "weir" else stats.compare(ours, by_repetition(measured, metric))
                    target = workload.targets.get(peer) if number == 0 else None
                    rows.append(row_of(workload, metric, permits, peer, measured, comparison, target))
                if number == 0 and workload.fans_out and permits == 2:
                    alone = grouped[workload.name, 1, "weir"]
                    comparison = stats.compare(ours, by_repetition(alone, metric))
                    if comparison is not None:
                        rows.append(row_of(workload, metric, permits, ONE_PERMIT, alone, comparison, 1.0))
    return rows


def unequal_checksums(runs):
    """Cells whose programs did different work although they were asked for the same: the comparison would mean nothing."""
    seen = collections.defaultdict(dict)
    for run in runs:
        seen[run["cell"], run["permits"], run["size"]].setdefault(run["checksum"], set()).add(run["peer"])
    return {key: {sum_: sorted(names) for sum_, names in sums.items()} for key, sums in seen.items() if len(sums) > 1}


def with_verdict(rows, *verdicts):
    return [row for row in rows if row.get("verdict") in verdicts]
