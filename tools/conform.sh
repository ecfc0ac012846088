#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/conform.sh WEIR [MODE...]: replays the conformance corpora with the given command, in the given modes (default: normal).
# The corpora live outside the repository, in $WEIR_CORPORA or ../shared/corpora beside the clone.
set -eu
weir=${1:?usage: tools/conform.sh WEIR [MODE...]}
shift
corpora=${WEIR_CORPORA:-$(dirname "$0")/../../shared/corpora}
if [ ! -f "$corpora/wasm-core.tar.zst" ]; then
  echo "conform: skipped: no corpora"
  exit 0
fi
[ $# -gt 0 ] || set -- normal
for mode in "$@"; do
  "$weir" conform --mode "$mode" "$corpora/wasm-core.tar.zst"
done
