// SPDX-License-Identifier: Apache-2.0
#pragma once

// The families of workloads of weir's program, one a file.
#include "../measure/program.hpp"

namespace bench {

workload_list spawn_workloads();
workload_list blocking_workloads();
workload_list loop_workloads();
workload_list graph_workloads();

} // namespace bench
