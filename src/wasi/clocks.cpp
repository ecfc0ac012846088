// SPDX-License-Identifier: Apache-2.0
#include <weir/wasi/clock.hpp>

#include "base/clock.hpp"
#include "os/poll.hpp"
#include "wasi/functions.hpp"

#include <algorithm>
#include <array>

namespace weir::wasi {

namespace {

class system_clock_source final : public clock_source {
public:
  std::optional<std::chrono::nanoseconds> now(clock_id which) override {
    if (which == clock_id::realtime) return rt::wall_time();
    if (which == clock_id::monotonic) return std::chrono::nanoseconds(rt::now().nanoseconds);
    return std::nullopt;
  }

  std::optional<std::chrono::nanoseconds> resolution(clock_id which) override {
    if (which != clock_id::realtime && which != clock_id::monotonic) return std::nullopt;
    return std::chrono::nanoseconds{1};
  }

  bool sleep(clock_id which, std::chrono::nanoseconds duration, const cancel_token& cancel) override {
    // The real clock can be set while somebody waits for it; the caller looks at it again at least every second.
    if (which == clock_id::realtime) duration = std::min<std::chrono::nanoseconds>(duration, std::chrono::seconds{1});
    std::array<rt::os::poll_item, 1> items{{{cancel.descriptor(), rt::os::wants_input, 0}}};
    [[maybe_unused]] const auto count = rt::os::poll(items, duration);
    return !cancel.is_cancelled();
  }
};

} // namespace

std::shared_ptr<clock_source> system_clocks() { return std::make_shared<system_clock_source>(); }

namespace detail {

namespace {

constexpr u32 clock_count = 4;

errc put_time(guest_memory memory, u32 out, std::optional<std::chrono::nanoseconds> time) {
  if (!time) return errc::inval;
  if (time->count() < 0) return errc::overflow; // before 1970, which a timestamp cannot say
  return memory.store(out, static_cast<u64>(time->count())) ? errc::success : errc::fault;
}

} // namespace

errc clock_res_get(guest_state& guest, guest_memory memory, u32 id, u32 resolution_out) {
  if (id >= clock_count) return errc::inval;
  return put_time(memory, resolution_out, guest.clocks->resolution(clock_id{id}));
}

errc clock_time_get(guest_state& guest, guest_memory memory, u32 id, u64, u32 time_out) {
  if (id >= clock_count) return errc::inval;
  return put_time(memory, time_out, guest.clocks->now(clock_id{id}));
}

} // namespace detail
} // namespace weir::wasi
