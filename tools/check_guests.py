#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_guests.py WEIR: runs the guest programs of the corpora and compares what they return with expected.json.

A guest that needs a feature the engine refuses is skipped by the feature's name. With WEIR_TEST_COUNTS set, appends
"passed failed skipped" to that file. Exit status 1 when a result differs.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUESTS = pathlib.Path(os.environ.get("WEIR_CORPORA", ROOT / "../shared/corpora")) / "guests"
COMMAND_LINE = re.compile(r"args: (.*); last line")


def run(weir, guest, case):
    """The exit status, what the guest printed last, and the first line of errors."""
    as_command = COMMAND_LINE.fullmatch(case["call"])
    if as_command:
        command = [weir, "run", str(guest), *as_command.group(1).split()]
    else:
        command = [weir, "run", "--invoke", case["call"], str(guest), *map(str, case["args"])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, (done.stdout.splitlines() or [""])[-1], (done.stderr.splitlines() or [""])[0]


def agrees(expected, status, output, error):
    if expected == "uncaught exception":
        return status == 134 and "exception that nobody caught" in error
    if status != 0:
        return False
    if isinstance(expected, int):  # results are printed as signed numbers, the file has unsigned ones
        return output.lstrip("-").isdigit() and int(output) % 2**32 == expected % 2**32
    return float(output) == expected if isinstance(expected, float) else output == expected


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if not GUESTS.is_dir():
        print("guests: skipped: no corpora")
        return 0
    passed = failed = skipped = 0
    for name, cases in json.loads((GUESTS / "expected.json").read_text()).items():
        guest = GUESTS / name
        for case in cases if guest.is_file() else []:
            status, output, error = run(sys.argv[1], guest, case)
            if status == 126 and "unsupported feature" in error:
                print(f"{name}: skipped, {error.split(': ')[3]}")
                skipped += len(cases)
                break
            if agrees(case["result"], status, output, error):
                passed += 1
                continue
            failed += 1
            print(f"{name}: {case['call']} {case['args']} gave {output or error!r} with status {status}, not {case['result']!r}")
    print(f"guests: {passed} passed, {failed} failed, {skipped} skipped")
    if counts := os.environ.get("WEIR_TEST_COUNTS"):
        with open(counts, "a") as file:
            print(passed, failed, skipped, file=file)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
