#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/lint.sh: the checks that read the source: format, layers, doc comments, sizes, and clang-tidy with its named list.
#   tools/lint.sh --fast   without clang-tidy
#   tools/lint.sh --tidy   clang-tidy alone
set -eu
cd "$(dirname "$0")/.."
tools/setup.sh --lint
if [ "${1:-}" != --tidy ]; then
  tools/format.sh --check
  python3 tools/check_layers.py
  python3 tools/check_source.py
  python3 tools/executor_tests.py
fi
[ "${1:-}" = --fast ] && exit 0
cmake --preset dev >/dev/null
# What is compiled a second time for simulations is read once.
mkdir -p build/dev/tidy
python3 - <<'END'
import json
commands = json.load(open("build/dev/compile_commands.json"))
once = {each["file"]: each for each in sorted(commands, key=lambda each: "-Dweir=weir_simulated" not in each["command"])}
json.dump(list(once.values()), open("build/dev/tidy/compile_commands.json", "w"))
END
# Headers are read through the sources that include them; only findings in this repository count.
git ls-files -- 'src/*.cpp' 'apps/*.cpp' | grep -v '_test\.cpp$' |
  xargs -P "$(nproc)" -n 4 clang-tidy-22 -p build/dev/tidy --quiet --warnings-as-errors='*' 2>/dev/null
