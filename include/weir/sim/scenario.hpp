// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation tests: what runs, what may go wrong, what must hold; played once for each seed.
//
//   WEIR_SIM_TEST(every_request_is_served) {
//     sim.seeds(500).permits(2).faults(weir::sim::fault_plan::all());
//     auto& requests = sim.make<weir::channel<int>>(4u);
//     sim.on("client", [&]() -> weir::task<> { ... co_await requests.send(i); ... });
//     sim.on("server", [&]() -> weir::task<> { ... co_await requests.receive(); ... });
//     sim.always("no pile of tasks", [&] { return count < 64; });
//     sim.finish_within(60s);
//   }
//
// The test's body describes one run and runs nothing itself; it is called anew for each. What the parts share is made by make(), because
// the parts outlive the body's local variables.
#include <weir/join_handle.hpp>
#include <weir/runtime.hpp>
#include <weir/sim/search.hpp>
#include <weir/task.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weir::sim {

/// What runs in a test, what may go wrong, and what must hold.
///
/// Thread: the test's body and the parts, while they run.
class scenario {
public:
  scenario() = default;
  scenario(const scenario&) = delete;
  scenario& operator=(const scenario&) = delete;

  /// Sets how many seeds a search tries.
  scenario& seeds(std::uint64_t count);
  /// Sets what may go wrong; nothing without it.
  scenario& faults(fault_plan allowed);
  /// Sets where threads may be interrupted.
  scenario& grain(granularity where);
  /// Sets the permits of each node's runtime; without it the seed draws 1 to 4.
  scenario& permits(std::size_t count);
  /// Sets the virtual time after which a run has failed.
  scenario& finish_within(std::chrono::nanoseconds limit);

  /// Makes an object that lives until the run is over.
  template <class T, class... Arguments> T& make(Arguments&&... arguments) {
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    kept_.push_back(made);
    return *made;
  }

  /// Adds a task to a node: a coroutine function without arguments, or a function that runs as a fiber. Each node has a runtime of its
  /// own. An exception that leaves the task fails the run.
  template <class F> scenario& on(std::string node, F body) {
    F& function = make<F>(std::move(body));
    return add_part(std::move(node), [&function](runtime& on) -> std::function<void()> {
      if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
        return joiner(on.spawn_fiber([&function] { function(); }));
      } else {
        return joiner(on.spawn(function()));
      }
    });
  }
  /// Calls `event` on a thread of its own when so much time has passed.
  scenario& at(std::chrono::nanoseconds time, std::function<void()> event);
  /// Asks again and again, at times that the seed decides. `holds` is not interrupted by other threads unless it waits for one.
  scenario& always(std::string what, std::function<bool()> holds);
  /// Asks when all tasks have ended.
  scenario& finally(std::string what, std::function<bool()> holds);

  /// Returns the runtime of a node, for the parts while they run.
  runtime& runtime_of(std::string_view node);

  const search_options& settings() const noexcept { return settings_; }
  /// Runs what was described; called inside of run().
  void play();

private:
  using start_function = std::function<std::function<void()>(runtime&)>;
  struct node_runtime {
    std::string name;
    std::unique_ptr<runtime> pool;
  };
  struct part {
    std::size_t node;
    start_function start;
  };
  struct timed_event {
    std::chrono::nanoseconds time;
    std::function<void()> happens;
  };
  struct condition {
    std::string what;
    std::function<bool()> holds;
  };

  template <class T> static std::function<void()> joiner(join_handle<T> handle) {
    return
        [shared = std::make_shared<join_handle<T>>(std::move(handle))] { static_cast<void>(shared->wait().value()); };
  }
  scenario& add_part(std::string node, start_function start);
  void watch();

  search_options settings_;
  std::size_t permits_ = 0;
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<node_runtime> nodes_;
  std::vector<part> parts_;
  std::vector<timed_event> events_;
  std::vector<condition> invariants_;
  std::vector<condition> results_;
  bool is_over_ = false;
};

/// A test that WEIR_SIM_TEST has defined.
struct registered_test {
  std::string name;
  void (*describe)(scenario&);
};

[[nodiscard]] std::vector<registered_test>& registered_tests();

/// What to do otherwise than the test says.
struct play_options {
  std::optional<std::uint64_t> first_seed{};
  std::optional<std::uint64_t> seeds{};
  bool is_in_process = false; ///< for a debugger: as search_here()
  bool is_always_twice = false;
  std::string mutant{};
};

/// Searches through the seeds of a test.
[[nodiscard]] search_result play(const registered_test& test, const play_options& options = {});

namespace detail {

struct registration {
  registration(const char* name, void (*describe)(scenario&)) noexcept {
    registered_tests().push_back({name, describe});
  }
};

} // namespace detail
} // namespace weir::sim

/// Defines and registers a test; its body finds the scenario as `sim`.
#define WEIR_SIM_TEST(name)                                                                                            \
  static void weir_sim_test_##name(::weir::sim::scenario& sim);                                                        \
  static const ::weir::sim::detail::registration weir_sim_registration_##name(#name, weir_sim_test_##name);            \
  static void weir_sim_test_##name([[maybe_unused]] ::weir::sim::scenario& sim)
