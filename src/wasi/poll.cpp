// SPDX-License-Identifier: Apache-2.0
// poll_oneoff: waits until one of the subscriptions has something, and reports all that have.
//
// A subscription that is wrong in itself (no such descriptor, no such clock) is an event with an error and ends the
// wait at once. Files, directories' contents and callbacks are always ready. What remains are times, which become
// deadlines on their clocks when the call begins, and descriptors that wait, which are polled by the host. Without
// descriptors the wait is the clock source's sleep(), so that a simulated clock can skip it; with descriptors it is the
// host's own time. The clocks are read again after each wait, so a real clock that was set meanwhile is noticed.
#include "wasi/errno_map.hpp"
#include "wasi/functions.hpp"

#include <weir/blocking.hpp>

#include <algorithm>
#include <limits>

namespace weir::wasi::detail {

namespace {

constexpr u32 most_subscriptions =
    1u << 16; // far above any descriptor limit; bounds what one call can make the host allocate

struct clock_wait {
  u64 userdata;
  clock_id which;
  u64 deadline; // on that clock, in nanoseconds
};

struct fd_wait {
  u64 userdata;
  std::uint8_t type;
};

struct found_event {
  u64 userdata = 0;
  errc error = errc::success;
  std::uint8_t type = abi::eventtype::clock;
  u64 bytes = 0;
  std::uint16_t flags = 0;
};

class poll_call {
public:
  explicit poll_call(guest_state& guest) : guest_{guest} {}

  errc add(std::span<const std::byte> subscription);
  /// Errors: `interrupted`, `io`. Afterwards events() are not empty.
  errc wait();
  const std::vector<found_event>& events() const { return events_; }

private:
  errc add_clock(u64 userdata, std::span<const std::byte> subscription);
  void add_descriptor(u64 userdata, std::uint8_t type, u32 fd);
  void collect_clocks();
  void collect_descriptors();
  wait_end wait_once();
  std::optional<std::chrono::nanoseconds> time_left(const clock_wait& wait) const;
  const clock_wait* next_clock() const;

