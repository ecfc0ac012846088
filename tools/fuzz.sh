#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz.sh [SECONDS]: fuzzes decode, validate and run under ASan and UBSan, from the modules of the repository and, where they
# are, of the conformance corpora. A finding is left in build/fuzz/ as crash-*; run the fuzzer on that file to see it again.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
corpora=${WEIR_CORPORA:-../shared/corpora}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target module_fuzzer
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
find examples test -name '*.wasm' -size -64k -exec cp {} "$seeds/" \;
if [ -f "$corpora/wasm-core.tar.zst" ]; then
  mkdir "$seeds/corpora" # the fuzzer looks into folders, too
  tar --zstd -xf "$corpora/wasm-core.tar.zst" -C "$seeds/corpora"
  find "$seeds/corpora" -type f \( ! -name '*.wasm' -o -size +16k \) -delete
fi
mkdir -p build/fuzz/corpus
build/fuzz/test/fuzz/module_fuzzer -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=65536 -artifact_prefix=build/fuzz/ \
  -print_final_stats=1 build/fuzz/corpus "$seeds"
