// SPDX-License-Identifier: Apache-2.0
// Boost.Asio's program: C++20 coroutines on a thread pool.
#include "families.hpp"

int main(int count, char** arguments) {
  using namespace bench;
  return run_program("asio", {task_workloads(), channel_workloads(), outside_workloads()}, count, arguments);
}
