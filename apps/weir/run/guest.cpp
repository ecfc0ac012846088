// SPDX-License-Identifier: Apache-2.0
#include "run/guest.hpp"

#include "run/guest_streams.hpp"
#include "run/stats.hpp"
#include "support/console.hpp"
#include "support/program_file.hpp"
#include "support/value_text.hpp"

#include <weir/time.hpp>
#include <weir/wasm/memory.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace weir::cli {
namespace {

wasm::store_limits limits_of(const program_options& options) {
  wasm::store_limits limits;
  if (options.max_memory) limits.max_memory_bytes = *options.max_memory;
  return limits;
}

wasi::context_options context_of(const guest_plan& plan, const program_request& request, guest_output& output,
                                 const wasi::cancel_token& cancel) {
  wasi::context_options options;
  options.args.push_back(program_name(request.path) + ".wasm");
  // With --invoke the words after the program are the function's arguments.
  if (!request.options.invoke) options.args.insert(options.args.end(), request.args.begin(), request.args.end());
  options.env = request.options.environment;
  for (const auto& [host, inside] : request.options.folders) options.directories.push_back({host, inside});
  if (plan.has_standard_input) options.standard_input = guest_input();
  options.standard_output = output.standard_output();
  options.standard_error = output.standard_error();
  options.cancel = cancel;
  return options;
}

} // namespace

std::expected<std::unique_ptr<guest>, std::string>
guest::prepare(const guest_plan& plan, const program_request& request, const program& loaded,
               const wasm::linker& linker, const wasm::engine& engine, wasi::cancel_token cancel, bool has_prefix) {
  std::unique_ptr<guest> made{new guest{plan, request, loaded, linker, engine, std::move(cancel), has_prefix}};
  auto context = wasi::context::build(context_of(plan, request, made->output_, made->cancel_));
  if (!context) return std::unexpected(context.error().to_string());
  made->wasi_ = std::make_unique<wasi::context>(*std::move(context));
  made->store_.set_user_data(made->wasi_.get());
  return made;
}

guest::guest(const guest_plan& plan, const program_request& request, const program& loaded, const wasm::linker& linker,
             const wasm::engine& engine, wasi::cancel_token cancel, bool has_prefix)
    : name_{plan.name},
      request_{request},
      program_{loaded},
      linker_{linker},
      output_{plan.name, has_prefix},
      cancel_{std::move(cancel)},
      store_{engine, limits_of(request.options)},
      interrupts_{store_.interrupts()} {}

void guest::stop() noexcept {
  interrupts_.cancel();
  cancel_.cancel();
}

std::uint64_t guest::memory_pages() const { return store_.usage().memory_bytes / wasm::memory::page_bytes; }

task<wasm::result<void>> guest::run() {
  wasm::result<void> ended;
  try {
    task<wasm::result<void>> running = run_inside();
    ended = co_await std::move(running);
  } catch (const std::exception& thrown) {
    ended = std::unexpected(wasm::error{.code = wasm::errc::host_error, .message = thrown.what()});
  }
  output_.finish();
  co_return ended;
}

task<wasm::result<void>> guest::run_inside() {
  task<wasm::result<wasm::instance>> starting = linker_.instantiate_async(store_, program_.blueprint);
  wasm::result<wasm::instance> started = co_await std::move(starting);
  if (!started) co_return std::unexpected(std::move(started).error());
  if (request_.options.invoke) {
    task<wasm::result<void>> invoking = invoke(*started);
    co_return co_await std::move(invoking);
  }
  task<wasm::result<std::vector<wasm::value>>> calling = started->get_func("_start")->call_async(store_);
  wasm::result<std::vector<wasm::value>> called = co_await std::move(calling);
  if (!called) co_return std::unexpected(std::move(called).error());
  co_return wasm::result<void>{};
}

task<wasm::result<void>> guest::invoke(wasm::instance on) {
  // A library that needs to be set up says so by this export.
  if (const auto initialize = on.get_func("_initialize"); initialize && initialize->type() == wasm::func_type{}) {
    task<wasm::result<std::vector<wasm::value>>> calling = initialize->call_async(store_);
    wasm::result<std::vector<wasm::value>> called = co_await std::move(calling);
    if (!called) co_return std::unexpected(std::move(called).error());
  }
  const wasm::func function = *on.get_func(*request_.options.invoke);
  task<wasm::result<std::vector<wasm::value>>> calling = function.call_async(store_, program_.arguments);
  wasm::result<std::vector<wasm::value>> called = co_await std::move(calling);
  if (!called) co_return std::unexpected(std::move(called).error());
  if (!called->empty()) output_.print(format_values(*called));
  if (!request_.options.repeat) co_return wasm::result<void>{};
  task<wasm::result<void>> repeating = repeat(function, *request_.options.repeat);
  co_return co_await std::move(repeating);
}

task<wasm::result<void>> guest::repeat(wasm::func function, std::size_t count) {
  std::vector<std::chrono::nanoseconds> times;
  for (std::size_t i = 0; i < count; ++i) {
    task<wasm::result<std::vector<wasm::value>>> calling = function.call_async(store_, program_.arguments);
    const time_point begin = now();
    wasm::result<std::vector<wasm::value>> called = co_await std::move(calling);
    times.push_back(now() - begin);
    if (!called) co_return std::unexpected(std::move(called).error());
  }
  output_.print(repeat_line(times));
  co_return wasm::result<void>{};
}

} // namespace weir::cli
