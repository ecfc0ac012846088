// SPDX-License-Identifier: Apache-2.0
#pragma once

// Atomics under the names of <weir/detail/atomic.hpp> for the simulated variant of the library: the real ones, with a place before each
// operation where the simulation may let another thread run.
#include <weir/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir::sim::detail {

/// Atomic operations until the next preemption; far away while no simulation runs.
extern std::int64_t points_left;
/// Lets the simulation decide who runs. Not inlined, since what the thread has read before may have changed.
WEIR_NOINLINE void preempt() noexcept;
/// The running thread waits for another one.
WEIR_NOINLINE void spin() noexcept;

inline void point() noexcept {
  if (--points_left <= 0) [[unlikely]]
    preempt();
}

/// The number of the running thread in its run.
std::uint32_t thread_number() noexcept;
/// Where the program lies in memory, which is elsewhere in each process.
std::uint64_t program_start() noexcept;

/// Names a mutation by a number.
consteval std::uint64_t mutant_id(const char* name) noexcept {
  std::uint64_t id = 0xcbf29ce484222325U;
  for (; *name != 0; ++name) id = (id ^ static_cast<unsigned char>(*name)) * 0x100000001b3U;
  return id;
}
/// Of the runs of this process.
extern std::uint64_t run_number;
/// The mutation that the run is to have; 0: none.
extern std::uint64_t active_mutant;

} // namespace weir::sim::detail

/// True in a run that is to show the bug of this name: run_options::mutant.
#define WEIR_MUTANT(name) (::weir::sim::detail::active_mutant == ::weir::sim::detail::mutant_id(name))

namespace weir::detail {

using std::memory_order;

inline constexpr bool is_modelled = false;

template <class T> class atomic : public std::atomic<T> {
  using base = std::atomic<T>;
  using amount = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

public:
  using base::base;
  using base::operator=;

  T load(memory_order order = memory_order::seq_cst) const noexcept {
    sim::detail::point();
    return base::load(order);
  }
  /// For the simulation itself: nobody else may go on before.
  T peek() const noexcept { return base::load(memory_order::relaxed); }
  void store(T value, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    base::store(value, order);
  }
  T exchange(T value, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    return base::exchange(value, order);
  }
  template <class... Orders> bool compare_exchange_weak(T& expected, T value, Orders... orders) noexcept {
    sim::detail::point();
    return base::compare_exchange_weak(expected, value, orders...);
  }
  template <class... Orders> bool compare_exchange_strong(T& expected, T value, Orders... orders) noexcept {
    sim::detail::point();
    return base::compare_exchange_strong(expected, value, orders...);
  }
  T fetch_add(amount by, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    return base::fetch_add(by, order);
  }
  T fetch_sub(amount by, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    return base::fetch_sub(by, order);
  }
  T fetch_and(T mask, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    return base::fetch_and(mask, order);
  }
  T fetch_or(T mask, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    return base::fetch_or(mask, order);
  }
  T fetch_xor(T mask, memory_order order = memory_order::seq_cst) noexcept {
    sim::detail::point();
    return base::fetch_xor(mask, order);
  }
};

/// A variable of the whole program that the library learns in. Each run finds it empty.
template <class T> class program_atomic {
public:
  constexpr explicit program_atomic(T empty) noexcept : empty_(empty), value_(empty) {}
  T load(memory_order order) noexcept { return of_this_run().load(order); }
  T fetch_or(T mask, memory_order order) noexcept { return of_this_run().fetch_or(mask, order); }

private:
  atomic<T>& of_this_run() noexcept {
    if (run_ != sim::detail::run_number) {
      run_ = sim::detail::run_number;
      static_cast<std::atomic<T>&>(value_).store(empty_, memory_order::relaxed);
    }
    return value_;
  }

  T empty_;
  std::uint64_t run_ = 0;
  atomic<T> value_;
};

inline void spin_pause() noexcept { sim::detail::spin(); }

/// Simulated threads see one order of all operations.
inline void seq_cst_fence() noexcept { sim::detail::point(); }

} // namespace weir::detail
