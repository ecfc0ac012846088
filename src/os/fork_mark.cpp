// SPDX-License-Identifier: Apache-2.0
#include "os/fork_mark.hpp"

#include <sys/mman.h>

namespace weir::rt::os {
namespace {

constexpr unsigned long bytes = 4096;

} // namespace

fork_mark::fork_mark() noexcept {
  void* page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (::madvise(page, bytes, MADV_WIPEONFORK) != 0) {
    ::munmap(page, bytes);
    return;
  }
  *static_cast<volatile unsigned*>(page) = 1;
  page_ = page;
}

fork_mark::~fork_mark() {
  if (page_ != nullptr) ::munmap(page_, bytes);
}

} // namespace weir::rt::os
