// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "os/file.hpp"

namespace weir::rt::os {

/// A descriptor that becomes readable once and stays so: what a thread in poll() is woken by.
///
/// Thread: any; signal() may also be called from a signal handler.
class wake_fd {
public:
  /// Errors: those of the system for a new descriptor (too many open files).
  static outcome<wake_fd> create();
  void signal() const noexcept;
  int get() const noexcept { return file_.get(); }

private:
  explicit wake_fd(file from) : file_{std::move(from)} {}
  file file_;
};

} // namespace weir::rt::os
