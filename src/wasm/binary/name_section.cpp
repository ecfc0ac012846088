// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/module_decoder.hpp"

#include <algorithm>

namespace weir::wasm::detail {

// The name section is a hint: what cannot be read of it is left out, and nothing in it makes a module malformed. It has
// a sink of its own for that reason.
void module_decoder::names(reader whole) {
  constexpr std::uint8_t module_name = 0, function_names = 1;
  failure_sink ignored;
  const auto* file = reinterpret_cast<const std::uint8_t*>(module_.bytes.data());
  reader in{file, file + whole.offset(), file + whole.end_offset(), ignored};
  while (!in.at_end()) {
    const std::uint8_t kind = in.u8();
    const std::uint32_t size = in.u32();
    reader part = in.sub(size);
    if (kind == module_name) {
      const std::string_view name = part.name();
      if (!in.failed()) module_.name = name;
    }
    if (kind != function_names) continue;
    const std::uint32_t number = part.count(2);
    module_.function_names.reserve(module_.function_names.size() + number);
    for (std::uint32_t i = 0; i < number && !part.failed(); ++i) {
      const std::uint32_t index = part.u32();
      const std::string_view name = part.name();
      if (!part.failed()) module_.function_names.emplace_back(index, name);
    }
  }
  std::ranges::sort(module_.function_names, {}, &std::pair<std::uint32_t, std::string>::first);
}

} // namespace weir::wasm::detail
