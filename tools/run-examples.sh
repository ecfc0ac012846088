#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/run-examples.sh WEIR: runs the example guests side by side on one permit. One of them never blocks and waits for a file that
# another one publishes, so it ends only because the guests take turns.
set -eu
weir=$1
guests=$(cd "$(dirname "$0")/../examples/guests" && pwd)
box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/text"
cp "$guests"/*.c "$box/text/"
echo "five guests on one permit; spin-until polls for a file without ever blocking, publish creates it:"
"$weir" run --permits 1 --timeout 60s --stats --dir "$box::/box" \
  "$guests/spin-until.wasm" /box/flag \
  --- "$guests/sieve.wasm" \
  --- "$guests/wordcount.wasm" /box/text \
  --- "$guests/reader.wasm" /box/text/sieve.c \
  --- "$guests/publish.wasm" /box/flag
