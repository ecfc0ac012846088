#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the compiler does not: licence line, file sizes, atomics outside the facade, paths of one machine, unfinished marks,
and that public declarations say what they do (and suspending ones what cancels them)."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE_LIMIT, HEADER_LIMIT = 600, 250
FORBIDDEN = [
    (re.compile(r"\bstd::atomic(<|_ref|_flag)"), "name atomics through weir/detail/atomic.hpp", r"^(src|include)/", r"(detail/atomic|sim/facade)\.hpp$"),
    # What a simulation has to replace: doc/design/simulation.md.
    (re.compile(r"^\s*(extern |static )?(constinit )?thread_local\b", re.M), "write WEIR_THREAD_LOCAL",
     r"^(src/(base|context|task|sched|time|sync)/|include/weir/(detail/)?\w+\.hpp$)", r"(_test\.cpp|/config\.hpp)$"),
    (re.compile(r"^\s*(mutable )?std::(timed_|recursive_)?mutex\b", re.M), "write rt::mutex of base/mutex.hpp",
     r"^(src/(base|context|task|sched|time|sync)/|include/weir/(detail/)?\w+\.hpp$)", r"(_test\.cpp|test_support\.hpp)$"),
    (re.compile(r"\b(steady|system)_clock::now"), "read time with rt::now() or rt::wall_time()",
     r"^(src/(base|context|task|sched|time|sync|wasi)/|include/weir/(detail/)?\w+\.hpp$)", r"(_test\.cpp|test_support\.hpp|base/clock\.hpp)$"),
    (re.compile(r"\bstd::atomic_(wait|notify)|\.notify_(one|all)\(\).*atomic"), "no std::atomic::wait", r"^(src|include)/", None),
    (re.compile(r"(?<![\w.])/(home|root|work|Users)/"), "a path of one machine", r".", r"^tools/check_source\.py$"),
    (re.compile(r"\b(TODO|FIXME|XXX)\b"), "unfinished mark", r"^(src|include|apps|test)/", None),
    (re.compile(r"\bDISABLED_"), "a test that is switched off", r"^(src|apps|test)/", None),
    (re.compile(r"sleep_for|usleep\(|\bnanosleep\("), "a sleep in a test", r"(_test\.cpp|^test/.*\.cpp)$", r"^src/(time|sim)/"),
]
DECLARATION = re.compile(r"^(class|struct|enum class)\s+(\[\[\w+\]\]\s+)?(\w+)\s*(final\s*)?(:[^;{]*)?\{?\s*$")


def public_types_without_comment(text):
    lines = text.splitlines()
    depth_detail = False
    for number, line in enumerate(lines, 1):
        if re.match(r"^namespace .*detail", line):
            depth_detail = True
        elif re.match(r"^\}\s*//\s*namespace .*detail", line):
            depth_detail = False
        match = DECLARATION.match(line)
        if not match or depth_detail:
            continue
        above = number - 2
        while above >= 0 and re.match(r"^\s*(template|requires|\[\[)", lines[above]):
            above -= 1
        if above < 0 or not lines[above].lstrip().startswith("//"):
            yield number, match.group(3)


def main():
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.splitlines()
    problems, checked = [], 0
    for file in files:
        path = ROOT / file
        if not path.is_file() or path.suffix in (".wasm", ".zst", ".png"):
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        checked += 1
        lines = text.count("\n")
        source = file.endswith((".cpp", ".hpp"))
        if source and not text.startswith("// SPDX-License-Identifier: Apache-2.0\n"):
            problems.append(f"{file}:1: no licence line")
        if source and not file.endswith("_test.cpp") and lines > SIZE_LIMIT:
            problems.append(f"{file}: {lines} lines, more than {SIZE_LIMIT}: split it by protocol or noun")
        if file.startswith("include/") and lines > HEADER_LIMIT:
            problems.append(f"{file}: {lines} lines, more than {HEADER_LIMIT} for a header")
        for pattern, what, where, unless in FORBIDDEN:
            if re.search(where, file) and not (unless and re.search(unless, file)):
                for number, line in enumerate(text.splitlines(), 1):
                    if pattern.search(line):
                        problems.append(f"{file}:{number}: {what}")
        if file.startswith("include/") and "/detail/" not in file:
            for number, name in public_types_without_comment(text):
                problems.append(f"{file}:{number}: public type {name} has no doc comment")
            for block in re.finditer(r"((?:^[ \t]*///.*\n)+)", text, re.M):
                if "Suspends:" in block.group(1) and "Cancels:" not in block.group(1):
                    number = text[:block.start()].count("\n") + 1
                    problems.append(f"{file}:{number}: says Suspends but not Cancels")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"source: {checked} files, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
