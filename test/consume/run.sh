#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds and runs one small program against weir in both ways: an installed package, and add_subdirectory.
#   test/consume/run.sh [BUILD]   installs the package from that build folder, build/release say, instead of building it again
set -eu
built=${1:-}
[ -z "$built" ] || built=$(cd "$built" && pwd)
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
settings="-G Ninja -DWEIR_PRECOMPILE=ON -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"
failed=0
check() { # check NAME DIRECTORY [SETTING...]
  name=$1 source=$2
  shift 2
  if cmake $settings "$@" -S "$source" -B "$work/$name" >"$work/log" 2>&1 && cmake --build "$work/$name" --target consumer >"$work/log" 2>&1 &&
     "$work/$name/consumer"; then
    echo "consume: $name works"
  else
    cat "$work/log" >&2
    echo "consume: $name FAILED"
    failed=$((failed + 1))
  fi
}
check subdirectory subdirectory -DCMAKE_BUILD_TYPE=Debug # as somebody would who looks for a fault, and soonest built
if [ -n "$built" ]; then
  install="cmake --install $built --prefix $work/prefix"
else
  cmake $settings -DCMAKE_BUILD_TYPE=Release -S ../.. -B "$work/build" -DWEIR_BUILD_TESTS=OFF -DWEIR_BUILD_COMMAND=OFF -DCMAKE_INSTALL_PREFIX="$work/prefix" >"$work/log" 2>&1 ||
    cat "$work/log" >&2
  install="cmake --build $work/build --target install"
fi
$install >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "consume: install FAILED"; failed=$((failed + 1)); }
check package package -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix"
[ -n "${WEIR_TEST_COUNTS:-}" ] && echo "$((2 - failed)) $failed 0" >>"$WEIR_TEST_COUNTS"
[ "$failed" = 0 ]
