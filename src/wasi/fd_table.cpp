// SPDX-License-Identifier: Apache-2.0
#include "wasi/fd_table.hpp"

#include <algorithm>

namespace weir::wasi {

std::expected<std::uint32_t, abi::errc> fd_table::insert(descriptor added) {
  if (is_full()) return std::unexpected(abi::errc::mfile);
  while (first_free_ < slots_.size() && slots_[first_free_]) ++first_free_;
  if (first_free_ == slots_.size()) slots_.emplace_back();
  slots_[first_free_] = std::make_unique<descriptor>(std::move(added));
  ++used_;
  return static_cast<std::uint32_t>(first_free_++);
}

abi::errc fd_table::remove(std::uint32_t number) {
  if (!find(number)) return abi::errc::badf;
  slots_[number].reset();
  --used_;
  first_free_ = std::min<std::size_t>(first_free_, number);
  return abi::errc::success;
}

abi::errc fd_table::renumber(std::uint32_t from, std::uint32_t to) {
  if (!find(from) || !find(to)) return abi::errc::badf;
  if (from == to) return abi::errc::success;
  if (slots_[from]->preopen_name || slots_[to]->preopen_name) return abi::errc::notsup;
  slots_[to] = std::move(slots_[from]);
  --used_;
  first_free_ = std::min<std::size_t>(first_free_, from);
  return abi::errc::success;
}

} // namespace weir::wasi
