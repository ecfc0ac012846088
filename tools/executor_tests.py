#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/executor_tests.py [--write]: checks doc/design/executor-tests.md against the tests, which carry their numbers in a comment:
`// test 22, C30`, `// tests 12 and 13`, `// peers 14`. With --write it writes the columns of tests and files anew; the columns of rules
and notes are written by hand. Every number needs a test, or a note that says why it has none."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "doc/design/executor-tests.md"
CASE = re.compile(r"^(?:TEST|TEST_P|TEST_F|TYPED_TEST|FIBER_TEST)\((?:(\w+),\s*)?(\w+)\).*?//(.*)$")
NUMBERS = {
    "test": re.compile(r"(?<![\w.])tests? (\d+)(?:(?:, | and )(\d+)(?![\w.]))?"),
    "peers": re.compile(r"peers(?:\.md)? (\d+)"),
}
ROW = re.compile(r"^\| (test|peers) (\d+) \| (.*?) \| (.*?) \| (.*?) \|$")


def found_tests():
    """{("test", 22): ["suite.case (file)", ...]}"""
    found = {}

    def note(comment, entry):
        for kind, pattern in NUMBERS.items():
            for match in pattern.finditer(comment):
                for number in match.groups():
                    if number:
                        found.setdefault((kind, int(number)), []).append(entry)

    for path in sorted([*ROOT.glob("src/**/*_test.cpp"), *ROOT.glob("test/**/*.cpp")]):
        file = path.relative_to(ROOT).as_posix()
        for line in path.read_text().splitlines():
            if case := CASE.match(line):
                note(case.group(3), f"`{case.group(1) or 'fiber'}.{case.group(2)}` in `{file}`")
            elif line.startswith("// ") and file.startswith("test/compile_fail/"):
                note(line, f"`{file}`")
    return found


def main():
    found, rows, lines, problems = found_tests(), set(), [], []
    for number, line in enumerate(TABLE.read_text().splitlines(), 1):
        row = ROW.match(line)
        if not row:
            lines.append(line)
            continue
        key = (row.group(1), int(row.group(2)))
        rows.add(key)
        tests = "<br>".join(found.get(key, [])) or "-"
        if tests == "-" and not row.group(5).strip():
            problems.append(f"doc/design/executor-tests.md:{number}: {key[0]} {key[1]} has neither a test nor a note")
        lines.append(f"| {key[0]} {key[1]} | {row.group(3)} | {tests} | {row.group(5)} |")
    for kind, number in sorted(found.keys() - rows):
        problems.append(f"doc/design/executor-tests.md has no row for {kind} {number}: {found[kind, number][0]}")
    text = "\n".join(lines) + "\n"
    if "--write" in sys.argv:
        TABLE.write_text(text)
    elif text != TABLE.read_text():
        problems.append("doc/design/executor-tests.md is not up to date: run tools/executor_tests.py --write")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"executor tests: {len(rows)} rules, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
