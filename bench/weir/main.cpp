// SPDX-License-Identifier: Apache-2.0
// weir's program: every workload through the public API only.
#include "families.hpp"

int main(int count, char** arguments) {
  using namespace bench;
  return run_program("weir", {spawn_workloads(), blocking_workloads(), loop_workloads(), graph_workloads()}, count,
                     arguments);
}
