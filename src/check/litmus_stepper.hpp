// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests only: goes through a litmus program step by step, as a strategy decides.

#include <utility>
#include <vector>

#include "check/explorer.hpp"
#include "check/litmus_program.hpp"
#include "check/strategy.hpp"

namespace weir::check::detail {

class litmus_stepper {
public:
  explicit litmus_stepper(const litmus_program& program) : program_(program) {}

  /// One execution; returns the state it ends in.
  litmus_state run(strategy& by) {
    engine_.restart();
    for (std::size_t at = 0; at < program_.locations.size(); ++at) engine_.current().add_location(0);
    places_.assign(program_.threads.size(), {});
    registers_.clear();
    for (std::size_t thread = 0; thread < program_.threads.size(); ++thread) {
      places_[thread].push_back({&program_.threads[thread], 0});
      registers_.emplace_back(program_.registers[thread].size(), 0);
    }
    by.begin();
    unsigned last = no_thread;
    for (unsigned runnable = standing(); runnable != 0; runnable = standing()) {
      last = by.next_thread(runnable, last);
      step(last, by);
    }
    litmus_state out;
    for (const auto& of_thread : registers_) out.insert(out.end(), of_thread.begin(), of_thread.end());
    for (std::size_t at = 0; at < program_.locations.size(); ++at) {
      const graph& g = engine_.current();
      out.push_back(static_cast<std::int64_t>(g.value_of(g.newest_write(static_cast<std::int32_t>(at)))));
    }
    return out;
  }

private:
  using place = std::pair<const litmus_thread*, std::size_t>;

  // Moves each thread to its next operation; the threads that have one.
  unsigned standing() {
    unsigned set = 0;
    for (unsigned thread = 0; thread < places_.size(); ++thread)
      if (find_operation(thread)) set |= 1U << thread;
    return set;
  }

  bool find_operation(unsigned thread) {
    auto& stack = places_[thread];
    while (!stack.empty()) {
      auto& [list, at] = stack.back();
      if (at == list->size()) {
        stack.pop_back();
        continue;
      }
      const litmus_instruction& here = (*list)[at];
      if (here.what != litmus_instruction::form::if_equal) return true;
      ++at;
      if (registers_[thread][static_cast<std::size_t>(here.reg)] == here.equals) stack.push_back({&here.then, 0});
    }
    return false;
  }

  void step(unsigned thread, strategy& by) {
    auto& [list, at] = places_[thread].back();
    const litmus_instruction& here = (*list)[at++];
    std::uint64_t value = 0;
    engine_.add_drawn(thread, here.op, by, false);
    static_cast<void>(engine_.perform(thread, here.op, value));
    if (here.reg >= 0) registers_[thread][static_cast<std::size_t>(here.reg)] = static_cast<std::int64_t>(value);
    const bool is_access = here.what == litmus_instruction::form::access;
    by.performed(
        {.thread = thread,
         .kind = here.op.kind,
         .location = is_access ? here.op.location : -1,
         .writes = is_access && (here.op.kind == operation_kind::store || writes_after_reading(here.op, value))});
  }

  const litmus_program& program_;
  explorer engine_;
  std::vector<std::vector<place>> places_;
  std::vector<std::vector<std::int64_t>> registers_;
};

} // namespace weir::check::detail
