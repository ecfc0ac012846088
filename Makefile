# SPDX-License-Identifier: Apache-2.0
# The short way in for people; everything here is one or two commands of CMake or of tools/.
.PHONY: run test bench stress conform format lint setup build
setup: ; @tools/setup.sh
build: setup ; @cmake --preset release $(QUIET) && cmake --build --preset release
run: setup ; @cmake --preset release $(QUIET) && cmake --build --preset release --target weir && tools/run-examples.sh build/release/apps/weir/weir
test: build ; @tools/test.sh release
bench: build ; @tools/setup.sh --bench && bench/run.py $(BENCH)
# make stress MINUTES=30 PRESET=tsan SEED=1; without SEED it draws one and prints it
stress: setup ; @tools/stress.sh "$(or $(PRESET),tsan)" "$(or $(MINUTES),30)" "$(SEED)"
conform: build ; @tools/conform.sh build/release/apps/weir/weir
format: ; @tools/format.sh
lint: ; @tools/lint.sh
