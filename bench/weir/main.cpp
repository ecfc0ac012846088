// SPDX-License-Identifier: Apache-2.0
// weir's program: every workload through the public API only.
#include "../measure/program.hpp"

int main(int count, char** arguments) { return bench::run_program("weir", count, arguments); }
