// SPDX-License-Identifier: Apache-2.0
#include "os/testing.hpp"
#include "wasi/guest_run.hpp"

#include <chrono>
#include <thread>

namespace weir::wasi {
namespace {

using namespace testing;

constexpr const char* names[] = {"args_get",
                                 "args_sizes_get",
                                 "clock_res_get",
                                 "clock_time_get",
                                 "environ_get",
                                 "environ_sizes_get",
                                 "fd_advise",
                                 "fd_allocate",
                                 "fd_close",
                                 "fd_datasync",
                                 "fd_fdstat_get",
                                 "fd_fdstat_set_flags",
                                 "fd_fdstat_set_rights",
                                 "fd_filestat_get",
                                 "fd_filestat_set_size",
                                 "fd_filestat_set_times",
                                 "fd_pread",
                                 "fd_prestat_dir_name",
                                 "fd_prestat_get",
                                 "fd_pwrite",
                                 "fd_read",
                                 "fd_readdir",
                                 "fd_renumber",
                                 "fd_seek",
                                 "fd_sync",
                                 "fd_tell",
                                 "fd_write",
                                 "path_create_directory",
                                 "path_filestat_get",
                                 "path_filestat_set_times",
                                 "path_link",
                                 "path_open",
                                 "path_readlink",
                                 "path_remove_directory",
                                 "path_rename",
                                 "path_symlink",
                                 "path_unlink_file",
                                 "poll_oneoff",
                                 "proc_exit",
                                 "proc_raise",
                                 "random_get",
                                 "sched_yield",
                                 "sock_accept",
                                 "sock_recv",
                                 "sock_send",
                                 "sock_shutdown"};

struct linker : ::testing::Test {
  wasm::engine engine;
  wasm::linker functions{engine};
  linker() { add_to_linker(functions); }
};

/// A module with one import of a function without parameters and results.
wasm::result<wasm::module> module_with_import(const wasm::engine& engine, std::string_view module,
                                              std::string_view name) {
  std::string bytes{"\0asm\1\0\0\0\1\4\1\x60\0\0\2", 15};
  bytes += static_cast<char>(5 + module.size() + name.size());
  bytes += '\1';
  bytes += static_cast<char>(module.size());
  bytes += module;
  bytes += static_cast<char>(name.size());
  bytes += name;
  bytes += std::string("\0\0", 2);
  return wasm::module::compile(engine, std::as_bytes(std::span{bytes}), "small.wasm");
}

TEST_F(linker, all_46_functions_are_defined) {
  EXPECT_EQ(std::size(names), 46u);
  for (const char* name : names) EXPECT_TRUE(functions.has("wasi_snapshot_preview1", name)) << name;
}

TEST_F(linker, other_forms_of_wasi_are_refused_with_a_way_out) {
  const auto older = module_with_import(engine, "wasi_unstable", "fd_write");
  ASSERT_TRUE(older.has_value()) << older.error().to_string();
  const auto checked = check_imports(*older);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().code, wasm::errc::unlinkable);
  EXPECT_EQ(checked.error().message,
            "the import wasi_unstable.fd_write of small.wasm is of WASI's older snapshot 0, which is "
            "not offered; build the program for wasm32-wasip1");
  EXPECT_FALSE(check_imports(*module_with_import(engine, "wasi:io/poll@0.2.0", "poll")).has_value());
  EXPECT_TRUE(check_imports(*module_with_import(engine, "env", "anything")).has_value());
  EXPECT_TRUE(check_imports(load_guest(engine, example("sieve"))).has_value());
}

TEST_F(linker, a_guest_gives_way_in_sched_yield) {
  runtime one{{.permits = 1, .slice = std::chrono::hours(1)}}; // nobody but the guests decides when they give way
  std::vector<const void*> turns; // whose each was; the guests share the permit, so never at a time
  // WASI's own fd_write is a blocking region, which a late monitor takes the permit from: this one keeps it.
  const auto write = [&turns](wasm::caller& from, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t written) {
    turns.push_back(from.user_data());
    from.get_memory()->bytes()[written] = std::byte{1};
    return std::uint32_t{0};
  };
  functions.define_function("wasi_snapshot_preview1", "fd_write", write);
  guest_run a{engine, test_guest("yielder"), {"a", "20"}};
  guest_run b{engine, test_guest("yielder"), {"b", "20"}};
  // Both are spawned under the permit, so neither runs before the other is queued.
  const auto both = [&]() -> task<int> {
    auto first = one.spawn(a.run(functions));
    auto second = one.spawn(b.run(functions));
    const int status = (co_await std::move(first)).value();
    co_return status + (co_await std::move(second)).value();
  };
  const auto outside = [&]() -> task<int> { co_return (co_await one.spawn(both())).value(); };
  EXPECT_EQ(one.block_on(outside()), 0);
  ASSERT_EQ(turns.size(), 40u);
  for (std::size_t i = 1; i < turns.size(); ++i) EXPECT_NE(turns[i], turns[i - 1]) << "turn " << i;
}

TEST_F(linker, without_suspension_a_guest_runs_in_a_plain_call) {
  wasm::linker plain{engine};
  add_to_linker(plain, linker_options{.suspends = false});
  guest_run guest{engine, test_guest("yielder"), {"x", "3"}};
  EXPECT_EQ(guest.run_here(plain), 0) << guest.failure.to_string();
  EXPECT_EQ(guest.out, "xxx");
}

TEST_F(linker, the_context_can_be_found_in_another_way) {
  wasm::linker plain{engine};
  struct user {
    int other = 0;
    context* wasi = nullptr;
  } mine;
  add_to_linker(plain, [](wasm::caller& from) -> context& { return *static_cast<user*>(from.user_data())->wasi; },
                {.suspends = false});
  std::string out;
  context_options options;
  options.args = {"yielder", "x", "2"};
  options.standard_output = kept(out);
  context own = build(std::move(options));
  mine.wasi = &own;
  wasm::store store{engine};
  store.set_user_data(&mine);
  const auto made = plain.instantiate(store, load_guest(engine, test_guest("yielder")));
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->get_func("_start")->call(store, {}).has_value());
  EXPECT_EQ(out, "xx");
}

TEST_F(linker, cancellation_ends_a_guest_that_waits) {
  rt::os::testing::pipe_pair pipe;
  context_options options;
  options.standard_input = input::descriptor(pipe.reader.get());
  const cancel_token cancel = options.cancel;
  guest_run guest{engine, example("reader"), {}, std::move(options)};
  rt::os::testing::write_all(pipe.writer, "first\n");
  runtime one{{.permits = 1}};
  auto running = one.spawn(guest.run(functions));
  std::thread canceller([&] { cancel.cancel(); });
  EXPECT_EQ(one.block_on([](join_handle<int> handle) -> task<int> {
    co_return (co_await std::move(handle)).value();
  }(std::move(running))),
            -1);
  canceller.join();
  EXPECT_EQ(guest.failure.code, wasm::errc::interrupted);
}

} // namespace
} // namespace weir::wasi
