#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/test.sh PRESET: configures, builds and runs the tests of one preset, then prints "PRESET: N passed, N failed, N skipped".
# With WEIR_TEST_COUNTS set, appends "N N N" to that file, so that a caller can add lanes up; with WEIR_TEST_FAILURES set, what failed
# and why. Fails when a test fails.
set -eu
preset=${1:?usage: tools/test.sh PRESET}
cd "$(dirname "$0")/.."
cmake --preset "$preset" >"/tmp/weir-configure-$$.log" 2>&1 || { cat "/tmp/weir-configure-$$.log" >&2; rm -f "/tmp/weir-configure-$$.log"; exit 1; }
rm -f "/tmp/weir-configure-$$.log"
cmake --build --preset "$preset"
status=0
ctest --preset "$preset" --output-junit "junit.xml" --progress || status=$?
report="build/$preset/junit.xml"
[ -f "$report" ] || { echo "test.sh: ctest wrote no report for $preset" >&2; exit 1; }
number() { sed -n "s/.*<testsuite[^>]*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p; s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1; }
tests=$(number tests) failures=$(number failures) skipped=$(number skipped)
passed=$((tests - failures - skipped))
[ -n "${WEIR_TEST_COUNTS:-}" ] && echo "$passed $failures $skipped" >>"$WEIR_TEST_COUNTS"
[ "$failures" = 0 ] || tools/failed_tests.py "$preset" "$report" | tee -a "${WEIR_TEST_FAILURES:-/dev/null}"
echo "$preset: $passed passed, $failures failed, $skipped skipped"
exit "$status"
