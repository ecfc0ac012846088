// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bounded engine: every interleaving with at most so many preemptions, over memory that always shows the newest
// write, less those that differ from another one in the order of steps that do not conflict.
//
// A preemption is a switch away from a thread that could go on. The search is depth first: a run repeats the decisions
// of the run before up to some step, decides differently there, and then goes on without a switch that is not needed.
// Where another decision is worth a run is found from conflicts (dynamic partial-order reduction): when a step
// conflicts with an earlier one and nothing orders the two, its thread is to be tried before the earlier step.
//
// A bound makes that incomplete: the other order may need a switch in the middle of a block of steps, which costs a
// preemption, although the same order could be had by a switch before the block for nothing. So each alternative is tried
// at the start of the block as well ("conservative" points). Sleep sets would save runs but are wrong under a bound.
//
// Orders weaker than seq_cst still count for happens-before, so a missing one shows as a data race.

#include <array>
#include <vector>

#include "check/strategy.hpp"

namespace weir::check::detail {

class bounded_search final : public strategy {
public:
  /// `reduces` false: every interleaving within the bound, for tests of the reduction.
  explicit bounded_search(unsigned preemptions, bool reduces = true) : bound_(preemptions), reduces_(reduces) {}

  void begin() override;
  unsigned next_thread(unsigned runnable, unsigned last) override;
  std::size_t age(step_place, std::span<const int>, bool) override { return 0; }
  std::uint64_t choice(step_place at, std::uint64_t bound) override;
  void performed(const step_effect& effect) override;
  void waits(unsigned thread, std::span<const std::int32_t> locations) override;

  /// Takes the next decision that has not been tried. False: there is none.
  [[nodiscard]] bool advance();
  /// Whether a schedule was left out because it has more preemptions.
  [[nodiscard]] bool left_some_out() const noexcept { return left_some_out_; }
  /// Whether the program did not offer a decision that it offered before.
  [[nodiscard]] bool has_diverged() const noexcept { return has_diverged_; }

private:
  struct decision {
    bool is_choice = false;
    unsigned chosen = 0; // thread
    unsigned last = no_thread;
    unsigned runnable = 0;
    unsigned wanted = 0; // threads to try here
    unsigned tried = 0;
    unsigned preemptions = 0; // before this one
    std::size_t block = 0;    // the decision that switched to the thread that runs here
    std::uint64_t value = 0;  // of a choice
    std::uint64_t values = 0;
  };
  struct performed_step {
    unsigned thread = 0;
    std::int32_t location = -1;
    bool writes = false;
    std::size_t decision = 0;
    clock before; // steps that are ordered before this one by conflicts and threads, and this one
  };

  [[nodiscard]] unsigned cost(const decision& at, unsigned thread) const noexcept;
  void settle(std::size_t at);
  void want(std::size_t at, unsigned thread);
  void find_conflicts(const performed_step& step, clock& known);

  unsigned bound_;
  bool reduces_;
  bool left_some_out_ = false;
  bool has_diverged_ = false;
  std::vector<decision> decisions_;
  std::size_t depth_ = 0;   // decisions of this run so far
  std::size_t current_ = 0; // the one behind the step that is under way
  std::vector<performed_step> steps_;
  std::array<clock, max_threads> known_;
  std::array<std::vector<std::int32_t>, max_threads> awaited_;
};

} // namespace weir::check::detail
