// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"

#include <exception>
#include <string>
#include <vector>

int main(int count, char** words) {
  try {
    const std::vector<std::string> rest(words + (count > 0 ? 1 : 0), words + count);
    return weir::cli::run_command(rest);
  } catch (const std::exception& thrown) {
    weir::cli::complain(thrown.what());
    return weir::cli::exit_code::failure;
  }
}
