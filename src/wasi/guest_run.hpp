// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests share that run guests: a program in a store of its own, with its output kept.
#include "wasi/testing.hpp"

#include <weir/runtime.hpp>
#include <weir/wasi/linker.hpp>
#include <weir/wasm/engine.hpp>
#include <weir/wasm/func.hpp>
#include <weir/wasm/instance.hpp>
#include <weir/wasm/linker.hpp>
#include <weir/wasm/module.hpp>
#include <weir/wasm/store.hpp>

#include <span>
#include <string>

namespace weir::wasi::testing {

inline wasm::module load_guest(const wasm::engine& engine, const std::string& file) {
  const std::string bytes = read_file(file);
  auto compiled = wasm::module::compile(engine, std::as_bytes(std::span{bytes}), host_path{file}.filename());
  EXPECT_TRUE(compiled.has_value()) << file << ": " << (compiled ? "" : compiled.error().to_string());
  return std::move(compiled).value();
}

inline std::string example(std::string_view name) {
  return std::string{WEIR_EXAMPLE_GUESTS "/"}.append(name) + ".wasm";
}
inline std::string test_guest(std::string_view name) {
  return std::string{WEIR_TEST_GUESTS "/"}.append(name) + ".wasm";
}

inline output kept(std::string& text) {
  return output::callback([&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::error_code{};
  });
}

/// A guest that keeps what it prints. The arguments are those after its name.
class guest_run {
public:
  guest_run(const wasm::engine& engine, const std::string& file, std::vector<std::string> args,
            context_options options = {}, std::optional<output> to = {})
      : module_{load_guest(engine, file)}, store_{engine} {
    options.args = std::move(args);
    options.args.insert(options.args.begin(), host_path{file}.stem());
    options.standard_output = to ? *std::move(to) : kept(out);
    options.standard_error = kept(err);
    context_.emplace(build(std::move(options)));
    store_.set_user_data(&*context_);
  }
  guest_run(const guest_run&) = delete;
  guest_run& operator=(const guest_run&) = delete;

  /// Runs _start. Gives the exit status, or -1 with the error in `failure`.
  task<int> run(const wasm::linker& linker) {
    auto made = co_await linker.instantiate_async(store_, module_);
    if (!made) co_return fail(made.error());
    const auto start = made->get_func("_start");
    if (!start) co_return -1;
    auto ended = co_await start->call_async(store_);
    if (ended) co_return 0;
    if (ended.error().code == wasm::errc::exited) co_return ended.error().exit_status;
    co_return fail(ended.error());
  }

  /// The same as a plain call, for linkers whose functions do not suspend.
  int run_here(const wasm::linker& linker) {
    auto made = linker.instantiate(store_, module_);
    if (!made) return fail(made.error());
    auto ended = made->get_func("_start")->call(store_, {});
    if (ended) return 0;
    return ended.error().code == wasm::errc::exited ? ended.error().exit_status : fail(ended.error());
  }

  wasm::interrupt_handle interrupts() const { return store_.interrupts(); }

  std::string out, err;
  wasm::error failure;

private:
  int fail(const wasm::error& why) {
    failure = why;
    return -1;
  }
  wasm::module module_;
  wasm::store store_;
  std::optional<context> context_;
};

} // namespace weir::wasi::testing
