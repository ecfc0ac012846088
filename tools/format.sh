#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/format.sh [--check]: formats every C++ file of the repository, or says which ones are not formatted and fails.
set -eu
cd "$(dirname "$0")/.."
files=$(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp')
[ -n "$files" ] || exit 0
if [ "${1:-}" = --check ]; then
  echo "$files" | xargs clang-format-22 --dry-run --Werror
else
  echo "$files" | xargs clang-format-22 -i
fi
