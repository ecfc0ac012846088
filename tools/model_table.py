#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/model_table.py [CHECK_MODELS_TEST]: runs the models of weir's own source and writes doc/design/models.md: per model the engine,
the executions, the bound, verified or bounded, and the mutants that were killed. The default program is that of the release build."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build/release/src/check/check_models_test"
HEAD = """# The models of weir's own source

Written by `tools/model_table.py` from a run of the models in `src/check/models/`, which are the shipped files over model atomics. Run it
again after a change to a model or to what it explores.

- *executions* are distinct execution graphs, each visited once; *blocked* ones end in a wait that another execution continues.
- *verified* means that every execution was visited and none failed. A search that stops earlier says *bounded* with its limit.
- *mutants* are the memory orders of the code and the model, each weakened by one step, and the model's named wrong variants. One that
  survives here is killed by another model of the same code, or is *explained*: the model's source gives the reason.
"""


def main():
    run = subprocess.run([PROGRAM, "--gtest_filter=models.hold*", "--gtest_brief=1"], capture_output=True, text=True)
    rows = [line.split(" | ") for line in run.stdout.splitlines() if " | " in line]
    if run.returncode != 0 or len(rows) < 2:
        print(run.stdout + run.stderr, file=sys.stderr)
        print(f"model_table: {PROGRAM} fails; build the target check_models_test, and see above which model does not hold",
              file=sys.stderr)
        return 1
    table = ["| " + " | ".join(row) + " |" for row in rows]
    table.insert(1, "|" + " --- |" * len(rows[0]))
    killed = [row[rows[0].index("mutants killed")].split(" of ") for row in rows[1:]]
    total = f"{len(rows) - 1} models, {sum(int(row[rows[0].index('executions')]) for row in rows[1:])} executions, " \
            f"{sum(int(k) for k, _ in killed)} kills of mutants.\n"
    score = next(line for line in run.stdout.splitlines() if "are noticed by some model" in line)
    total += "\n" + score[0].upper() + score[1:] + ".\n"
    (ROOT / "doc/design/models.md").write_text(HEAD + "\n" + "\n".join(table) + "\n\n" + total)
    print(total, end="")
    return 0


sys.exit(main())
