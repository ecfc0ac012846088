#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""failed_tests.py LANE REPORT: prints the tests that failed according to ctest's JUnit report, each with the end of its output."""
import sys
import xml.etree.ElementTree as xml

LINES_OF_EACH = 25


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    lane, report = sys.argv[1:]
    for case in xml.parse(report).getroot().iter("testcase"):
        if case.get("status") not in ("fail", "disabled") and case.find("failure") is None:
            continue
        print(f"--- {lane}: {case.get('name')} failed after {case.get('time')} s")
        output = (case.findtext("system-out") or "").rstrip().splitlines()
        print("\n".join(output[-LINES_OF_EACH:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
