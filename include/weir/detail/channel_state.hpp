// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a channel holds, under one lock: a ring of values, those who wait to send, those who wait to receive, and whether
// it is closed.
//
//   reserved   values in the ring that belong to receivers which have been granted one and have not taken it yet
//
// Invariants  I1 a receiver waits only while no value is free: size == reserved, and no sender waits (in a rendezvous
//             channel: or the one place of the ring is reserved).
//             I2 a sender waits only while the ring has no room for it. A rendezvous channel has room for a value when
//             its one place is free and a receiver waits for it.
//             I3 reserved <= size; each granted receiver has one reservation until it takes or gives it back.
//             I4 a receiver is told "closed" only when the ring is empty. While a value is reserved, its receiver may give
//                it back, and those who wait then wait on.
// Hand-over   A granted receiver is promised a value; the value itself stays in the ring until the receiver runs and
// takes the oldest.
//             So a receiver that is stopped between grant and run loses nothing: it passes the promise to the next in line, or the
//             value simply is free again. A sender's value is moved into the ring when its wait is granted; a stopped
//             sender that was not granted has sent nothing.
// Order       values leave in the order in which they entered; receivers are granted, and senders admitted, first come
// first served.
// Rejected    moving the value into the receiver's frame (a stop between grant and run needs a place to put it back,
// which may
//             be taken); waking receivers to try again (one that is slow can starve).
#include <weir/check.hpp>
#include <weir/detail/waiter.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace weir::detail {

enum class transfer : std::uint8_t { none, done, closed };

/// A wait to send; `value` is moved from under the lock.
struct sending : waiter {
  static constexpr const char* waits_for = "room in a channel";
  void* value = nullptr;
  transfer outcome = transfer::none; // written with the decision
};

/// A wait to receive.
struct receiving : waiter {
  static constexpr const char* waits_for = "a value from a channel";
  transfer outcome = transfer::none; // written with the decision: done means that a value is reserved
};

template <class T> class channel_state {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "a channel moves values under its lock: moving and destroying them must not throw");

public:
  explicit channel_state(std::size_t capacity)
      : capacity_(capacity), places_(capacity == 0 ? 1 : capacity), ring_(allocator().allocate(places_)) {}
  channel_state(const channel_state&) = delete;
  channel_state& operator=(const channel_state&) = delete;
  ~channel_state() {
    {
      locked guard(*this); // whoever woke the last user may be about to leave it
      WEIR_CHECK(senders_.empty() && receivers_.empty(), "a channel is destroyed while somebody waits at it");
    }
    while (size_ != 0) take_oldest([](T&&) {});
    allocator().deallocate(ring_, places_);
  }

  std::size_t capacity() const noexcept { return capacity_; }

  /// Moves `value` into the channel if there is room for it now.
  transfer try_send(T& value) noexcept {
    wake_list wakes;
    locked guard(*this);
    return send_locked(value, wakes);
  }
  /// As try_send(), but links the node when there is no room. True: the node waits.
  bool send_or_wait(sending& node) noexcept {
    wake_list wakes;
    locked guard(*this);
    node.outcome = send_locked(*static_cast<T*>(node.value), wakes);
    if (node.outcome != transfer::none) return false;
    senders_.push_back(node);
    return true;
  }
  /// Gives a free value to `take`, or says that there is none.
  template <class Take> transfer try_receive(Take&& take) noexcept {
    if (!has_hint_.load(memory_order::relaxed)) return transfer::none;
    wake_list wakes;
    locked guard(*this);
    return receive_locked(take, wakes);
  }
  template <class Take> bool receive_or_wait(receiving& node, Take&& take) noexcept {
    wake_list wakes;
    locked guard(*this);
    node.outcome = receive_locked(take, wakes);
    if (node.outcome != transfer::none) return false;
    receivers_.push_back(node);
    return true;
  }
  /// For a receiver whose wait was granted.
  template <class Take> void take_reserved(Take&& take) noexcept {
    wake_list wakes;
    locked guard(*this);
    --reserved_;
    take_oldest(take);
    after_take(wakes);
  }
  /// The same receiver does not want it after all.
  void give_back() noexcept {
    wake_list wakes;
    locked guard(*this);
    --reserved_;
    if (!WEIR_MUTANT("channel: a value that was promised is not passed on")) promise(wakes);
  }
  bool withdraw(sending& node, wake_list* wakes) noexcept { return withdraw_from(senders_, node, wakes); }
  bool withdraw(receiving& node, wake_list* wakes) noexcept { return withdraw_from(receivers_, node, wakes); }

  void close() noexcept {
    wake_list wakes;
    locked guard(*this);
    is_closed_ = true;
    end_all<sending>(senders_, wakes);
    end_receivers(wakes);
  }
  bool is_closed() noexcept {
    locked guard(*this);
    return is_closed_;
  }
  std::size_t size() noexcept {
    locked guard(*this);
    return size_ - reserved_;
  }

