// SPDX-License-Identifier: Apache-2.0
// Permits that change hands: from calls to returners and spare threads, and from free to returners.
//
// Who takes a call   the monitor, once it is as old as the grace; the region's own thread at entry, where calls take long
// (region.cpp); a
//                    publisher that finds no free permit, if the call is expected to take long. Each has a receiver
//                    before the exchange, so that no permit is ever on its way to nobody.
// Orderings          a publisher and a long call's own thread: long_calls.hpp O1.
// Limits             publishers use threads that are there, or ask the monitor at once. Only the monitor and a region's own thread make new ones: a
// spawn must not
//                    cost what a thread costs. Early releases stop when eager_limit calls block; age decides again then.
#include "sched/runtime_core.hpp"

namespace weir::rt {

call_taken runtime_core::take_call(permit& of, call_word call, may_make_thread makes) noexcept {
  auto compete = [&](worker& receiver) { return rt::take_call(of.call, call, receiver.number()); };
  worker* receiver = nullptr;
  if (returners_.size() != 0) {
    receiver = returners_.pop_if(compete);
    if (receiver == nullptr) return call_taken::ended; // or the returner has been served: nothing is missing
  } else {
    receiver = crew_.take_spare();
    if (receiver == nullptr) {
      if (makes == may_make_thread::no) return call_taken::no_thread;
      auto made = crew_.start_worker();
      if (!made) {
        count_missing_thread(made.error());
        return call_taken::no_thread;
      }
      receiver = *made;
    }
    if (!compete(*receiver)) {
      crew_.put_back(*receiver);
      return call_taken::ended;
    }
  }
  handoffs.fetch_add(1, detail::memory_order::relaxed);
  detached.fetch_add(1, detail::memory_order::relaxed);
  if (call.phase == permit_phase::long_call) long_calls.subtract();
  receiver->assign(of);
  return call_taken::yes;
}

void runtime_core::take_long_call() noexcept {
  for (std::size_t index = 0; index != permit_count_; ++index) {
    call_word word = permits_[index].word();
    if (word.phase != permit_phase::long_call) continue;
    bool swaps = returners_.size() != 0; // one caller goes out, another one comes in
    if (!swaps && !count_early_release()) break;
    call_taken taken = take_call(permits_[index], word, may_make_thread::no);
    if (!swaps) detached.fetch_sub(1, detail::memory_order::relaxed); // take_call() has counted it
    if (taken == call_taken::yes) return;
    if (taken == call_taken::no_thread) {
      monitor_.wake(); // it makes one
      return;
    }
  }
  monitor_.wake_if_asleep();
}

bool runtime_core::count_early_release() noexcept {
  if (detached.fetch_add(1, detail::memory_order::relaxed) + permit_count_ < options().eager_limit) return true;
  detached.fetch_sub(1, detail::memory_order::relaxed);
  return false;
}

bool runtime_core::may_release_early() const noexcept {
  return detached.load(detail::memory_order::relaxed) + permit_count_ < options().eager_limit;
}

bool runtime_core::expects_next_release() noexcept {
  constexpr duration moment = std::chrono::microseconds(200);
  instant at = rt::now();
  instant last{last_release_.load(detail::memory_order::relaxed)};
  last_release_.store(at.nanoseconds, detail::memory_order::relaxed);
  return at - last < moment || queued() >= 2;
}

bool runtime_core::grant_to_returner(permit& owned) noexcept {
  worker* head = returners_.pop_if([](worker&) { return true; });
  if (head == nullptr) return false;
  head->grant(owned);
  wake_next_returner();
  return true;
}

permit* runtime_core::claim_free() noexcept {
  auto index = idle_.claim_any();
  return index ? &permits_[*index] : nullptr;
}

void runtime_core::wake_next_returner() noexcept {
  worker* next = returners_.head();
  if (next != nullptr && crew_.may_be_hot()) next->wake();
}

void runtime_core::serve_returners() noexcept {
  returners_.serve([&] { return claim_free(); },
                   [&](worker& head, permit& claimed) {
                     worker& attached = crew_.at(claimed.word().worker);
                     crew_.put_back(attached); // before the other is awake, and finds no spare thread
                     head.grant(claimed);
                   });
}

permit* runtime_core::claim_or_enqueue(worker& returning) noexcept {
  permit* claimed = returners_.claim_or_enqueue(returning, [&] { return claim_free(); });
  if (claimed != nullptr) {
    worker& attached = crew_.at(claimed->word().worker);
    claimed->set(permit_phase::run, returning.number());
    crew_.put_back(attached);
    return claimed;
  }
  detail::seq_cst_fence(); // return_queue.hpp O1
  if (WEIR_MUTANT("return queue: a caller does not look again")) return nullptr;
  serve_returners();
  if (returners_.size() != 0) {
    ask_for_returner();
    if (long_calls.size() != 0) {
      take_long_call();
    } else {
      monitor_.wake_if_asleep();
    }
  }
  return nullptr;
}

void runtime_core::ask_for_returner() noexcept {
  for (std::size_t index = 0; index != permit_count_; ++index) {
    permit& held = permits_[index];
    call_word word = held.word();
    if (word.phase == permit_phase::run && crew_.at(word.worker).ask_to_yield(held, held.polls.get())) return;
  }
}

} // namespace weir::rt
