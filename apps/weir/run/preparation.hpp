// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/args.hpp"
#include "run/guest.hpp"
#include "run/plan.hpp"
#include "run/program.hpp"
#include "run/stats.hpp"

#include <weir/join_handle.hpp>
#include <weir/runtime.hpp>
#include <weir/wasm/engine.hpp>
#include <weir/wasm/linker.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace weir::cli {

/// What comes before the guests run and what is known of them after, the same whether they are simulated or not. Each
/// step complains of what is wrong.
class preparation {
public:
  explicit preparation(run_request request);
  preparation(const preparation&) = delete; // the guests refer to it
  preparation& operator=(const preparation&) = delete;

  /// All of them, so that every bad file is named.
  bool load_programs();
  /// The guests of the plan, in its order; none when one cannot be made.
  std::vector<std::unique_ptr<guest>> make_guests();
  std::optional<runtime> build_runtime();

  /// Complains, and sets the status if it is the first failure.
  int fail(int status, std::string_view message);

  const run_request& request() const { return request_; }
  const std::vector<guest_plan>& plans() const { return plans_; }
  const program_request& request_of(std::size_t guest) const { return request_.programs[plans_[guest].program]; }
  spawn_options spawning(std::size_t guest) const;
  /// Of the first failure; 0 while there is none.
  int status() const { return status_; }

private:
  run_request request_;
  std::vector<guest_plan> plans_;
  wasm::engine engine_;
  wasm::linker linker_;
  std::vector<program> programs_;
  int status_ = 0;
};

/// What the task and the store of a guest counted. The task has reported its end in its last poll, which is about to be
/// over: waits for that, since only then the counters are whole.
void take_counters(guest_stats& into, const guest& of, const join_handle<void>& task);

} // namespace weir::cli