  guest_state& guest_;
  std::vector<found_event> events_;
  std::vector<clock_wait> clocks_;
  std::vector<fd_wait> waits_; // parallel to items_
  std::vector<rt::os::poll_item> items_;
};

errc poll_call::add(std::span<const std::byte> subscription) {
  const auto userdata = get<u64>(subscription, abi::subscription::userdata);
  const auto tag = get<std::uint8_t>(subscription, abi::subscription::tag);
  if (tag == abi::eventtype::clock) return add_clock(userdata, subscription);
  if (tag != abi::eventtype::fd_read && tag != abi::eventtype::fd_write) return errc::inval;
  add_descriptor(userdata, tag, get<u32>(subscription, abi::subscription::fd));
  return errc::success;
}

errc poll_call::add_clock(u64 userdata, std::span<const std::byte> subscription) {
  const auto id = get<u32>(subscription, abi::subscription::clock_id);
  const auto timeout = get<u64>(subscription, abi::subscription::timeout);
  const auto flags = get<std::uint16_t>(subscription, abi::subscription::flags);
  if ((flags & ~abi::subclockflag::all) != 0) return errc::inval;
  const auto now = id <= static_cast<u32>(clock_id::thread_cpu) ? guest_.clocks->now(clock_id{id}) : std::nullopt;
  if (!now) {
    events_.push_back({userdata, errc::inval});
    return errc::success;
  }
  const u64 begin = static_cast<u64>(std::max<i64>(now->count(), 0));
  const bool is_absolute = (flags & abi::subclockflag::abstime) != 0;
  const u64 latest = std::numeric_limits<u64>::max();
  const u64 deadline = is_absolute ? timeout : timeout > latest - begin ? latest : begin + timeout;
  clocks_.push_back({userdata, clock_id{id}, deadline});
  return errc::success;
}

void poll_call::add_descriptor(u64 userdata, std::uint8_t type, u32 fd) {
  const descriptor* const found = guest_.files.find(fd);
  const bool is_read = type == abi::eventtype::fd_read;
  if (!found || found->is_directory() || !(is_read ? found->can_read : found->can_write)) {
    events_.push_back({userdata, errc::badf, type});
    return;
  }
  if (found->waits()) {
    waits_.push_back({userdata, type});
    items_.push_back({found->file.get(), is_read ? rt::os::wants_input : rt::os::wants_output, 0});
    return;
  }
  found_event event{userdata, errc::success, type, 1};
  if (is_read && found->what == descriptor::kind::host_file) {
    const auto what = rt::os::status(found->file.get());
    const auto position = rt::os::seek(found->file.get(), 0, rt::os::seek_base::current);
    event.bytes = what && position && what->size > *position ? what->size - *position : 0;
    if (event.bytes == 0) event.flags = abi::eventrwflag::hangup;
  }
  events_.push_back(event);
}

std::optional<std::chrono::nanoseconds> poll_call::time_left(const clock_wait& wait) const {
  const auto now = guest_.clocks->now(wait.which);
  const u64 instant = now ? static_cast<u64>(std::max<i64>(now->count(), 0)) : wait.deadline;
  if (instant >= wait.deadline) return std::nullopt;
  const u64 left = std::min<u64>(wait.deadline - instant, static_cast<u64>(std::numeric_limits<i64>::max()));
  return std::chrono::nanoseconds{static_cast<i64>(left)};
}

void poll_call::collect_clocks() {
  for (const clock_wait& wait : clocks_)
    if (!time_left(wait)) events_.push_back({wait.userdata});
}

void poll_call::collect_descriptors() {
  using namespace rt::os;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const poll_item& item = items_[i];
    if (item.seen == 0) continue;
    found_event event{waits_[i].userdata, errc::success, waits_[i].type, 1};
    if ((item.seen & is_invalid) != 0) event.error = errc::badf;
    if ((item.seen & (has_hangup | has_error)) != 0) event.flags = abi::eventrwflag::hangup;
    if (waits_[i].type == abi::eventtype::fd_read) event.bytes = bytes_ready(item.descriptor);
    events_.push_back(event);
  }
}

/// The clock that comes first, by what is left now.
const clock_wait* poll_call::next_clock() const {
  const auto before = [&](const clock_wait& a, const clock_wait& b) {
    const auto zero = std::chrono::nanoseconds{0};
    return time_left(a).value_or(zero) < time_left(b).value_or(zero);
  };
  const auto first = std::min_element(clocks_.begin(), clocks_.end(), before);
  return first == clocks_.end() ? nullptr : &*first;
}

wait_end poll_call::wait_once() {
  const clock_wait* const first = next_clock();
  std::optional<std::chrono::nanoseconds> left;
  if (first != nullptr) left = time_left(*first).value_or(std::chrono::nanoseconds{0});
  if (items_.empty())
    return guest_.clocks->sleep(first->which, *left, guest_.cancel) ? wait_end::timed_out : wait_end::cancelled;
  return wait_for(guest_, items_, left);
}

errc poll_call::wait() {
  // What is there already. Only this pass counts when something is wrong or always ready.
  if (!items_.empty() && !rt::os::poll(items_, std::chrono::nanoseconds{0})) return errc::io;
  collect_clocks();
  collect_descriptors();
  if (!events_.empty()) return errc::success;
  return weir::blocking([&] {
    while (events_.empty()) {
      const wait_end end = wait_once();
      if (end == wait_end::cancelled) return errc::interrupted;
      if (end == wait_end::failed) return errc::io;
      collect_clocks();
      if (end == wait_end::ready) collect_descriptors();
    }
    return errc::success;
  });
}

void put_event(std::span<std::byte> record, const found_event& event) {
  std::fill(record.begin(), record.end(), std::byte{0});
  put(record, abi::event::userdata, event.userdata);
  put(record, abi::event::error, static_cast<std::uint16_t>(event.error));
  put(record, abi::event::type, event.type);
  put(record, abi::event::nbytes, event.bytes);
  put(record, abi::event::flags, event.flags);
}

} // namespace

errc poll_oneoff(guest_state& guest, guest_memory memory, u32 in, u32 out, u32 count, u32 nevents_out) {
  if (count == 0 || count > most_subscriptions) return errc::inval;
  const auto subscriptions = memory.slice(in, u64{count} * abi::subscription::size);
  const auto events = memory.slice(out, u64{count} * abi::event::size);
  if (!subscriptions || !events || !memory.contains(nevents_out, 4)) return errc::fault;
  poll_call call{guest};
  for (u32 i = 0; i < count; ++i) {
    const errc added =
        call.add(subscriptions->subspan(std::size_t{i} * abi::subscription::size, abi::subscription::size));
    if (added != errc::success) return added;
  }
  if (const errc end = call.wait(); end != errc::success) return end;
  std::size_t at = 0;
  for (const found_event& event : call.events()) {
    put_event(events->subspan(at, abi::event::size), event);
    at += abi::event::size;
  }
  return memory.store(nevents_out, static_cast<u32>(call.events().size())) ? errc::success : errc::fault;
}

} // namespace weir::wasi::detail
