// SPDX-License-Identifier: Apache-2.0
// test 61, C42, complaint 16: a result whose destructor may throw is refused, so none can throw where nobody could take it.
#include <weir/task.hpp>

struct throws_when_destroyed {
  ~throws_when_destroyed() noexcept(false) {}
};

weir::task<throws_when_destroyed> refused() { co_return {}; }
