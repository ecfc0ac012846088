// SPDX-License-Identifier: Apache-2.0
#pragma once

// The roots of block_on that run now, which no list of the registry has: their own threads end them, so closing the runtime
// does not. For dumps.
//
// Who writes  R1 the links: under lock_. A node is on its thread's stack from before the first poll until the root ends.
#include "base/spin_lock.hpp"

#include <weir/detail/task_header.hpp>

#include <mutex>

namespace weir::rt {

class worker;

class root_list {
public:
  class node {
  public:
    node(root_list& list, detail::task_header& root, const worker* on) noexcept : list_(list), root_(root), on_(on) {
      std::lock_guard guard(list_.lock_);
      next_ = list_.first_;
      if (next_ != nullptr) next_->previous_ = this;
      list_.first_ = this;
    }
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() {
      std::lock_guard guard(list_.lock_);
      (previous_ != nullptr ? previous_->next_ : list_.first_) = next_;
      if (next_ != nullptr) next_->previous_ = previous_;
    }

  private:
    friend root_list;
    root_list& list_;
    detail::task_header& root_;
    const worker* on_; // null: a thread that is no worker
    node* next_ = nullptr;
    node* previous_ = nullptr;
  };

  /// Calls `look(root, worker or null)` for each root, none of which ends meanwhile.
  template <class Look> void visit(Look&& look) noexcept {
    std::lock_guard guard(lock_);
    for (node* each = first_; each != nullptr; each = each->next_) look(each->root_, each->on_);
  }

private:
  spin_lock lock_{"the lock of the list of roots"};
  node* first_ = nullptr;
};

} // namespace weir::rt
