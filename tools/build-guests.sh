#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the example guests and the guests of the tests from their C sources. The results are committed, so that nobody needs the
# toolchain (clang-22, lld-22, wasi-libc, libclang-rt-22-dev-wasm32: tools/setup.sh --guests) to use them.
#   tools/build-guests.sh          builds into place
#   tools/build-guests.sh --check  builds elsewhere and compares; says so and succeeds when the toolchain is missing
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
check=no
case "${1-}" in
  "") ;;
  --check) check=yes ;;
  *) echo "build-guests.sh: unknown option $1; see the head of this file" >&2; exit 2 ;;
esac

missing=""
for tool in clang-22 wasm-ld-22; do command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"; done
[ -f /usr/include/wasm32-wasi/wasi/api.h ] || missing="$missing wasi-libc"
clang-22 --target=wasm32-wasi -print-libgcc-file-name 2>/dev/null | xargs -r test -f || missing="$missing libclang-rt-22-dev-wasm32"
if [ -n "$missing" ]; then
  [ $check = yes ] && { echo "build-guests.sh: not compared, missing:$missing"; exit 0; }
  echo "build-guests.sh: missing:$missing (tools/setup.sh --guests installs it)" >&2
  exit 1
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# build SOURCE: a command for WASI preview 1. clang would run any wasm-opt it finds; results must not depend on that. The name
# section stays for backtraces; the one that names the compiler goes, so that its patch level does not matter. printf without
# floating point is enough and makes the programs half as large.
build() {
  name=$(basename "$1" .c)
  clang-22 --target=wasm32-wasi -Wno-deprecated -std=gnu17 -Os -Wall -Wextra -Werror --no-wasm-opt \
    -Wl,--strip-all,--keep-section=name -Wl,-z,stack-size=65536 -o "$out/$name.wasm" "$1" -lc-printscan-no-floating-point
  target=$(dirname "$1")/$name.wasm
  if [ $check = no ]; then
    cmp -s "$out/$name.wasm" "$target" || { install -m 644 "$out/$name.wasm" "$target"; echo "built ${target#"$root"/}"; }
  elif ! cmp -s "$out/$name.wasm" "$target"; then
    echo "build-guests.sh: ${target#"$root"/} is not what its source builds to; run tools/build-guests.sh and commit it" >&2
    failed=yes
  fi
}

failed=no
for source in "$root"/examples/guests/*.c "$root"/src/wasi/testdata/*.c; do [ -f "$source" ] && build "$source"; done
[ $failed = no ] || exit 1
[ $check = no ] || echo "build-guests.sh: all guests are what their sources build to"
