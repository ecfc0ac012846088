// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/module_code.hpp"

#include "wasm/binary/validator.hpp"
#include "wasm/code/handlers.hpp"
#include "wasm/code/translator.hpp"

#include <algorithm>
#include <utility>

namespace weir::wasm::detail {
namespace {

constexpr std::uint64_t near_slots = 0x10000;
constexpr std::uint64_t most_slots = 1u << 26;

} // namespace

module_code::module_code(std::shared_ptr<const module_data> data, const translate_options& options)
    : data_{std::move(data)}, options_{options}, functions_{std::make_unique<function_code[]>(data_->bodies.size())} {
  for (std::uint32_t i = 0; i < data_->bodies.size(); ++i) {
    function_code& one = functions_[i];
    one.module = this;
    one.index = data_->imported_functions + i;
    const func_type& type = data_->function_type(one.index);
    one.param_count = static_cast<std::uint32_t>(type.params.size());
    one.result_count = static_cast<std::uint32_t>(type.results.size());
    one.stub[0].word = translate_handler();
    one.stub[1].word = reinterpret_cast<std::uintptr_t>(&one);
    one.entry.store(one.stub, std::memory_order_relaxed);
  }
}

module_code::~module_code() = default;

result<void> module_code::translate(function_code& function) {
  const std::scoped_lock guard{lock_};
  if (function.is_translated()) return {};
  if (options_.validates_bodies) {
    if (auto valid = validate_body(*data_, function.index); !valid) return valid;
  }
  translation code = translator{*this, function, false}.run();
  if (code.slot_count > near_slots) code = translator{*this, function, true}.run();
  if (code.slot_count > most_slots) {
    error why;
    why.code = errc::limit_exceeded;
    why.message = "a function needs more than 67,108,864 value slots; split it";
    why.function_index = function.index;
    return std::unexpected{std::move(why)};
  }
  assemble(code, function);
  const cell* begin = function.cells.get();
  const code_range range{begin, begin + function.cell_count, &function};
  ranges_.insert(std::ranges::upper_bound(ranges_, begin, std::less<>{}, &code_range::begin), range);
  function.entry.store(begin, std::memory_order_release); // O1
  return {};
}

result<std::size_t> module_code::translate_all() {
  for (std::size_t i = 0; i < data_->bodies.size(); ++i)
    if (auto done = translate(functions_[i]); !done) return std::unexpected{std::move(done).error()};
  return code_bytes();
}

std::size_t module_code::code_bytes() const {
  const std::scoped_lock guard{lock_};
  std::size_t cells = 0;
  for (const code_range& range : ranges_) cells += static_cast<std::size_t>(range.end - range.begin);
  return cells * sizeof(cell);
}

const function_code* module_code::find(const cell* at) const {
  const std::scoped_lock guard{lock_};
  const auto after = std::ranges::upper_bound(ranges_, at, std::less<>{}, &code_range::begin);
  if (after == ranges_.begin()) return nullptr;
  const code_range& range = *std::prev(after);
  return at < range.end ? range.function : nullptr;
}

} // namespace weir::wasm::detail
