#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs through apt what is missing to build and test weir. Says nothing when nothing is missing; safe to run again.
#   tools/setup.sh            compiler, build tools and libraries
#   tools/setup.sh --lint     the above and what `make lint` and the sanitizer lanes need
#   tools/setup.sh --guests   the above and the toolchain that rebuilds examples/guests
#   tools/setup.sh --gates    the above and what bench/gate.py counts with
#   tools/setup.sh --bench    the above and the schedulers and engines that `make bench` compares with, as far as there are packages
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
wanted="" # installed where there is such a package, A|B: the first of the two; without it a benchmark is skipped and says so
packages="clang-22 lld-22 libclang-rt-22-dev cmake ninja-build make ccache python3 libcli11-dev libfmt-dev nlohmann-json3-dev
  libarchive-dev libgtest-dev libgmock-dev"
for option in "$@"; do
  case $option in
    --lint) packages="$packages llvm-22 clang-tidy-22 clang-format-22 g++" ;;
    --guests) packages="$packages wasi-libc libclang-rt-22-dev-wasm32" ;;
    --gates) packages="$packages valgrind" ;;
    --bench)
      packages="$packages libbenchmark-dev zlib1g-dev valgrind"
      wanted="nodejs wabt golang-go libtbb-dev libboost1.81-dev|libboost-dev librust-tokio-dev cargo" ;;
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
  installed "$package" || missing="$missing $package"
done

if [ "$(id -u)" = 0 ]; then as_root=""; else as_root="sudo"; fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
is_fresh=""
apt_patience="-o DPkg::Lock::Timeout=300 -o Acquire::Retries=3"
install() { # install PACKAGE...: quietly, after one update of the lists
  echo "setup: installing $*"
  [ -n "$is_fresh" ] || $as_root apt-get $apt_patience update -qq >"$log" 2>&1 || return 1
  is_fresh=yes
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get $apt_patience install -y -qq --no-install-recommends "$@" >"$log" 2>&1
}

if [ -n "$missing" ] && ! install $missing; then
  tail -n 20 "$log" >&2
  echo "setup.sh: apt could not install:$missing" >&2
  echo "setup.sh: clang-22 comes from Debian's own archive (bookworm with updates) or from apt.llvm.org" >&2
  exit 1
fi

[ -n "$wanted" ] || exit 0
for package in $wanted; do
  case $package in # these may come from elsewhere than Debian
    nodejs) command -v node >/dev/null 2>&1 && continue ;;
    cargo) command -v cargo >/dev/null 2>&1 && continue ;;
    golang-go) command -v go >/dev/null 2>&1 && continue ;;
  esac
  first=${package%%|*} second=${package##*|}
  if installed "$first" || installed "$second"; then continue; fi
  install "$first" || install "$second" || echo "setup.sh: no package $package here; what needs it will be skipped" >&2
done
# The plots of the report. Without the library they are drawn as they are.
if [ ! -f "$root/build/bench/node_modules/uplot/dist/uPlot.iife.min.js" ]; then
  mkdir -p "$root/build/bench"
  command -v npm >/dev/null 2>&1 && npm install --silent --no-save --no-audit --no-fund --prefix "$root/build/bench" uplot@1.6.32 >"$log" 2>&1 ||
    echo "setup.sh: npm could not install uplot; the report's plots will not show values under the pointer" >&2
fi
