# SPDX-License-Identifier: Apache-2.0
"""What a run prints: progress, a table for each workload, and each loss in red."""
import sys
import time

from . import results

COLOURS = {"loss": "31", "behind": "33", "win": "32"}
WORDS = {"loss": "LOSS", "behind": "behind target", "win": "", "open": "not decided"}


def figure(value):
    """Three or four significant digits, without an exponent."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.1f}"


def bytes_text(value):
    return f"{value / (1 << 20):,.1f} MiB"


def painted(text, verdict, colour):
    return f"\033[{COLOURS[verdict]}m{text}\033[0m" if colour and verdict in COLOURS else text


def row_line(row):
    line = f"{row['permits']:>7}  {row['peer']:<17} {figure(row['median']):>10}"
    if "ratio" in row:
        span = f"[{row['low']:.2f}, {row['high']:.2f}]"
        line += f"  {row['ratio']:>6.2f}x {span:<16}"
    else:
        line += " " * 26
    return line + f" {figure(row['cpu_ns_per_op']):>10} {bytes_text(row['peak_rss']):>12} {row['peak_threads']:>8}"


def verdict_text(row):
    word = WORDS[row["verdict"]] if "verdict" in row else ""
    missed = row.get("target") is not None and row["ratio"] > row["target"]
    return f"  {word}" + (f" (target {row['target']:g}x)" if missed else "") if word or missed else ""


def print_tables(workloads, rows, out=sys.stdout):
    colour = out.isatty()
    for workload in workloads:
        for metric in workload.metrics:
            mine = [row for row in rows if row["workload"] == workload.name and row["metric"] == metric.label]
            if not mine:
                continue
            print(f"\n{workload.name}: {metric.label}, {metric.unit}: {workload.about}", file=out)
            print(f"{'permits':>7}  {'':<17} {'median':>10}  {'weir/it':>7} {'95 % interval':<16} {'CPU ns/op':>10} {'peak memory':>12} {'threads':>8}", file=out)
            for row in mine:
                print(painted(row_line(row) + verdict_text(row), row.get("verdict"), colour), file=out)


def loss_line(row):
    where = f"{row['workload']} at {row['permits']} permit{'s' if row['permits'] != 1 else ''}, {row['metric']}"
    goal = f", target {row['target']:g}x" if row.get("target") is not None else ""
    return f"{where}: {row['ratio']:.2f}x of {row['peer']} [{row['low']:.2f}, {row['high']:.2f}]{goal}"


def print_summary(rows, out=sys.stdout):
    """Counts, then every loss, every missed target, and what the pairs do not decide."""
    colour = out.isatty()
    compared = [row for row in rows if "verdict" in row]
    counts = {verdict: len(results.with_verdict(rows, verdict)) for verdict in WORDS}
    print(f"\n{len(compared)} comparisons: {counts['win']} won, {counts['loss']} lost, {counts['behind']} behind their target, {counts['open']} not decided", file=out)
    for verdict, title in (("loss", "lost"), ("behind", "behind target"), ("open", "not decided by these pairs")):
        for row in results.with_verdict(rows, verdict):
            print(painted(f"  {title}: {loss_line(row)}", verdict, colour), file=out)


class Progress:
    """One line that is rewritten on a terminal; elsewhere one line for each workload of each repetition."""

    def __init__(self, pairs, out=sys.stderr):
        self.pairs, self.out, self.begin, self.last = pairs, out, time.monotonic(), None

    def say(self, text):
        if self.out.isatty():
            print(f"\r\033[K{text}", end="", file=self.out, flush=True)
        elif text != self.last:
            print(text, file=self.out, flush=True)
        self.last = text

    def __call__(self, repetition, done, cells, cell):
        workload, permits, _ = cell
        fraction = (repetition * cells + done) / (self.pairs * cells)
        spent = time.monotonic() - self.begin
        left = f", about {spent / fraction - spent:.0f} s left" if fraction > 0.02 else ""
        if self.out.isatty():
            self.say(f"pair {repetition + 1} of {self.pairs}: {workload.name} at {permits}{left}")
        elif (repetition, workload.name) != self.last:
            print(f"pair {repetition + 1} of {self.pairs}: {workload.name}{left}", file=self.out, flush=True)
            self.last = (repetition, workload.name)

    def clear(self):
        if self.out.isatty():
            print("\r\033[K", end="", file=self.out, flush=True)
