// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/store.hpp>

#include "wasm/runtime/access.hpp"

#include <weir/check.hpp>

namespace weir::wasm {

using detail::access;

engine::engine(engine_options options) : data_{std::make_shared<detail::engine_data>(options)} {}
const engine_options& engine::options() const noexcept { return data_->options; }

void interrupt_handle::cancel() noexcept { control_->cancel(); }
bool interrupt_handle::is_cancelled() const noexcept { return control_->is_cancelled(); }

store::store(const engine& owner, store_limits limits)
    : data_{std::make_shared<detail::store_data>(access::of(owner), limits)} {}

engine store::owner() const { return access::make(data_->shared_engine()); }
interrupt_handle store::interrupts() const { return access::make(data_->interrupts()); }
store_usage store::usage() const { return data_->usage(); }
void store::set_user_data(void* data) noexcept { data_->user_data = data; }
void* store::user_data() const noexcept { return data_->user_data; }

value store::make_externref(std::shared_ptr<void> data) {
  detail::extern_object& made = data_->add_extern();
  made.data = std::move(data);
  return {externref, detail::reference_to(&made)};
}

value store::make_externref(std::uint64_t number) {
  return {externref, detail::reference_to(&data_->extern_of_number(number))};
}

namespace {
const detail::extern_object* host_data_of(value reference) {
  WEIR_CHECK(reference.type == externref, "only an externref has host data", reference.type.code);
  return detail::referent<const detail::extern_object>(reference.bits);
}
} // namespace

std::shared_ptr<void> store::externref_data(value reference) const {
  const detail::extern_object* object = host_data_of(reference);
  return object == nullptr ? nullptr : object->data;
}

std::optional<std::uint64_t> store::externref_number(value reference) const {
  const detail::extern_object* object = host_data_of(reference);
  return object == nullptr ? std::nullopt : object->number;
}

} // namespace weir::wasm
