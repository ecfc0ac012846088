// SPDX-License-Identifier: Apache-2.0
// From cells to functions and their names, by walking the control stack.
#include "wasm/code/module_code.hpp"
#include "wasm/interp/machine.hpp"

#include <algorithm>
#include <string>

namespace weir::wasm::detail {
namespace {

std::string name_of(const module_data& module, std::uint32_t function) {
  if (const auto name = module.function_name(function); !name.empty()) return std::string{name};
  for (const module_export& item : module.exports)
    if (item.kind == extern_kind::function && item.index == function) return item.name;
  return {};
}

} // namespace

const function_code* machine::function_at(const cell* at, const instance_object* where) const {
  if (at == nullptr || is_own(at) || where == nullptr) return nullptr;
  return where->module->find(at);
}

std::vector<stack_frame> machine::backtrace(std::size_t most) const {
  std::vector<stack_frame> frames;
  const cell* at = saved.ip;
  const instance_object* where = instance;
  const call_record* record = saved.records;
  auto caller = callers.end();
  while (is_running && frames.size() < most) {
    if (at == restore) {
      where = *--caller;
    } else if (const function_code* function = function_at(at, where)) {
      const module_data& module = function->module->data();
      frames.push_back({function->index, name_of(module, function->index), module.name});
    }
    if (record == records.get()) break;
    at = (--record)->return_to;
  }
  return frames;
}

} // namespace weir::wasm::detail
