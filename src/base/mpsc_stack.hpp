// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many threads hand elements to one: push from anywhere, the owner takes everything at once. Links are part of the
// elements.
//
// States      empty (null), or the newest element, each linked to the one pushed before it.
// Who writes  R1 `next_` of an element is written by its pusher before the element is visible, and by the taker
// afterwards.
//             R2 only push() and take_all() write the head.
// Orderings   O1 push (release) pairs with take_all (acquire): the taker sees the element and all its pusher wrote
// before.
//                The exchange in take_all reads the newest push; earlier ones reach it through the release sequence of
//                the read-modify-writes between.
// No ABA      elements leave only all together, so a pusher whose compare succeeds links to the true newest element.
#include <weir/check.hpp>
#include <weir/detail/atomic.hpp>

#include <utility>

namespace weir::rt {

template <class T, class Tag> class mpsc_stack;
template <class T, class Tag> class taken_chain;

struct default_stack_tag {};

/// The link; an element derives from it.
template <class Tag = default_stack_tag> class stack_link {
  template <class T, class OtherTag> friend class mpsc_stack;
  template <class T, class OtherTag> friend class taken_chain;
  stack_link* next_ = nullptr;
};

/// What take_all() took; the taker pops it element by element. An element that was popped may be pushed again.
template <class T, class Tag = default_stack_tag> class taken_chain {
public:
  explicit taken_chain(stack_link<Tag>* first) noexcept : first_(first) {}
  taken_chain(taken_chain&& other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
  taken_chain& operator=(taken_chain&&) = delete;
  ~taken_chain() { WEIR_DEBUG_CHECK(first_ == nullptr, "elements taken from a stack are dropped"); }

  bool empty() const noexcept { return first_ == nullptr; }
  T* pop() noexcept {
    if (first_ == nullptr) return nullptr;
    stack_link<Tag>* node = std::exchange(first_, first_->next_);
    return static_cast<T*>(node);
  }

private:
  stack_link<Tag>* first_;
};

template <class T, class Tag = default_stack_tag> class mpsc_stack {
  using link = stack_link<Tag>;

public:
  mpsc_stack() noexcept = default;
  mpsc_stack(const mpsc_stack&) = delete;
  mpsc_stack& operator=(const mpsc_stack&) = delete;
  ~mpsc_stack() { WEIR_DEBUG_CHECK(is_empty(), "a stack is destroyed with elements on it"); }

  /// Adds an element; true when the stack was empty, so that exactly one of many pushers rings the taker.
  ///
  /// Thread: any.
  bool push(T& item) noexcept {
    link& node = item;
    link* newest = head_.load(detail::memory_order::relaxed);
    do {
      node.next_ = newest;
    } while (!head_.compare_exchange_weak(newest, &node, detail::memory_order::release, // O1
                                          detail::memory_order::relaxed));
    return newest == nullptr;
  }

  /// A hint: false means that an element was there when it looked.
  bool is_empty() const noexcept { return head_.load(detail::memory_order::relaxed) == nullptr; }

  /// Takes all elements, oldest first.
  ///
  /// Thread: any, though each element goes to one taker only.
  taken_chain<T, Tag> take_all() noexcept {
    link* newest = head_.exchange(nullptr, detail::memory_order::acquire); // O1
    link* oldest = nullptr;
    while (newest != nullptr) {
      link* rest = std::exchange(newest->next_, oldest);
      oldest = std::exchange(newest, rest);
    }
    return taken_chain<T, Tag>(oldest);
  }

private:
  detail::atomic<link*> head_{nullptr};
};

} // namespace weir::rt
