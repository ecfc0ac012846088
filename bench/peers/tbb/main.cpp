// SPDX-License-Identifier: Apache-2.0
// oneTBB's program: the workloads that have a meaning for fork and join.
#include "../../measure/program.hpp"

int main(int count, char** arguments) { return bench::run_program("tbb", count, arguments); }
