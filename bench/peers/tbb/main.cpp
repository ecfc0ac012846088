// SPDX-License-Identifier: Apache-2.0
// oneTBB's program: the workloads that have a meaning for fork and join.
#include "families.hpp"

int main(int count, char** arguments) {
  using namespace bench;
  return run_program("tbb", {tree_workloads(), task_workloads()}, count, arguments);
}
