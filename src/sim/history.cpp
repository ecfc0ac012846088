// SPDX-License-Identifier: Apache-2.0
#include "sim/history.hpp"

#include "sim/world.hpp"

#include <utility>

namespace weir::sim {
namespace detail {
namespace {

constexpr char passed = 'p';
constexpr char failed = 'f';
constexpr char reached = 'r';
constexpr std::uint64_t to_the_end = ~std::uint64_t{0};

} // namespace

// The more recent, the closer: when there are too many, the copy goes whose neighbours are closest for how long ago it is.
void kept_copies::add(std::uint64_t step, rt::os::snapshot process) {
  kept.push_back({step, std::move(process)});
  if (kept.size() <= most || kept.size() < 3) return;
  std::size_t least = 1;
  double least_gap = 2;
  for (std::size_t at = 1; at + 1 < kept.size(); ++at) {
    const double gap =
        static_cast<double>(kept[at + 1].step - kept[at - 1].step) / static_cast<double>(step - kept[at].step + 1);
    if (gap >= least_gap && at != 1) continue;
    least = at;
    least_gap = gap;
  }
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(least));
}

void world::look() {
  if (copies_->is_branch) {
    copies_->origin.answer(reached + describe("as it was"));
  }
  rt::os::snapshot made;
  const auto taken = rt::os::snapshot::take(made);
  next_look_ = steps_ + kept_copies::distance(steps_);
  if (!taken) return; // fewer copies then
  if (!taken->has_value()) {
    copies_->add(steps_, std::move(made));
    return;
  }
  copies_->kept.clear();
  copies_->is_branch = true;
  copies_->origin = std::move(made);
  next_look_ = (*taken)->first;
  if ((*taken)->second != 0) random_.change(stream::schedule, (*taken)->second);
  if (next_look_ <= steps_) copies_->origin.answer(reached + describe("as it was"));
}

void world::end_branch() {
  const bool is_well = result_.failure == failure_kind::none;
  copies_->origin.answer((is_well ? passed : failed) + result_.report);
}

} // namespace detail

history::history(std::unique_ptr<detail::kept_copies> copies) : copies_(std::move(copies)) {}
history::~history() = default;

std::string history::at(std::uint64_t step) const {
  const detail::kept_copies::copy* before = nullptr;
  for (const auto& each : copies_->kept)
    if (each.step <= step) before = &each;
  if (before == nullptr) return {};
  const std::string said = before->process.ask({step, 0});
  return said.empty() ? said : said.substr(1);
}

std::vector<std::uint64_t> history::steps() const {
  std::vector<std::uint64_t> all;
  for (const auto& each : copies_->kept) all.push_back(each.step);
  return all;
}

std::vector<history::chance> history::chances(unsigned tries) const {
  std::vector<chance> all;
  for (const auto& each : copies_->kept) {
    chance here{.step = each.step, .failures = 0, .tries = tries};
    for (unsigned turn = 1; turn <= tries; ++turn) {
      const std::string said = each.process.ask({detail::to_the_end, turn});
      if (said.empty() || said.front() == detail::failed) ++here.failures; // a crash has no answer
    }
    all.push_back(here);
  }
  return all;
}

} // namespace weir::sim
