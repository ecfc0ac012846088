// SPDX-License-Identifier: Apache-2.0
#pragma once

// Host functions as the store keeps them. A definition belongs to no store; each store that uses it has one func_object
// for it.
#include "wasm/runtime/objects.hpp"

#include <weir/wasm/detail/host_function.hpp>
#include <weir/wasm/func.hpp>

#include <memory>
#include <utility>

namespace weir::wasm::detail {

struct engine_data;

struct host_definition {
  func_type type;
  std::uint32_t type_id = 0;
  std::shared_ptr<host_function> callable;
};

struct linked_host final : host_data {
  explicit linked_host(std::shared_ptr<const host_definition> of) : definition{std::move(of)} {}
  std::shared_ptr<const host_definition> definition;
};

/// The host_entry of every host function of the runtime. A C++ exception stops here and goes on in the driver of the
/// call.
host_status enter_host(func_object& self, activation& from, std::uint64_t* slots);

std::shared_ptr<const host_definition> make_host_definition(engine_data& engine, func_type type,
                                                            std::shared_ptr<host_function> callable);
/// Wraps a function of a type known at run time; its results are checked against `type`.
std::shared_ptr<host_function> make_untyped(func_type type, untyped_function callable);

} // namespace weir::wasm::detail
