// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::rt::os {

/// A page that a child of fork() sees empty: tells whether this process is the one that made it.
///
/// Cost: one page; is_in_child() is one load.
class fork_mark {
public:
  fork_mark() noexcept;
  fork_mark(const fork_mark&) = delete;
  fork_mark& operator=(const fork_mark&) = delete;
  ~fork_mark();

  /// False, too, where the system cannot tell.
  bool is_in_child() const noexcept { return page_ != nullptr && *static_cast<const volatile unsigned*>(page_) == 0; }

private:
  void* page_ = nullptr;
};

} // namespace weir::rt::os
