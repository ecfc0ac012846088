// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/task.hpp>
#include <weir/wasm/detail/host_function.hpp>
#include <weir/wasm/instance.hpp>
#include <weir/wasm/module.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace weir::wasm {

/// Names what modules may import and instantiates them. A later definition of a name replaces an earlier one.
///
/// Host functions belong to no store: one linker serves any number of stores on any number of threads. Other
/// definitions belong to the store they came from, and only modules instantiated in that store may import them.
///
/// Thread: defining needs the linker alone; any number of threads may instantiate from one.
class linker {
public:
  explicit linker(const engine& owner);

  const engine& owner() const noexcept { return engine_; }

  /// Names something that exists in a store.
  ///
  /// Errors: errc::type_mismatch when it belongs to a store of another engine.
  result<void> define(std::string module_name, std::string name, extern_value item);

  /// Names a host function whose type follows from the callable's own.
  ///
  /// Parameters are value types as value_traits knows them, after an optional first `caller&`. The result is void, a
  /// value, a std::tuple of values, a result<> of one of these, where an error ends the guest and is what its caller
  /// gets, or a task<> of any of these, which suspends the guest until the coroutine ends. A callable must have one
  /// signature: no generic lambda.
  ///
  /// Thread: the callable runs on the threads of all the stores that use it.
  template <class Callable> void define_function(std::string module_name, std::string name, Callable&& callable) {
    using adapter = detail::host_adapter<std::decay_t<Callable>>;
    define_host(std::move(module_name), std::move(name), adapter::type(),
                std::make_shared<adapter>(std::forward<Callable>(callable)));
  }

  /// Names a host function of a type known at run time.
  void define_untyped(std::string module_name, std::string name, func_type type, untyped_function callable);

  /// Names every export of an instance.
  ///
  /// Errors: errc::type_mismatch when it belongs to a store of another engine.
  result<void> define_instance(const std::string& module_name, const instance& from);

  /// Whether an import of that name would be found, whatever its type.
  bool has(std::string_view module_name, std::string_view name) const;

  /// Makes an instance: checks the imports, allocates, runs the active segments, calls the start function.
  ///
  /// When a segment or the start function traps, what was written before stays written.
  ///
  /// Errors: errc::unlinkable with the import's name; errc::limit_exceeded; errc::trap and what else can end a guest.
  result<instance> instantiate(store& owner, const wasm::module& blueprint) const;

  /// The same with the start function as a coroutine of a weir runtime; the rest is done at once.
  ///
  /// Suspends: as func::call_async().
  /// Cancels:  as func::call_async(); the half-made instance stays in the store, out of reach.
  /// Lifetime: the store must outlive the coroutine.
  task<result<instance>> instantiate_async(store& owner, const wasm::module& blueprint) const;

private:
  friend struct detail::access;
  using host_pointer = std::shared_ptr<const detail::host_definition>;
  using definition = std::variant<extern_value, host_pointer>;
  void define_host(std::string module_name, std::string name, func_type type,
                   std::shared_ptr<detail::host_function> callable);
  result<void> check_engine(const extern_value& item) const;
  const definition* find(std::string_view module_name, std::string_view name) const;
  result<std::vector<extern_value>> resolve(store& owner, const wasm::module& blueprint) const;
  result<instance> prepare(store& owner, const wasm::module& blueprint) const;

  engine engine_;
  std::map<std::string, std::map<std::string, definition, std::less<>>, std::less<>> definitions_; // module, name
};

} // namespace weir::wasm
