// SPDX-License-Identifier: Apache-2.0
#include "run/plan.hpp"

#include "support/program_file.hpp"

#include <fmt/format.h>

#include <map>

namespace weir::cli {

std::vector<guest_plan> plan_guests(const run_request& request) {
  struct use {
    std::size_t guests = 0;
    std::size_t numbered = 0;
  };
  std::map<std::string, use> names;
  for (const program_request& program : request.programs)
    names[program_name(program.path)].guests += program.options.copies;

  std::vector<guest_plan> guests;
  for (std::size_t index = 0; index < request.programs.size(); ++index) {
    const program_request& program = request.programs[index];
    const std::string name = program_name(program.path);
    use& used = names[name];
    for (std::size_t copy = 0; copy < program.options.copies; ++copy)
      guests.push_back({used.guests == 1 ? name : fmt::format("{}.{}", name, ++used.numbered), index, guests.empty()});
  }
  return guests;
}

} // namespace weir::cli
