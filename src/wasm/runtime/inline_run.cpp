// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/inline_run.hpp"

#include <weir/detail/task_header.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace weir::wasm::detail {

namespace {

// The frame under the host coroutine. It is destroyed here, suspended at its end or in the middle of the host's.
struct root {
  struct promise_type {
    root get_return_object() { return root{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_always final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { thrown = std::current_exception(); }
    std::exception_ptr thrown;
  };

  explicit root(std::coroutine_handle<promise_type> of) : frame{of} {}
  root(const root&) = delete;
  root& operator=(const root&) = delete;
  ~root() { frame.destroy(); }
  std::coroutine_handle<promise_type> frame;
};

root await_into(task<host_values> body, std::optional<host_values>* out) { out->emplace(co_await std::move(body)); }

} // namespace

std::optional<host_values> run_inline(task<host_values> body) {
  std::optional<host_values> out;
  if (weir::detail::current_task() != nullptr) return out;
  const root bottom = await_into(std::move(body), &out);
  bottom.frame.resume();
  if (std::exception_ptr thrown = bottom.frame.promise().thrown) std::rethrow_exception(std::move(thrown));
  return out;
}

} // namespace weir::wasm::detail
