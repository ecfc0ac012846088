# SPDX-License-Identifier: Apache-2.0
"""The WebAssembly suites: engine (guest programs beside V8 in Node), validate (decode and validate beside wasm-validate), fairness
(copies of a CPU-bound guest on one permit). Alternating pairs, both orders, the ratio of each pair, each loss in red. Times are
reported, never gated: the gated, exact counters are in bench/gate.json."""
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from . import stats

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPORA = pathlib.Path(os.environ.get("WEIR_CORPORA", ROOT / "../shared/corpora")).resolve()
RED, PLAIN = ("\033[31m", "\033[0m") if sys.stdout.isatty() else ("", "")
TIMES = re.compile(r"^min ([0-9.]+) ms, median ([0-9.]+) ms over \d+ calls$", re.M)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def minimum_ms(command):
    found = TIMES.search(run(command))
    if not found:
        raise RuntimeError(f"{' '.join(map(str, command))} printed no times")
    return float(found.group(1))


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_pairs(measure, ours, theirs, pairs):
    """Measures both commands in alternating order; returns our figures, theirs and the ratio of each pair."""
    a, b = [], []
    for pair in range(pairs):
        for command, figures in ([(ours, a), (theirs, b)] if pair % 2 == 0 else [(theirs, b), (ours, a)]):
            figures.append(measure(command))
    return a, b, [x / y for x, y in zip(a, b)]


def report(results, name, ours, theirs, ratios, target, unit):
    low, high = stats.bootstrap_interval(ratios)
    ratio = statistics.median(ratios)
    lost = target is not None and ratio > target
    verdict = "" if target is None else f"  target {target:.2f}x" + (f"  {RED}MISSED{PLAIN}" if lost else "  met")
    print(f"{name:34} {statistics.median(ours):10.3f} {statistics.median(theirs):10.3f} {unit:3} {ratio:7.3f}x [{low:.3f}, {high:.3f}]{verdict}")
    results.append({"name": name, "unit": unit, "ours": ours, "theirs": theirs, "ratio": ratio, "interval": [low, high], "target": target})


def guest(name):
    path = CORPORA / "guests" / name
    return path if path.is_file() else None


def engine_suite(weir, pairs, results):
    node = shutil.which("node")
    if not node or not guest("corelike.wasm"):
        return print("engine: skipped: needs node and the corpora's guests")
    programs = [("corelike.wasm", "run", ["8"], 60, 6.0), ("corelike.wasm", "fib", ["22"], 150, 10.0), ("corelike.wasm", "spin", ["100000"], 100, None),
                ("fpmix.wasm", "nbody", ["1000"], 60, None), ("fpmix.wasm", "mandel", ["100", "100"], 30, None)]
    print(f"{'engine: V8 optimised beside weir':34} {'weir':>10} {'V8':>10}")
    for file, function, arguments, repeat, target in programs:
        ours = [weir, "run", "--invoke", function, "--repeat", str(repeat), guest(file), *arguments]
        theirs = [node, ROOT / "bench/peers/call.mjs", guest(file), function, str(repeat), *arguments]
        report(results, f"{file[:-5]} {function}({', '.join(arguments)})", *in_pairs(minimum_ms, ours, theirs, pairs), target, "ms")


def validate_suite(weir, pairs, results):
    peer = shutil.which("wasm-validate")
    archive = guest("js-components.tar.zst")
    if not peer or not archive:
        return print("validate: skipped: needs wasm-validate (apt: wabt) and the corpora's guests")
    with tempfile.TemporaryDirectory() as folder:
        run(["tar", "--zstd", "-xf", archive, "-C", folder])
        component = next(pathlib.Path(folder).rglob("js-hello.component.wasm"))
        run([weir, "inspect", "--extract-core", folder + "/core", component])
        module = max(pathlib.Path(folder, "core").glob("*.wasm"), key=lambda path: path.stat().st_size)
        print(f"{'validate: wasm-validate beside weir':34} {'weir':>10} {'wabt':>10}")
        report(results, f"decode+validate {module.stat().st_size >> 20} MiB, CPU",
               *in_pairs(cpu_seconds, [weir, "inspect", "--validate-only", module], [peer, module], pairs), 1.0, "s")


def fairness_suite(weir, pairs, results):
    sieve = ROOT / "examples/guests/sieve.wasm"
    print(f"{'fairness: 8 copies beside 1, 1 permit':34} {'8 copies':>10} {'8 x 1':>10}")
    eight = [weir, "run", "--permits", "1", "--copies", "8", sieve]
    one = [weir, "run", "--permits", "1", sieve]
    ours, single, _ = in_pairs(cpu_seconds, eight, one, pairs)
    theirs = [8 * seconds for seconds in single]
    report(results, "CPU of 8 sieves", ours, theirs, [a / b for a, b in zip(ours, theirs)], 1.05, "s")
    stats = json.loads(run([*eight[:2], "--stats=json", *eight[2:]]).strip().splitlines()[-1])
    walls = [row["wall_ns"] for row in stats["guests"]]
    spread = (max(walls) - min(walls)) / max(walls)
    print(f"{'finish times of 8 sieves':34} spread {spread:.1%} of the last one" + (f"  {RED}MISSED{PLAIN} (10 %)" if spread > 0.1 else "  met (10 %)"))
    results.append({"name": "finish spread of 8 sieves", "spread": spread, "target": 0.1})


SUITES = {"engine": engine_suite, "validate": validate_suite, "fairness": fairness_suite}


def run_suite(name, weir, pairs):
    """Runs one suite and keeps its figures in build/bench/NAME.json."""
    results = []
    SUITES[name](weir, pairs, results)
    if results:
        path = ROOT / "build/bench" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(results, indent=1) + "\n")
