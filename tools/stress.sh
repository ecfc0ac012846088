#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/stress.sh [PRESET] [MINUTES] [SEED]: builds the randomised stress of the scheduler and runs it.
set -eu
preset=${1:-tsan} minutes=${2:-30} seed=${3:-}
cd "$(dirname "$0")/.."
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target sched_stress
exec "build/$preset/test/stress/sched_stress" --seconds $((minutes * 60)) ${seed:+--seed "$seed"}
