// SPDX-License-Identifier: Apache-2.0
// Feeds arbitrary bytes to the engine: decode, validate, instantiate with imports made to fit, and call every exported function.
// The engine must answer each input with a result or an error. A watchdog cancels guests that do not end by themselves.
#include <weir/wasm/wasm.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace wasm = weir::wasm;

namespace {

constexpr auto guest_time = std::chrono::milliseconds{30};

/// Cancels the store it watches once its time is over.
class watchdog {
public:
  watchdog() : thread_{[this](const std::stop_token& stop) { watch(stop); }} {}

  void start(wasm::interrupt_handle store) {
    {
      const std::lock_guard lock{mutex_};
      store_ = std::move(store);
      deadline_ = std::chrono::steady_clock::now() + guest_time;
    }
    changed_.notify_one();
  }
  void stop() {
    const std::lock_guard lock{mutex_};
    store_.reset();
  }

private:
  void watch(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    while (!stop.stop_requested()) {
      changed_.wait(lock, stop, [this] { return store_.has_value(); });
      if (!store_) continue;
      if (std::chrono::steady_clock::now() >= deadline_) {
        store_->cancel();
        store_.reset();
      } else {
        changed_.wait_until(lock, stop, deadline_, [this] { return !store_.has_value(); });
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<wasm::interrupt_handle> store_;
  std::chrono::steady_clock::time_point deadline_;
  std::jthread thread_; // last: it uses everything above
};

wasm::value zero_of(wasm::value_type type) { return {type, 0}; }

wasm::func zero_function(wasm::store& store, const wasm::func_type& type) {
  std::vector<wasm::value> zeros;
  for (const auto result : type.results) zeros.push_back(zero_of(result));
  return wasm::func::create(
      store, type,
      [zeros](wasm::caller&, std::span<const wasm::value>) -> wasm::result<std::vector<wasm::value>> { return zeros; });
}

/// Something of the import's own type; nothing when the store's limits refuse it.
std::optional<wasm::extern_value> fitting(wasm::store& store, const wasm::import_type& import) {
  const auto held = [](auto made) -> std::optional<wasm::extern_value> {
    if (!made) return std::nullopt;
    return wasm::extern_value{*std::move(made)};
  };
  switch (import.kind) {
  case wasm::extern_kind::function: return wasm::extern_value{zero_function(store, import.function)};
  case wasm::extern_kind::memory: return held(wasm::memory::create(store, import.memory));
  case wasm::extern_kind::table: return held(wasm::table::create(store, import.table, zero_of(import.table.element)));
  case wasm::extern_kind::global: return held(wasm::global::create(store, import.global, zero_of(import.global.value)));
  case wasm::extern_kind::tag: return wasm::extern_value{wasm::tag::create(store, import.function)};
  }
  return std::nullopt;
}

void run(const wasm::engine& engine, const wasm::module& module, watchdog& dog) {
  wasm::store store{engine, {.max_memory_bytes = 16u << 20, .max_table_elements = 100'000, .max_instances = 4}};
  wasm::linker linker{engine};
  for (const auto& import : module.imports())
    if (auto item = fitting(store, import)) (void)linker.define(import.module, import.name, *std::move(item));
  dog.start(store.interrupts());
  if (auto instance = linker.instantiate(store, module)) {
    for (const auto& [name, item] : instance->exports()) {
      const auto* function = std::get_if<wasm::func>(&item);
      if (function == nullptr) continue;
      std::vector<wasm::value> arguments;
      for (const auto parameter : function->type().params) arguments.push_back(zero_of(parameter));
      (void)function->call(store, arguments);
    }
  }
  dog.stop();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static watchdog dog;
  // Both ways to run must agree on what is safe.
  static const wasm::engine plain{{.max_value_slots = 1u << 14, .max_call_depth = 1u << 9}};
  static const wasm::engine stressed{{.use_accumulator = false,
                                      .use_pinned_local = false,
                                      .use_fusion = false,
                                      .moves_stack_everywhere = true,
                                      .max_value_slots = 1u << 14,
                                      .max_call_depth = 1u << 9}};
  for (const wasm::engine& engine : {plain, stressed}) {
    const auto module = wasm::module::compile(engine, std::as_bytes(std::span{bytes, size}), "fuzz");
    if (!module) return 0;
    run(engine, *module, dog);
  }
  return 0;
}
