# SPDX-License-Identifier: Apache-2.0
# The short way in for people; everything here is one or two commands of CMake or of tools/.
.PHONY: run test bench conform format lint setup build
setup: ; @tools/setup.sh
build: setup ; @cmake --preset release $(QUIET) && cmake --build --preset release
run: build ; @tools/run-examples.sh build/release/apps/weir/weir
test: build ; @tools/test.sh release
bench: build ; @tools/setup.sh --bench && bench/run.py $(BENCH)
conform: build ; @tools/conform.sh build/release/apps/weir/weir
format: ; @tools/format.sh
lint: ; @tools/lint.sh
