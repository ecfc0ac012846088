// SPDX-License-Identifier: Apache-2.0
// Recursion: skynet, Fibonacci numbers, queens, matrices.
#include "../../measure/trees.hpp"
#include "arena.hpp"

#include <array>

namespace bench {
namespace {

std::uint64_t skynet_node(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  std::uint64_t share = leaves / 10, sum = 0;
  std::array<std::uint64_t, 10> parts;
  tbb::task_group group;
  for (std::uint64_t i = 0; i != 10; ++i)
    group.run([&parts, i, first, share] { parts[i] = skynet_node(first + i * share, share); });
  group.wait();
  for (std::uint64_t part : parts) sum += part;
  return sum;
}

std::uint64_t fib_of(std::uint64_t n) {
  if (n < 2) return n;
  std::uint64_t forked = 0;
  tbb::task_group group;
  group.run([&forked, n] { forked = fib_of(n - 1); });
  std::uint64_t sum = fib_of(n - 2);
  group.wait();
  return forked + sum;
}

std::uint64_t queens(std::uint32_t n, queens_row at) {
  if (at.row == n) return 1;
  std::array<std::uint64_t, 32> parts{};
  std::size_t count = 0;
  std::uint64_t sum = 0;
  tbb::task_group group;
  for (std::uint32_t free = at.free(n); free != 0;) {
    queens_row next = at.with(take_lowest(free));
    if (free == 0)
      sum += queens(n, next);
    else
      group.run([part = &parts[count++], n, next] { *part = queens(n, next); });
  }
  group.wait();
  for (std::uint64_t part : parts) sum += part;
  return sum;
}

void multiply(const matrix_product& product) {
  if (product.is_leaf()) return product.run();
  for (std::size_t k : {0u, 1u}) {
    tbb::task_group group;
    for (std::size_t ij : {0u, 1u, 2u}) group.run([=] { multiply(product.part(ij / 2, ij % 2, k)); });
    multiply(product.part(1, 1, k));
    group.wait();
  }
}

report skynet(const request& asked) { // size: leaves, a power of ten
  return measure_in_arena(asked, 1000, asked.size, [](std::uint64_t leaves) { return skynet_node(0, leaves); });
}

report fib(const request& asked) { return measure_in_arena(asked, 20, fib_spawns(asked.size), fib_of); }

report nqueens(const request& asked) {
  return measure_in_arena(asked, 8, 1, [](std::uint64_t n) { return queens(static_cast<std::uint32_t>(n), {}); });
}

report matmul(const request& asked) { // size: rows, a power of two
  matrices data(asked.size);
  return measure_in_arena(asked, asked.size, 1, [&](std::uint64_t) {
    multiply(data.start());
    return data.checksum();
  });
}

constexpr workload all[] = {
    {"skynet", 1'000'000, skynet}, {"fib", 30, fib}, {"nqueens", 12, nqueens}, {"matmul", 512, matmul}};

const family registered(all);

} // namespace
} // namespace bench
