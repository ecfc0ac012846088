// SPDX-License-Identifier: Apache-2.0
#include "build_graph.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include <zlib.h>

namespace bench {
namespace {

constexpr std::uint64_t window = 200;
constexpr unsigned edges = 3;
constexpr std::uint64_t hash_prime = 0x100000001B3u;

std::size_t compressed_size(const std::vector<unsigned char>& content) {
  uLongf size = compressBound(content.size());
  std::vector<unsigned char> packed(size);
  if (compress2(packed.data(), &size, content.data(), content.size(), 1) != Z_OK)
    throw std::runtime_error("zlib could not compress");
  return size;
}

} // namespace

build_graph::build_graph(std::uint64_t nodes)
    : nodes_(nodes), digests_(nodes), left_(std::make_unique<std::atomic<std::uint32_t>[]>(nodes)) {
  const char* folder = std::getenv("WEIR_BENCH_FILES");
  if (folder == nullptr) throw std::runtime_error("WEIR_BENCH_FILES names no folder; bench/run.py makes one");
  for (std::size_t i = 0; i != file_count; ++i) files_.push_back(std::string(folder) + "/" + std::to_string(i));
  for (std::uint32_t i = 0; i != nodes; ++i) {
    auto& needs = nodes_[i].dependencies;
    std::uint64_t reach = std::min<std::uint64_t>(i, window);
    for (unsigned k = 0; reach != 0 && k != edges; ++k)
      needs.push_back(static_cast<std::uint32_t>(i - 1 - mix(std::uint64_t{i} * edges + k) % reach));
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    for (std::uint32_t needed : needs) nodes_[needed].dependents.push_back(i);
    if (needs.empty()) roots_.push_back(i);
  }
}

void build_graph::restart() {
  for (std::size_t i = 0; i != nodes_.size(); ++i)
    left_[i].store(static_cast<std::uint32_t>(nodes_[i].dependencies.size()), std::memory_order_relaxed);
  unfinished_ = std::make_unique<countdown>(nodes_.size());
}

std::uint64_t build_graph::digest(std::uint32_t of, const std::vector<unsigned char>& content) const {
  std::uint64_t hash = mix(of);
  for (std::uint32_t needed : nodes_[of].dependencies) hash = mix(hash ^ digests_[needed]);
  for (unsigned char byte : content) hash = (hash ^ byte) * hash_prime;
  return mix(hash ^ compressed_size(content));
}

std::uint64_t build_graph::wait() {
  unfinished_->wait();
  return std::accumulate(digests_.begin(), digests_.end(), std::uint64_t{0});
}

} // namespace bench
