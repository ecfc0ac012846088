// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the recursive workloads compute, apart from who runs the two halves.
#include "process.hpp"
#include "program.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

/// Inner nodes of the call tree of fib(n): fib(n + 1) - 1.
constexpr std::uint64_t fib_spawns(std::uint64_t n) noexcept {
  std::uint64_t a = 0, b = 1;
  for (std::uint64_t i = 0; i <= n; ++i) {
    std::uint64_t next = a + b;
    a = b;
    b = next;
  }
  return a - 1;
}

/// A row of queens: which columns and diagonals of the next row are attacked.
struct queens_row {
  std::uint32_t row = 0, columns = 0, left = 0, right = 0;

  std::uint32_t free(std::uint32_t n) const noexcept { return ((1u << n) - 1) & ~(columns | left | right); }
  queens_row with(std::uint32_t at) const noexcept {
    return {row + 1, columns | at, (left | at) << 1, (right | at) >> 1};
  }
};

/// Takes the lowest bit out of a set.
inline std::uint32_t take_lowest(std::uint32_t& set) noexcept {
  std::uint32_t lowest = set & (~set + 1);
  set ^= lowest;
  return lowest;
}

/// c += a * b for square matrices, as a recursion over eight blocks whose first four may run in parallel, then the
/// other four. Leaves are blocks of 32.
struct matrix_product {
  static constexpr std::size_t leaf = 32;

  std::size_t stride, size;
  const float* a;
  const float* b;
  float* c;

  bool is_leaf() const noexcept { return size <= leaf; }
  /// The part of the product that adds a[i][k] * b[k][j] to c[i][j]; i, j and k name halves.
  matrix_product part(std::size_t i, std::size_t j, std::size_t k) const noexcept {
    std::size_t half = size / 2;
    return {stride, half, a + (i * stride + k) * half, b + (k * stride + j) * half, c + (i * stride + j) * half};
  }
  void run() const noexcept {
    for (std::size_t i = 0; i != size; ++i)
      for (std::size_t k = 0; k != size; ++k) {
        float factor = a[i * stride + k];
        for (std::size_t j = 0; j != size; ++j) c[i * stride + j] += factor * b[k * stride + j];
      }
  }
};

/// Two factors of small whole numbers and room for the product, which is exact in floats.
class matrices {
public:
  explicit matrices(std::size_t size) : size_(size), a_(size * size), b_(size * size), c_(size * size) {
    for (std::size_t i = 0; i != a_.size(); ++i) {
      a_[i] = static_cast<float>(mix(i) % 8);
      b_[i] = static_cast<float>(mix(~i) % 8);
    }
  }
  matrix_product start() {
    c_.assign(c_.size(), 0.0F);
    return {size_, size_, a_.data(), b_.data(), c_.data()};
  }
  std::uint64_t checksum() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i != c_.size(); ++i) sum += static_cast<std::uint64_t>(c_[i]) * (i % 7 + 1);
    return sum;
  }

private:
  std::size_t size_;
  std::vector<float> a_, b_, c_;
};

} // namespace bench
