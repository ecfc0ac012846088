#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs through apt what is missing to build and test weir. Says nothing when nothing is missing; safe to run again.
#   tools/setup.sh            compiler, build tools and libraries
#   tools/setup.sh --lint     the above and what `make lint` and the sanitizer lanes need
#   tools/setup.sh --guests   the above and the toolchain that rebuilds examples/guests
#   tools/setup.sh --bench    the above and the engines that `make bench` compares with
set -eu
packages="clang-22 lld-22 libclang-rt-22-dev cmake ninja-build make ccache python3 libcli11-dev libfmt-dev nlohmann-json3-dev
  libarchive-dev libgtest-dev libgmock-dev"
for option in "$@"; do
  case $option in
    --lint) packages="$packages llvm-22 clang-tidy-22 clang-format-22 g++" ;;
    --guests) packages="$packages wasi-libc libclang-rt-22-dev-wasm32" ;;
    --bench) packages="$packages libbenchmark-dev nodejs wabt valgrind" ;;
    *) echo "setup.sh: unknown option $option; see the head of this file" >&2; exit 2 ;;
  esac
done

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -q '^installed$'; }

if ! command -v dpkg-query >/dev/null 2>&1; then
  for tool in clang++-22 cmake ninja; do
    command -v "$tool" >/dev/null 2>&1 && continue
    echo "setup.sh: this system has no apt and no $tool; install the equivalents of:" $packages >&2
    exit 1
  done
  exit 0
fi

missing=""
for package in $packages; do
  # Node.js may come from elsewhere than Debian.
  [ "$package" = nodejs ] && command -v node >/dev/null 2>&1 && continue
  installed "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo"; fi
echo "setup: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { $as_root apt-get update -qq &&
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup.sh: apt could not install:$missing" >&2
  echo "setup.sh: clang-22 comes from Debian's own archive (bookworm with updates) or from apt.llvm.org" >&2
  exit 1
fi
