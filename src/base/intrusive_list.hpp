// SPDX-License-Identifier: Apache-2.0
#pragma once

// A doubly linked list whose links are part of the elements: no allocation, and an element leaves from any place in
// constant time. One owner at a time; whoever shares a list guards it. An element is on at most one list per tag.
#include <weir/check.hpp>

#include <cstddef>
#include <utility>

namespace weir::rt {

template <class T, class Tag> class intrusive_list;

struct default_list_tag {};

/// The link; an element derives from it once for each list it can be on, with different tags.
template <class Tag = default_list_tag> class list_link {
public:
  list_link() noexcept = default;
  list_link(const list_link&) = delete;
  list_link& operator=(const list_link&) = delete;
  ~list_link() { WEIR_DEBUG_CHECK(!is_linked(), "an element is destroyed while it is on a list"); }

  /// True while the element is on a list. The list's owner may ask.
  bool is_linked() const noexcept { return next_ != nullptr; }

private:
  template <class T, class OtherTag> friend class intrusive_list;

  void insert_before(list_link& place) noexcept {
    next_ = &place;
    previous_ = place.previous_;
    previous_->next_ = this;
    place.previous_ = this;
  }

  void unlink() noexcept {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    next_ = previous_ = nullptr;
  }

  list_link* next_ = nullptr;
  list_link* previous_ = nullptr;
};

/// First in, first out, with removal from anywhere. Must be empty when destroyed.
template <class T, class Tag = default_list_tag> class intrusive_list {
  using link = list_link<Tag>;

public:
  intrusive_list() noexcept { head_.next_ = head_.previous_ = &head_; }
  intrusive_list(intrusive_list&& other) noexcept : intrusive_list() { splice_back(other); }
  intrusive_list& operator=(intrusive_list&& other) noexcept {
    WEIR_DEBUG_CHECK(empty() || &other == this, "a list that is assigned to must be empty");
    if (&other != this) splice_back(other);
    return *this;
  }
  ~intrusive_list() {
    WEIR_DEBUG_CHECK(empty(), "a list is destroyed with elements on it", size_);
    head_.next_ = head_.previous_ = nullptr;
  }

  bool empty() const noexcept { return head_.next_ == &head_; }
  std::size_t size() const noexcept { return size_; }
  T& front() noexcept {
    WEIR_DEBUG_CHECK(!empty(), "an empty list has no front");
    return element(*head_.next_);
  }
  T& back() noexcept {
    WEIR_DEBUG_CHECK(!empty(), "an empty list has no back");
    return element(*head_.previous_);
  }

  void push_back(T& item) noexcept { insert(item, head_); }
  void push_front(T& item) noexcept { insert(item, *head_.next_); }

  /// Takes the first element, or null when there is none.
  T* pop_front() noexcept {
    if (empty()) return nullptr;
    T& first = front();
    erase(first);
    return &first;
  }

  /// Takes the last element, or null when there is none.
  T* pop_back() noexcept {
    if (empty()) return nullptr;
    T& last = back();
    erase(last);
    return &last;
  }

  /// Removes an element that is on this very list.
  void erase(T& item) noexcept {
    link& node = item;
    WEIR_DEBUG_CHECK(node.is_linked(), "the element is on no list");
    node.unlink();
    --size_;
  }

  /// Moves all elements of `other` behind the ones here, in their order.
  void splice_back(intrusive_list& other) noexcept {
    if (other.empty()) return;
    link* first = other.head_.next_;
    link* last = other.head_.previous_;
    first->previous_ = head_.previous_;
    head_.previous_->next_ = first;
    last->next_ = &head_;
    head_.previous_ = last;
    size_ += std::exchange(other.size_, 0);
    other.head_.next_ = other.head_.previous_ = &other.head_;
  }

  /// Calls `visit(element)` from front to back; `visit` may erase the element it is given, and no other.
  template <class Visitor> void for_each(Visitor&& visit) {
    for (link* at = head_.next_; at != &head_;) {
      link* next = at->next_;
      visit(element(*at));
      at = next;
    }
  }

private:
  static T& element(link& node) noexcept { return static_cast<T&>(node); }
  void insert(T& item, link& before) noexcept {
    link& node = item;
    WEIR_DEBUG_CHECK(!node.is_linked(), "the element is on a list already");
    node.insert_before(before);
    ++size_;
  }

  link head_;
  std::size_t size_ = 0;
};

} // namespace weir::rt
