// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the files of os/ share and nobody else needs; includes a system header.
#include "os/file.hpp"

#include <sys/stat.h>

namespace weir::rt::os {

/// `descriptor` is asked for the kind of a socket; -1 when there is none.
file_status to_file_status(const struct stat& from, int descriptor);

} // namespace weir::rt::os
