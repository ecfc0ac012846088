// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of fork_join() that each call inlines. src/sched/fork_join.hpp has the protocol and names who may touch what.
#include <weir/config.hpp>
#include <weir/detail/atomic.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace weir {
namespace rt {
class runtime_core;
}

namespace detail {

struct fork_node;

/// The forks of one stack that are not offered to others yet, oldest first. One thread at a time: the stack's.
struct fork_list {
  fork_node* newest = nullptr;
  fork_node* oldest = nullptr;
  const atomic<std::uint64_t>* idle_permits = nullptr; // not zero: somebody would take a fork
  rt::runtime_core* core = nullptr;
  std::int64_t last_offer = 0; // nanoseconds
  std::uint32_t to_skip = 0;   // forks until the clock is read again
  std::uint32_t skipped = 0;   // before it was read last
};

enum class first_failure : std::uint8_t { none, left, right };

/// The right-hand side of one fork, on the stack of the call.
struct fork_node {
  void (*run)(fork_node&) noexcept;
  fork_node* older;
  fork_node* newer = nullptr;
  atomic<fork_node*>* place = nullptr; // where it is or was offered; null: it is on its list
  std::exception_ptr error;            // what `run` threw
  atomic<std::uintptr_t> end;          // set by the offer
  atomic<first_failure> failed;        // set by the offer

  fork_node(void (*how)(fork_node&) noexcept, fork_list& on) noexcept : run(how), older(on.newest) {
    (older != nullptr ? older->newer : on.oldest) = this;
    on.newest = this;
  }
  fork_node(const fork_node&) = delete;
  fork_node& operator=(const fork_node&) = delete;

  /// Takes the newest node from its list.
  void leave(fork_list& from) noexcept {
    from.newest = older;
    (older != nullptr ? older->newer : from.oldest) = nullptr;
  }
};

/// The list of the calling stack; null on a thread that runs nothing for a runtime.
WEIR_NOINLINE fork_list* current_forks() noexcept;
/// Offers the oldest fork of the list to whoever is idle, if the last offer is long enough ago.
WEIR_NOINLINE void offer_oldest(fork_list& list) noexcept;
/// The node was offered: takes it back and runs it, or waits until who took it has run it.
WEIR_NOINLINE void join_offered(fork_node& node);
/// The left side has thrown: ends the right side too and throws the first of the exceptions.
[[noreturn]] WEIR_NOINLINE void fail_fork(fork_list& list, fork_node& node, std::exception_ptr left);
/// Called by the right side before its error is final.
void note_right_failure(fork_node& node) noexcept;

template <class R> using fork_value = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

template <class F> auto call_for_value(F& function) -> fork_value<std::invoke_result_t<F&>> {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    std::invoke(function);
    return {};
  } else {
    return std::invoke(function);
  }
}

template <class G> struct right_side : fork_node {
  using value_type = fork_value<std::invoke_result_t<G&>>;

  G& function;
  std::optional<value_type> value;

  right_side(G& what, fork_list& on) noexcept : fork_node(call, on), function(what) {}

  static void call(fork_node& node) noexcept {
    auto& self = static_cast<right_side&>(node);
    try {
      self.value.emplace(call_for_value(self.function));
    } catch (...) {
      self.error = std::current_exception();
      note_right_failure(self);
    }
  }
};

template <class R1, class R2> struct fork_results {
  using type = std::pair<fork_value<R1>, fork_value<R2>>;
  static type make(fork_value<R1>&& left, fork_value<R2>&& right) { return {std::move(left), std::move(right)}; }
};
template <> struct fork_results<void, void> {
  using type = void;
  static void make(std::monostate&&, std::monostate&&) noexcept {}
};

template <class F, class G>
auto fork_on(fork_list& forks, F& f, G& g) ->
    typename fork_results<std::invoke_result_t<F&>, std::invoke_result_t<G&>>::type {
  using results = fork_results<std::invoke_result_t<F&>, std::invoke_result_t<G&>>;
  right_side<G> right(g, forks);
  if (forks.idle_permits->load(memory_order::relaxed) != 0) [[unlikely]]
    offer_oldest(forks);
  std::optional<fork_value<std::invoke_result_t<F&>>> left;
  try {
    left.emplace(call_for_value(f));
  } catch (...) {
    fail_fork(forks, right, std::current_exception());
  }
  if (right.place == nullptr) [[likely]] {
    right.leave(forks);
    return results::make(std::move(*left), call_for_value(g));
  }
  join_offered(right);
  if (right.error != nullptr) std::rethrow_exception(std::move(right.error));
  return results::make(std::move(*left), std::move(*right.value));
}

} // namespace detail
} // namespace weir
