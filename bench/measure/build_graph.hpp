// SPDX-License-Identifier: Apache-2.0
#pragma once

// The work of the application-level run, the same in every program: node i of a graph depends on up to three of the 200
// nodes before it and reads file i mod 64 of $WEIR_BENCH_FILES. Its digest is a hash of the file's bytes that starts from
// its own number and the digests of what it depends on, mixed with the compressed size of the file. The checksum is the
// sum of all digests.
//
// Who schedules nodes calls read_input(), which blocks, then finish(), which computes; finish() hands each node that
// became ready to the caller. Rules: a node's digest is written once, by finish() of that node, before it counts down
// its dependents (release); whoever counts a node down to zero (acquire) sees all digests that the node needs.
#include "rounds.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bench {

class build_graph {
public:
  static constexpr std::size_t file_count = 64;

  /// Errors: throws std::runtime_error where $WEIR_BENCH_FILES is not set.
  explicit build_graph(std::uint64_t nodes);

  const std::vector<std::uint32_t>& roots() const noexcept { return roots_; }
  /// Forgets the last walk.
  void restart();
  std::vector<unsigned char> read_input(std::uint32_t node) const { return read_file(files_[node % file_count]); }

  template <class Start> void finish(std::uint32_t node, const std::vector<unsigned char>& content, Start start) {
    digests_[node] = digest(node, content);
    for (std::uint32_t dependent : nodes_[node].dependents)
      if (left_[dependent].fetch_sub(1, std::memory_order_acq_rel) == 1) start(dependent);
    unfinished_->done();
  }

  /// Blocks until every node is finished; returns the checksum.
  std::uint64_t wait();

private:
  struct node {
    std::vector<std::uint32_t> dependencies, dependents;
  };

  std::uint64_t digest(std::uint32_t of, const std::vector<unsigned char>& content) const;

  std::vector<std::string> files_;
  std::vector<node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint64_t> digests_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> left_;
  std::unique_ptr<countdown> unfinished_;
};

} // namespace bench
