// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/global.hpp>

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/values.hpp"

#include <weir/check.hpp>
#include <weir/wasm/tag.hpp>

namespace weir::wasm {

using detail::access;

result<global> global::create(store& owner, global_type type, value initial) {
  detail::store_data& store = access::of(owner);
  if (auto fits = detail::check_values(store, {&type.value, 1}, {&initial, 1}, "the value of a global"); !fits)
    return std::unexpected(std::move(fits).error());
  return access::make(store.add_global(type, initial.bits));
}

global_type global::type() const { return object_->type; }
value global::get() const { return detail::to_value(object_->type.value, object_->value); }

result<void> global::set(value next) const {
  if (!object_->type.is_mutable)
    return std::unexpected(error{.code = errc::type_mismatch, .message = "the global is immutable"});
  if (auto fits = detail::check_values(*object_->store, {&object_->type.value, 1}, {&next, 1}, "the value of a global");
      !fits)
    return fits;
  object_->value = next.bits;
  return {};
}

tag tag::create(store& owner, func_type type) {
  WEIR_CHECK(type.results.empty(), "a tag has parameters only", type.results.size());
  return access::make(access::of(owner).add_tag(std::move(type)));
}

func_type tag::type() const { return *object_->type; }

} // namespace weir::wasm
