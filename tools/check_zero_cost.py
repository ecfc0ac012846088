#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_zero_cost.py: shows that taking atomics from <weir/detail/atomic.hpp>, so that a model can replace them, costs nothing.

Compiles test/zero_cost/probe.cpp against the source as it is, and against a copy in which every atomic is named std::atomic and the
fence and the pause are written out; then compares the machine code of each probe. Exit 1 on any difference. CXX chooses the compiler."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BY_HAND = """#pragma once
#include <weir/config.hpp>
#include <atomic>
namespace weir::detail {
using std::memory_order;
inline constexpr bool is_modelled = false;
}
"""
ATOMIC = re.compile(r"(?<![\w:])(?:weir::)?(?:detail::)?atomic(_ref)?<")
PAUSE = re.compile(r"(?<![\w:])(?:weir::)?(?:detail::)?spin_pause\(\)")
FENCE = re.compile(r"(?<![\w:])(?:weir::)?(?:detail::)?seq_cst_fence\(\)")


def write_out(text):
    text = ATOMIC.sub(r"std::atomic\1<", text)
    text = PAUSE.sub("__builtin_ia32_pause()", text)
    text = re.sub(r"using (weir::)?detail::(spin_pause|seq_cst_fence|atomic);", "", text)
    return FENCE.sub("std::atomic_thread_fence(std::memory_order_seq_cst)", text)


def functions_of(compiler, tree, source, output, extra):
    subprocess.run([compiler, "-std=c++23", "-O2", "-DNDEBUG", "-c", *extra, f"-I{tree}/include", f"-I{tree}/src", source, "-o", output],
                   check=True)
    listing = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", "--no-addresses", output], capture_output=True, text=True,
                             check=True).stdout
    functions, name = {}, None
    for line in listing.splitlines():
        start = re.match(r"^<(probe_\w+)>:$", line)
        if start or line.startswith("<") or line.startswith("Disassembly"):
            name = start.group(1) if start else None
        elif name and line.strip():
            # Places of constants and texts differ with what else is in the file; instructions and their operands do not.
            functions.setdefault(name, []).append(re.sub(r"<[^>]*>|\.L\S+|\.rodata\S*|[-+]0x[0-9a-f]+$", "", line.strip()))
    return functions


def main():
    compiler = os.environ.get("CXX") or shutil.which("clang++-22") or "c++"
    if os.uname().machine != "x86_64":
        print("check_zero_cost: skipped: the probe's pause is x86-64's")
        return 0
    with tempfile.TemporaryDirectory() as work:
        copy = pathlib.Path(work) / "copy"
        for folder in ("include", "src"):
            shutil.copytree(ROOT / folder, copy / folder)
        for file in list(copy.rglob("*.hpp")):
            file.write_text(BY_HAND if file.match("weir/detail/atomic.hpp") else write_out(file.read_text()))
        probe = copy / "probe.cpp"
        probe.write_text(write_out((ROOT / "test/zero_cost/probe.cpp").read_text()))
        shipped = functions_of(compiler, ROOT, ROOT / "test/zero_cost/probe.cpp", f"{work}/shipped.o", [])
        by_hand = functions_of(compiler, copy, probe, f"{work}/by_hand.o", ["-DWEIR_PROBE_BY_HAND"])
    different = [name for name in sorted(shipped | by_hand) if shipped.get(name) != by_hand.get(name)]
    for name in different:
        print(f"check_zero_cost: {name} is not the code of plain std::atomic:", file=sys.stderr)
        print("\n".join(shipped.get(name, ["missing"])), "--- by hand:", "\n".join(by_hand.get(name, ["missing"])), sep="\n",
              file=sys.stderr)
    print(f"{len(shipped)} functions, {sum(map(len, shipped.values()))} instructions: "
          + ("identical to std::atomic by hand" if not different else f"{len(different)} differ"))
    return 1 if different or len(shipped) < 10 else 0


sys.exit(main())
