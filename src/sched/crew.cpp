// SPDX-License-Identifier: Apache-2.0
#include "sched/crew.hpp"

#include "sched/runtime_core.hpp"

#include <string>

namespace weir::rt {

crew::crew(runtime_core& core, std::size_t max_threads, std::size_t hot_limit, thread_factory make_thread)
    : core_(core), hot_limit_(hot_limit), make_thread_(std::move(make_thread)), books_(max_threads) {}

std::expected<worker*, no_thread> crew::start_worker() {
  auto create = [&](std::size_t number) { return std::make_unique<worker>(core_, static_cast<std::uint16_t>(number)); };
  return books_.start(create, [&](worker& made) {
    core_.hold(); // the thread's reference, dropped by note_end's caller
    auto started = make_thread_(
        {"weir-" + std::to_string(made.number()), 0}, [](void* self) { static_cast<worker*>(self)->main(); }, &made);
    if (!started) core_.release();
    return started;
  });
}

std::expected<worker*, no_thread> crew::reserve() {
  if (worker* spare = take_spare()) return spare;
  return start_worker();
}

void crew::put_back(worker& spare, spare_place where) noexcept {
  books_.put_back(spare, where, core_.now());
  detail::seq_cst_fence(); // closures.hpp, parker (b)
  if (core_.closures().are_stranded()) core_.publish_closure();
}

void crew::put_back_warm(worker& spare) noexcept {
  put_back(spare, books_.spares().hot() < hot_limit_ ? spare_place::hot : spare_place::cold);
}

void crew::prepare_next() noexcept {
  if (books_.spares().hot() >= hot_limit_) return;
  if (worker* heated = books_.spares().heat(hot_limit_)) {
    heated->wake();
    return;
  }
  // One at a time: callers that find no spare at the same moment lack one thread, not one each.
  if (books_.spares().size() != 0 || prepares_.exchange(true, detail::memory_order::relaxed)) return;
  if (books_.spares().size() == 0) {
    if (auto made = start_worker()) put_back(**made, spare_place::hot);
  }
  prepares_.store(false, detail::memory_order::relaxed);
}

void crew::retire_idle(instant limit) noexcept {
  while (worker* idle = books_.spares().take_idle(limit)) idle->retire();
}

} // namespace weir::rt
