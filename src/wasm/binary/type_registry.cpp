// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/type_registry.hpp"

namespace weir::wasm::detail {

std::size_t type_registry::hash::operator()(const func_type& type) const noexcept {
  std::uint64_t sum = type.params.size();
  const auto mix = [&sum](std::uint32_t code) {
    sum = (sum ^ code) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  };
  for (value_type one : type.params) mix(one.code);
  for (value_type one : type.results) mix(one.code);
  return static_cast<std::size_t>(sum);
}

std::uint32_t type_registry::intern(const func_type& type) {
  const std::lock_guard lock{mutex_};
  const auto [at, is_new] = ids_.try_emplace(type, static_cast<std::uint32_t>(types_.size()));
  if (is_new) types_.push_back(&at->first);
  return at->second;
}

const func_type& type_registry::type(std::uint32_t id) const {
  const std::lock_guard lock{mutex_};
  return *types_[id];
}

std::size_t type_registry::size() const {
  const std::lock_guard lock{mutex_};
  return types_.size();
}

} // namespace weir::wasm::detail
