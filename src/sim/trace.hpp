// SPDX-License-Identifier: Apache-2.0
#pragma once

// What happened in a run, as events: a hash of all of them, the last ones for reports, and, for the comparison of two runs, a hash
// after each. No event holds an address, because those differ from run to run.
#include "sim/random.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::sim::detail {

enum class event_kind : std::uint8_t { starts, ends, runs, waits, wakes, times_out, advances, fault, note, draws };

constexpr std::string_view to_string(event_kind kind) noexcept {
  constexpr std::array<std::string_view, 10> names{
      "starts", "ends", "runs", "waits", "wakes", "times out", "time goes on to", "has fault", "notes", "draws"};
  return names[static_cast<std::size_t>(kind)];
}

struct event {
  std::uint64_t step = 0;
  std::int64_t time = 0;
  std::uint64_t value = 0; ///< of starts, wakes: a thread; of a fault: which; of a note and a draw: the value
  std::uint32_t thread = 0;
  event_kind kind = event_kind::starts;
  friend bool operator==(const event&, const event&) = default;
};

class trace {
public:
  static constexpr std::size_t kept = 64;

  /// Notes an event. False when it is not the one that the run to compare with had here.
  bool add(const event& what) noexcept {
    last_[count_ % kept] = what;
    hash_ =
        mix(hash_ ^ mix(what.step + (static_cast<std::uint64_t>(what.time) << 20U)) ^
            (what.value + (static_cast<std::uint64_t>(what.thread) << 40U) + static_cast<std::uint64_t>(what.kind)));
    const std::uint64_t at = count_++;
    if (records_ != nullptr) records_->push_back(what);
    return compared_ == nullptr || (at < compared_->size() && (*compared_)[at] == what);
  }

  /// The event that the run to compare with had in the place of the last one added; null when it had ended.
  const event* expected() const noexcept {
    return compared_ != nullptr && count_ - 1 < compared_->size() ? &(*compared_)[count_ - 1] : nullptr;
  }
  void record_to(std::vector<event>* records) noexcept { records_ = records; }
  void compare_with(const std::vector<event>* earlier) noexcept { compared_ = earlier; }

  std::uint64_t hash() const noexcept { return hash_; }
  std::uint64_t count() const noexcept { return count_; }
  /// The last events, oldest first.
  template <class Visitor> void for_last(std::size_t most, Visitor&& visit) const {
    const std::uint64_t from = count_ - std::min<std::uint64_t>({count_, kept, most});
    for (std::uint64_t at = from; at != count_; ++at) visit(last_[at % kept]);
  }

private:
  std::array<event, kept> last_{};
  std::uint64_t count_ = 0;
  std::uint64_t hash_ = 0;
  std::vector<event>* records_ = nullptr;
  const std::vector<event>* compared_ = nullptr;
};

} // namespace weir::sim::detail
