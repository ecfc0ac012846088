// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/host_call.hpp"

#include "wasm/runtime/access.hpp"
#include "wasm/runtime/guest_call.hpp"
#include "wasm/runtime/store_data.hpp"
#include "wasm/runtime/values.hpp"

#include <exception>

namespace weir::wasm::detail {

host_status enter_host(func_object& self, activation& from, std::uint64_t* slots) {
  auto& call = static_cast<guest_call&>(from);
  try {
    caller guest = access::make_caller(call);
    switch (static_cast<linked_host&>(*self.data).definition->callable->invoke(guest, slots)) {
    case host_reply::done: return host_status::done;
    case host_reply::failed: return host_status::fail;
    case host_reply::suspended: return host_status::suspend;
    }
  } catch (...) {
    call.thrown = std::current_exception();
    call.fail(error{.code = errc::host_error, .message = "a host function threw a C++ exception"});
  }
  return host_status::fail;
}

std::shared_ptr<const host_definition> make_host_definition(engine_data& engine, func_type type,
                                                            std::shared_ptr<host_function> callable) {
  const std::uint32_t id = engine.types.intern(type);
  return std::make_shared<host_definition>(host_definition{std::move(type), id, std::move(callable)});
}

namespace {

class untyped_adapter final : public host_function {
public:
  untyped_adapter(func_type type, untyped_function callable) : type_{std::move(type)}, callable_{std::move(callable)} {}

  host_reply invoke(caller& from, std::uint64_t* slots) override {
    const std::vector<value> arguments = to_values(type_.params, {slots, type_.params.size()});
    result<std::vector<value>> outcome = callable_(from, arguments);
    if (!outcome) return host_access::fail(from, std::move(outcome).error());
    store_data& store = access::of(from.owner());
    if (auto fits = check_values(store, type_.results, *outcome, "the results of a host function"); !fits)
      return host_access::fail(from, std::move(fits).error());
    for (std::size_t i = 0; i < outcome->size(); ++i) slots[i] = (*outcome)[i].bits;
    return host_reply::done;
  }

private:
  func_type type_;
  untyped_function callable_;
};

} // namespace

std::shared_ptr<host_function> make_untyped(func_type type, untyped_function callable) {
  return std::make_shared<untyped_adapter>(std::move(type), std::move(callable));
}

host_reply host_access::fail(caller& from, error why) {
  access::call_of(from).fail(std::move(why));
  return host_reply::failed;
}

host_reply host_access::suspend(caller& from, task<host_values> rest) {
  access::call_of(from).pending.emplace(std::move(rest));
  return host_reply::suspended;
}

caller host_access::clone(const caller& from) { return access::make_caller(access::call_of(from)); }

} // namespace weir::wasm::detail

namespace weir::wasm {

std::optional<memory> caller::get_memory(std::string_view name) const {
  return detail::access::get<memory>(activation_->calling_instance(), name);
}

std::optional<func> caller::get_func(std::string_view name) const {
  return detail::access::get<func>(activation_->calling_instance(), name);
}

std::vector<stack_frame> caller::backtrace() const { return activation_->backtrace(); }

} // namespace weir::wasm
