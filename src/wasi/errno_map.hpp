// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "wasi/abi.hpp"

#include "os/file.hpp"

#include <system_error>

namespace weir::wasi {

/// The guest's errno for an error of the host; `io` for one that WASI has no name for.
abi::errc to_errno(const std::error_code& error);

abi::filetype to_filetype(rt::os::file_type type);

/// The errno of an outcome, `success` for one with a value.
template <class T> abi::errc to_errno(const rt::os::outcome<T>& done) {
  return done ? abi::errc::success : to_errno(done.error());
}

} // namespace weir::wasi