private:
  /// Holds the lock; sets the hint before it is released.
  class locked {
  public:
    explicit locked(channel_state& of) noexcept : of_(of) { of_.lock_.lock(); }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;
    ~locked() {
      bool hint = of_.size_ > of_.reserved_ || of_.is_over() || (of_.capacity_ == 0 && !of_.senders_.empty());
      of_.has_hint_.store(hint, memory_order::relaxed);
      of_.lock_.unlock();
    }

  private:
    channel_state& of_;
  };

  static std::allocator<T> allocator() noexcept { return {}; }

  bool has_room() const noexcept { return size_ < places_ && (capacity_ != 0 || (size_ == 0 && !receivers_.empty())); }
  void put(T& value) noexcept {
    std::size_t at = first_ + size_;
    std::construct_at(ring_ + (at >= places_ ? at - places_ : at), std::move(value));
    ++size_;
  }
  template <class Take> void take_oldest(Take&& take) noexcept {
    T& oldest = ring_[first_];
    take(std::move(oldest));
    std::destroy_at(&oldest);
    first_ = first_ + 1 == places_ ? 0 : first_ + 1;
    --size_;
  }
  /// Promises a free value to the receiver in front.
  void promise(wake_list& wakes) noexcept {
    if (size_ == reserved_ || receivers_.empty()) return;
    auto& next = static_cast<receiving&>(*receivers_.pop_front());
    next.outcome = transfer::done;
    ++reserved_;
    wakes.decide(next, wait_state::granted);
  }
  void grant(sending& next, wake_list& wakes) noexcept {
    next.outcome = transfer::done;
    wakes.decide(next, wait_state::granted);
  }
  /// Lets senders in for whom there is room now.
  void admit(wake_list& wakes) noexcept {
    while (!senders_.empty() && has_room()) {
      auto& next = static_cast<sending&>(*senders_.pop_front());
      put(*static_cast<T*>(next.value));
      grant(next, wakes);
      promise(wakes);
    }
  }
  /// Nothing can come any more, not even from a receiver that gives back.
  bool is_over() const noexcept { return is_closed_ && size_ == 0; }
  void end_receivers(wake_list& wakes) noexcept {
    if (is_over()) end_all<receiving>(receivers_, wakes); // I4
  }
  void after_take(wake_list& wakes) noexcept {
    if (!WEIR_MUTANT("channel: a sender is not let in")) admit(wakes);
    end_receivers(wakes);
  }
  transfer send_locked(T& value, wake_list& wakes) noexcept {
    if (is_closed_) return transfer::closed;
    if (!senders_.empty() || !has_room()) return transfer::none;
    put(value);
    promise(wakes);
    return transfer::done;
  }
  template <class Take> transfer receive_locked(Take&& take, wake_list& wakes) noexcept {
    if (size_ > reserved_) {
      take_oldest(take);
      after_take(wakes);
      return transfer::done;
    }
    if (capacity_ == 0 && !senders_.empty()) { // from hand to hand
      auto& next = static_cast<sending&>(*senders_.pop_front());
      take(std::move(*static_cast<T*>(next.value)));
      grant(next, wakes);
      return transfer::done;
    }
    return is_over() ? transfer::closed : transfer::none;
  }
  bool withdraw_from(waiter_list& from, waiter& node, wake_list* wakes) noexcept {
    locked guard(*this);
    if (node.seen() != wait_state::waiting) return false;
    from.erase(node);
    if (wakes != nullptr) {
      wakes->decide(node, wait_state::withdrawn);
    } else {
      node.set(wait_state::withdrawn);
    }
    return true;
  }
  template <class Node> void end_all(waiter_list& waits, wake_list& wakes) noexcept {
    while (waiter* node = waits.pop_front()) {
      static_cast<Node*>(node)->outcome = transfer::closed;
      wakes.decide(*node, wait_state::granted);
    }
  }

  lock_word lock_;
  // A receive might not have to wait. A look without the lock; who must not miss a value looks again under it.
  atomic<bool> has_hint_{false};
  bool is_closed_ = false;
  const std::size_t capacity_;
  const std::size_t places_;
  T* const ring_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::size_t reserved_ = 0;
  waiter_list senders_;
  waiter_list receivers_;
};

} // namespace weir::detail
