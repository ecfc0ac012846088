// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/table.hpp>

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/values.hpp"

#include <algorithm>
#include <new>
#include <string>

namespace weir::wasm {

namespace detail {

namespace {
constexpr std::uint64_t most_elements = 0xffff'ffff;

bool is_inside(std::uint64_t from, std::uint64_t count, std::uint64_t size) {
  return count <= size && from <= size - count;
}
} // namespace

std::uint64_t table_grow(table_object& table, std::uint64_t count, std::uint64_t value) {
  const std::uint64_t old = table.size;
  if (count == 0) return old;
  const std::uint64_t most = std::min(table.type.size.max.value_or(most_elements), most_elements);
  if (old > most || count > most - old) return ~std::uint64_t{0};
  if (!table.store->charge_table(count)) return ~std::uint64_t{0};
  try {
    table.storage.resize(old + count, value);
  } catch (const std::bad_alloc&) {
    table.store->refund_table(count);
    return ~std::uint64_t{0};
  }
  table.elements = table.storage.data();
  table.size = table.storage.size();
  return old;
}

bool table_init(instance_object& instance, std::uint32_t table, std::uint32_t segment, std::uint64_t to,
                std::uint64_t from, std::uint64_t count) {
  table_object& into = *instance.tables[table];
  const std::vector<std::uint64_t>& values = instance.element_values[segment];
  if (!is_inside(from, count, values.size()) || !is_inside(to, count, into.size)) return false;
  std::copy_n(values.data() + from, count, into.elements + to);
  return true;
}

bool table_copy(table_object& to_table, table_object& from_table, std::uint64_t to, std::uint64_t from,
                std::uint64_t count) {
  if (!is_inside(from, count, from_table.size) || !is_inside(to, count, to_table.size)) return false;
  const std::uint64_t* source = from_table.elements + from;
  std::uint64_t* target = to_table.elements + to;
  if (target <= source)
    std::copy(source, source + count, target);
  else
    std::copy_backward(source, source + count, target + count);
  return true;
}

bool table_fill(table_object& table, std::uint64_t to, std::uint64_t value, std::uint64_t count) {
  if (!is_inside(to, count, table.size)) return false;
  std::fill_n(table.elements + to, count, value);
  return true;
}

void element_drop(instance_object& instance, std::uint32_t segment) {
  instance.dropped_elements[segment] = true;
  instance.element_values[segment] = {};
}

} // namespace detail

using detail::access;

result<table> table::create(store& owner, table_type type, value fill) {
  detail::store_data& store = access::of(owner);
  if (auto fits = detail::check_values(store, {&type.element, 1}, {&fill, 1}, "the elements of a table"); !fits)
    return std::unexpected(std::move(fits).error());
  auto made = store.add_table(type, fill.bits);
  if (!made) return std::unexpected(std::move(made).error());
  return access::make(**made);
}

result<table> table::create(store& owner, table_type type) { return create(owner, type, value{type.element, 0}); }

table_type table::type() const { return {object_->type.element, {object_->size, object_->type.size.max}}; }
std::uint64_t table::size() const { return object_->size; }

result<value> table::get(std::uint64_t index) const {
  if (index >= object_->size) return std::unexpected(detail::make_trap(trap_code::out_of_bounds_table_access));
  return detail::to_value(object_->type.element, object_->elements[index]);
}

result<void> table::set(std::uint64_t index, value element) const {
  if (index >= object_->size) return std::unexpected(detail::make_trap(trap_code::out_of_bounds_table_access));
  if (auto fits =
          detail::check_values(*object_->store, {&object_->type.element, 1}, {&element, 1}, "the elements of a table");
      !fits)
    return fits;
  object_->elements[index] = element.bits;
  return {};
}

result<std::uint64_t> table::grow(std::uint64_t count, value fill) const {
  if (auto fits =
          detail::check_values(*object_->store, {&object_->type.element, 1}, {&fill, 1}, "the elements of a table");
      !fits)
    return std::unexpected(std::move(fits).error());
  const std::uint64_t old = detail::table_grow(*object_, count, fill.bits);
  if (old != ~std::uint64_t{0}) return old;
  return std::unexpected(error{.code = errc::limit_exceeded,
                               .message = "a table of " + std::to_string(object_->size) + " elements cannot grow by " +
                                          std::to_string(count) + "; either its own maximum or the store's limit of " +
                                          std::to_string(object_->store->limits().max_table_elements) +
                                          " elements stands against it"});
}

} // namespace weir::wasm
