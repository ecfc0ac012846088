// SPDX-License-Identifier: Apache-2.0
// Recursion by fork_join: skynet, Fibonacci numbers, queens, matrices.
#include "../measure/trees.hpp"
#include "join.hpp"

#include <weir/fork_join.hpp>

namespace bench {
namespace {

std::uint64_t skynet_node(std::uint64_t first, std::uint64_t leaves);

/// Children [from, to) of a node, halved until one is left.
std::uint64_t skynet_children(std::uint64_t first, std::uint64_t share, std::uint64_t from, std::uint64_t to) {
  if (to - from == 1) return skynet_node(first + from * share, share);
  std::uint64_t middle = (from + to) / 2;
  auto [low, high] = weir::fork_join([=] { return skynet_children(first, share, from, middle); },
                                     [=] { return skynet_children(first, share, middle, to); });
  return low + high;
}

std::uint64_t skynet_node(std::uint64_t first, std::uint64_t leaves) {
  return leaves == 1 ? first : skynet_children(first, leaves / 10, 0, 10);
}

std::uint64_t fib_of(std::uint64_t n) {
  if (n < 2) return n;
  auto [a, b] = weir::fork_join([n] { return fib_of(n - 1); }, [n] { return fib_of(n - 2); });
  return a + b;
}

/// Solutions with one of the queens of `free` in the next row, each placement a fork.
std::uint64_t queens(std::uint32_t n, const queens_row& at, std::uint32_t free) {
  if (free == 0) return at.row == n ? 1 : 0;
  queens_row next = at.with(take_lowest(free));
  auto below = [n, &next] { return queens(n, next, next.row == n ? 0 : next.free(n)); };
  if (free == 0) return below();
  auto [first, others] = weir::fork_join(below, [=, &at] { return queens(n, at, free); });
  return first + others;
}

void multiply(const matrix_product& product) {
  if (product.is_leaf()) return product.run();
  for (std::size_t k : {0u, 1u}) {
    auto quarter = [&](std::size_t i, std::size_t j) { multiply(product.part(i, j, k)); };
    weir::fork_join([&] { weir::fork_join([&] { quarter(0, 0); }, [&] { quarter(0, 1); }); },
                    [&] { weir::fork_join([&] { quarter(1, 0); }, [&] { quarter(1, 1); }); });
  }
}

template <class Run> weir::task<std::uint64_t> as_task(Run run, std::uint64_t size) { co_return run(size); }

template <class Run>
report measure_forks(const request& asked, std::uint64_t warm_size, std::uint64_t operations, Run run) {
  return measure_roots(asked, warm_size, operations, [run](std::uint64_t size) { return as_task(run, size); });
}

report skynet(const request& asked) { // size: leaves, a power of ten
  return measure_forks(asked, 1000, asked.size, [](std::uint64_t leaves) { return skynet_node(0, leaves); });
}

report fib(const request& asked) { return measure_forks(asked, 20, fib_spawns(asked.size), fib_of); }

report nqueens(const request& asked) {
  return measure_forks(asked, 8, 1, [](std::uint64_t size) {
    auto n = static_cast<std::uint32_t>(size);
    return queens(n, {}, queens_row{}.free(n));
  });
}

report matmul(const request& asked) { // size: rows, a power of two
  matrices data(asked.size);
  return measure_forks(asked, asked.size, 1, [&data](std::uint64_t) {
    multiply(data.start());
    return data.checksum();
  });
}

constexpr workload all[] = {
    {"skynet_fork", 1'000'000, skynet}, {"fib", 30, fib}, {"nqueens", 12, nqueens}, {"matmul", 512, matmul}};

const family registered(all);

} // namespace
} // namespace bench
