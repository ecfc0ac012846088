# SPDX-License-Identifier: Apache-2.0
"""The command line of bench/run.py."""
import argparse
import pathlib

from . import peers, plan

HELP = """Measures weir beside its peers and says where it loses.

  bench/run.py                                  everything: the schedulers, then the WebAssembly suites
  bench/run.py --quick                          the schedulers in about two minutes, less exact
  bench/run.py --only spawn,fib --permits 1,2   some workloads (a name, or how it begins) at some permits
  bench/run.py --peers tokio,go                 beside some peers only
  bench/run.py --list                           the workloads and what one operation of each is
  bench/run.py engine validate fairness         the WebAssembly suites: beside V8, wasm-validate, and copies beside one
  bench/run.py gate                             the exact counters that CI holds (bench/gate.json)

Every pair of runs is made next to each other in time, in both orders in turn; a ratio is weir's figure divided by the
peer's, so below 1 weir is ahead. Red: lost, which means that the whole 95 % interval is above 1. What the pairs do not
decide is listed as such. Results: build/bench/report.html (one file that needs nothing else) and build/bench/results.json.
Times on a busy machine say little: the report counts the runs that other processes disturbed.
`tools/setup.sh --bench` installs the peers; what is missing is skipped with the reason. doc/guide/benchmarks.md says more."""

SUITES = ("peers", "engine", "validate", "fairness", "gate")


def number_list(text):
    numbers = sorted({int(word) for word in text.split(",")})
    if not numbers or numbers[0] < 1:
        raise argparse.ArgumentTypeError("give numbers from 1, separated by commas")
    return numbers


def peer_list(text):
    names = [name for name in text.split(",") if name != "weir"]
    for name in names:
        if name not in peers.MAKERS:
            raise argparse.ArgumentTypeError(f"no peer {name}; there are {', '.join(peers.MAKERS)}")
    return ["weir", *names]


def workload_list(text):
    try:
        return plan.select(text)
    except ValueError as reason:
        raise argparse.ArgumentTypeError(str(reason)) from None


def parser():
    made = argparse.ArgumentParser(prog="bench/run.py", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("suites", nargs="*", metavar="SUITE", help=f"{', '.join(SUITES)}; without any, all but gate")
    made.add_argument("--only", type=workload_list, metavar="WORKLOAD,...", help="schedulers: these workloads")
    made.add_argument("--permits", type=number_list, default=list(plan.PERMITS), metavar="N,...", help="schedulers: how many threads run tasks (1,2,4,16)")
    made.add_argument("--peers", type=peer_list, default=list(peers.MAKERS), metavar="PEER,...", help="schedulers: beside these (tokio,go,tbb,asio)")
    made.add_argument("--pairs", type=int, help="pairs of each comparison (7; quick 3; WebAssembly suites 5)")
    made.add_argument("--quick", action="store_true", help="schedulers: fewer workloads, smaller sizes, permits 1 and 2, 3 pairs, at most 120 s")
    made.add_argument("--budget", type=float, metavar="SECONDS", help="schedulers: stop after this long, with the pairs made so far")
    made.add_argument("--patience", type=float, metavar="SECONDS", help="schedulers: wait this long for a quiet moment before each run (1; quick 0)")
    made.add_argument("--retries", type=int, help="schedulers: how often a disturbed run is made again (1; quick 0)")
    made.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="schedulers: a run that takes longer has failed (120)")
    made.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where the results go (build/bench/results.json)")
    made.add_argument("--html", type=pathlib.Path, metavar="FILE", help="where the page goes (build/bench/report.html)")
    made.add_argument("--from", type=pathlib.Path, dest="source", metavar="FILE", help="make the report of an earlier results.json; measures nothing")
    made.add_argument("--weir", metavar="PATH", help="WebAssembly suites: the command (build/release/apps/weir/weir)")
    made.add_argument("--list", action="store_true", help="list the workloads")
    return made


def parse(arguments):
    reader = parser()
    options = reader.parse_args(arguments)
    for name in options.suites:
        if name not in SUITES:
            reader.error(f"no suite {name}; there are {', '.join(SUITES)}")
    if options.pairs is not None and options.pairs < 1:
        reader.error("--pairs must be at least 1")
    if not options.suites:
        options.suites = ["peers"] if options.quick or options.only or options.source else list(SUITES[:-1])
    if options.quick:
        options.permits = [number for number in options.permits if number <= 2] or options.permits
    options.suite_pairs = options.pairs or 5
    options.pairs = options.pairs or (3 if options.quick else 7)
    if options.budget is None and options.quick:
        options.budget = 120.0
    if options.patience is None:
        options.patience = 0.0 if options.quick else 1.0
    if options.retries is None:
        options.retries = 0 if options.quick else 1
    options.only = options.only or plan.everything(options.quick)
    options.json = options.json or peers.BUILD / "results.json"
    options.html = options.html or peers.BUILD / "report.html"
    options.weir = options.weir or str(peers.ROOT / "build/release/apps/weir/weir")
    return options
