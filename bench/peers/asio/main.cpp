// SPDX-License-Identifier: Apache-2.0
// Boost.Asio's program: C++20 coroutines on a thread pool.
#include "../../measure/program.hpp"

int main(int count, char** arguments) { return bench::run_program("asio", count, arguments); }
