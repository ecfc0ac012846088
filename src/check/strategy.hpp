// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who decides how one execution goes, for every engine that goes through executions one step after the other: which
// thread takes the next step, which write a read sees, where a write stands. The exhaustive engine needs none of this.
//
// The driver calls begin() before each execution; then, for each step, next_thread(), age() when the operation could
// see or be more than the newest write, choice() for a choice, and performed() when it is done.

#include <cstdint>
#include <span>
#include <vector>

#include "check/clock.hpp"

#include <weir/check/detail/operation.hpp>

namespace weir::check::detail {

inline constexpr unsigned no_thread = max_threads;

/// Random numbers that are a function of two numbers, and the same everywhere.
class random_stream {
public:
  random_stream(std::uint64_t seed, std::uint64_t run) noexcept
      : state_(mixed(seed) ^ mixed(run + 0x632be59bd9b4e019)) {}

  std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15); }
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

private:
  static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

/// Where a step stands: the thread and how many events that thread has performed before.
struct step_place {
  unsigned thread = 0;
  int position = 0;
};

/// What a step did, for those who look for conflicts. `location` is -1 for what is no access.
struct step_effect {
  unsigned thread = 0;
  operation_kind kind = operation_kind::load;
  std::int32_t location = -1;
  bool writes = false; // or may write
};

class strategy {
public:
  strategy() = default;
  strategy(const strategy&) = delete;
  strategy& operator=(const strategy&) = delete;
  virtual ~strategy() = default;

  virtual void begin() = 0;
  /// One of the threads in the set `runnable`, which is never empty. `last` took the step before and may be in the set.
  virtual unsigned next_thread(unsigned runnable, unsigned last) = 0;
  /// Which of the writes a read sees, or a write stands behind. `distances`: how many newer ones each has, from 0 up.
  virtual std::size_t age(step_place at, std::span<const int> distances, bool is_hidden) = 0;
  virtual std::uint64_t choice(step_place at, std::uint64_t bound) = 0;
  /// What the thread would do next; it asks for its turn.
  virtual void announced(const step_effect&) {}
  virtual void performed(const step_effect&) {}
  /// The thread goes no further until one of these locations changes.
  virtual void waits(unsigned /*thread*/, std::span<const std::int32_t> /*locations*/) {}
};

/// Lets a random thread take each step.
class random_strategy : public strategy {
public:
  random_strategy(std::uint64_t seed, unsigned stale_reads) : seed_(seed), stale_reads_(stale_reads) {}

  void begin() override;
  unsigned next_thread(unsigned runnable, unsigned last) override;
  std::size_t age(step_place at, std::span<const int> distances, bool is_hidden) override;
  std::uint64_t choice(step_place at, std::uint64_t bound) override;
  /// Starts the run of that number, whatever ran before.
  void begin_run(std::uint64_t number) { run_ = number; }

protected:
  [[nodiscard]] random_stream& random() noexcept { return random_; }

private:
  std::uint64_t seed_;
  unsigned stale_reads_; // in one execution, so that a failure can be explained
  std::uint64_t run_ = 0;
  unsigned left_ = 0;
  random_stream random_{0, 0};
};

/// Probabilistic concurrency testing: always the thread of the highest priority, priorities drawn at random, and
/// depth - 1 points, drawn at random too, where the running thread falls below all others. A bug that needs `depth`
/// ordered steps is met in one run with a probability of at least 1 / (threads * steps ^ (depth - 1)).
class pct_strategy final : public random_strategy {
public:
  pct_strategy(std::uint64_t seed, unsigned stale_reads, unsigned depth);

  void begin() override;
  unsigned next_thread(unsigned runnable, unsigned last) override;
  void performed(const step_effect& effect) override;
  /// A thread that waits falls below the others, or it would be the next to run after each change.
  void waits(unsigned thread, std::span<const std::int32_t> locations) override;

  /// Of one run, by what the runs so far have shown of the program.
  [[nodiscard]] double probability() const noexcept;
  [[nodiscard]] unsigned most_threads() const noexcept { return most_threads_; }
  [[nodiscard]] std::uint64_t most_steps() const noexcept { return most_steps_; }

private:
  unsigned depth_;
  std::int64_t priorities_[max_threads] = {};
  std::int64_t lowest_ = 0;
  std::vector<std::uint64_t> changes_; // steps
  std::uint64_t steps_ = 0;            // where more than one thread could run
  std::uint64_t most_steps_ = 0;
  unsigned seen_ = 0;
  unsigned most_threads_ = 1;
};

/// Partial order sampling: each step has a priority of its own, drawn at random, and the highest goes first. When a step is
/// performed, the threads whose next steps conflict with it draw again; so each order of two steps that conflict is about as
/// likely as the other, however many steps there are beside them.
class pos_strategy final : public random_strategy {
public:
  using random_strategy::random_strategy;

  void begin() override;
  unsigned next_thread(unsigned runnable, unsigned last) override;
  void announced(const step_effect& next) override { next_[next.thread] = next; }
  void performed(const step_effect& effect) override;
  /// What a thread that waits does next conflicts with nothing until it is woken.
  void waits(unsigned thread, std::span<const std::int32_t> locations) override;

private:
  std::uint64_t priorities_[max_threads] = {};
  step_effect next_[max_threads];
  unsigned drawn_ = 0; // threads whose next step has a priority
};

/// One step of an execution that somebody wrote down: who took it, and what was drawn for it.
struct scheduled_step {
  unsigned thread = 0;
  int position = 0;
  std::uint64_t draw = 0; // distance from the newest write, or the value of a choice
};

/// Goes as a list says as far as the program follows it, and after that without a switch that is not needed and with the
/// newest values.
class guided_strategy final : public strategy {
public:
  explicit guided_strategy(const std::vector<scheduled_step>& guide);

  void begin() override { at_ = 0; }
  unsigned next_thread(unsigned runnable, unsigned last) override;
  std::size_t age(step_place at, std::span<const int> distances, bool is_hidden) override;
  std::uint64_t choice(step_place at, std::uint64_t bound) override;

private:
  [[nodiscard]] std::uint64_t draw_at(step_place at) const noexcept;

  std::vector<unsigned> order_;
  std::vector<std::uint64_t> draws_[max_threads]; // by position
  std::size_t at_ = 0;
};

} // namespace weir::check::detail
