// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/component_modules.hpp"
#include "wasm/binary/reader.hpp"

#include <cstring>

namespace weir::wasm::detail {

namespace {

constexpr std::size_t header_size = 8;
constexpr std::uint8_t core_module_section = 1;
constexpr std::uint8_t component_section = 4;
constexpr std::uint8_t last_section = 12;

// A component whose sections are being walked.
struct open_component {
  reader in;
  std::string path; // with a dot behind, unless empty
  std::uint32_t modules = 0;
  std::uint32_t components = 0;
};

class walker {
public:
  explicit walker(std::span<const std::byte> file) : file_{file} {}

  result<std::vector<embedded_module>> walk() {
    enter(reader{file_, sink_}, "");
    while (!open_.empty() && !sink_.has_failed) {
      if (open_.back().in.at_end())
        open_.pop_back();
      else
        section(open_.back());
    }
    if (sink_.has_failed) return std::unexpected(std::move(sink_.what));
    return std::move(found_);
  }

private:
  std::span<const std::byte> rest(const reader& in) const { return file_.subspan(in.offset(), in.remaining()); }

  void enter(reader in, std::string path) {
    switch (kind_of_binary(rest(in))) {
    case binary_kind::component: break;
    case binary_kind::core_module: return in.fail(errc::malformed, "this is a core module, not a component");
    case binary_kind::other: return in.fail(errc::malformed, "this is not a component");
    }
    in.skip(header_size);
    open_.push_back({in, std::move(path), 0, 0});
  }

  void section(open_component& component) {
    reader& in = component.in;
    const std::uint64_t where = in.offset();
    const std::uint8_t id = in.u8();
    if (id > last_section) return in.fail_at(where, errc::malformed, "malformed section id " + std::to_string(id));
    const std::uint32_t size = in.u32();
    if (in.failed()) return;
    if (size > in.remaining()) return in.fail_at(where, errc::malformed, text::length_out_of_bounds);
    reader contents = in.sub(size);
    if (id == core_module_section) {
      if (kind_of_binary(rest(contents)) != binary_kind::core_module)
        return contents.fail(errc::malformed, "the section of a core module holds none");
      found_.push_back(
          {component.path + std::to_string(component.modules++), contents.offset(), contents.end_offset()});
    } else if (id == component_section) {
      // The reference to `component` ends here: enter() may move it.
      enter(contents, component.path + std::to_string(component.components++) + ".");
    }
  }

  std::span<const std::byte> file_;
  failure_sink sink_;
  std::vector<open_component> open_;
  std::vector<embedded_module> found_;
};

} // namespace

binary_kind kind_of_binary(std::span<const std::byte> bytes) {
  constexpr unsigned char core[header_size] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  constexpr unsigned char component[header_size] = {0, 'a', 's', 'm', 13, 0, 1, 0};
  if (bytes.size() < header_size) return binary_kind::other;
  if (std::memcmp(bytes.data(), core, header_size) == 0) return binary_kind::core_module;
  if (std::memcmp(bytes.data(), component, header_size) == 0) return binary_kind::component;
  return binary_kind::other;
}

result<std::vector<embedded_module>> find_core_modules(std::span<const std::byte> component) {
  return walker{component}.walk();
}

} // namespace weir::wasm::detail
