// SPDX-License-Identifier: Apache-2.0

// How many executions a second the model checker goes through: small models, by engine and by order.
#include <benchmark/benchmark.h>
#include <weir/check/atomic.hpp>
#include <weir/check/model.hpp>

namespace check = weir::check;
using std::memory_order;

namespace {

void add_each(check::model& m, unsigned threads, memory_order order) {
  check::atomic<unsigned> count{0};
  for (unsigned at = 0; at < threads; ++at) m.spawn("adder", [&] { count.fetch_add(1, order); });
  m.join_all();
}

void ring(check::model& m, memory_order order) {
  check::atomic<int> words[3];
  for (int self = 0; self < 3; ++self)
    m.spawn("thread", [&, self] {
      words[self].store(1, order);
      static_cast<void>(words[(self + 1) % 3].load(order));
    });
  m.join_all();
}

void read_twice(check::model& m, memory_order order) {
  check::atomic<int> x{0};
  check::atomic<int> y{0};
  m.spawn("writer", [&] {
    x.store(1, order);
    y.store(1, order);
  });
  m.spawn("reader", [&] {
    static_cast<void>(y.load(order));
    static_cast<void>(x.load(order));
  });
  m.join_all();
}

template <class Body> void measure(benchmark::State& state, const check::model_options& options, Body body) {
  std::uint64_t executions = 0;
  for (auto _ : state) executions += check::explore("bench", body, options).executions;
  state.counters["executions"] = benchmark::Counter(static_cast<double>(executions), benchmark::Counter::kIsRate);
  state.counters["each"] = static_cast<double>(executions) / static_cast<double>(state.iterations());
}

check::model_options with(check::engine_kind engine) {
  check::model_options options;
  options.engine = engine;
  options.runs = 1'000;
  return options;
}

void five_adders(benchmark::State& state) {
  measure(state, {}, [](check::model& m) { add_each(m, 5, memory_order::relaxed); });
}
void five_adders_seq_cst(benchmark::State& state) {
  measure(state, {}, [](check::model& m) { add_each(m, 5, memory_order::seq_cst); });
}
void ring_of_three(benchmark::State& state) {
  measure(state, {}, [](check::model& m) { ring(m, memory_order::relaxed); });
}
void ring_of_three_seq_cst(benchmark::State& state) {
  measure(state, {}, [](check::model& m) { ring(m, memory_order::seq_cst); });
}
void message_passing(benchmark::State& state) {
  measure(state, {}, [](check::model& m) { read_twice(m, memory_order::relaxed); });
}
void bounded_four_adders(benchmark::State& state) {
  measure(state, with(check::engine_kind::bounded), [](check::model& m) { add_each(m, 4, memory_order::relaxed); });
}
void random_message_passing(benchmark::State& state) {
  measure(state, with(check::engine_kind::random), [](check::model& m) { read_twice(m, memory_order::relaxed); });
}
void pct_message_passing(benchmark::State& state) {
  measure(state, with(check::engine_kind::pct), [](check::model& m) { read_twice(m, memory_order::relaxed); });
}

} // namespace

BENCHMARK(five_adders);
BENCHMARK(five_adders_seq_cst);
BENCHMARK(ring_of_three);
BENCHMARK(ring_of_three_seq_cst);
BENCHMARK(message_passing);
BENCHMARK(bounded_four_adders);
BENCHMARK(random_message_passing);
BENCHMARK(pct_message_passing);

BENCHMARK_MAIN();
