// SPDX-License-Identifier: Apache-2.0
// Names the functions for guests. The callables belong to the linker and are called by many guests at a time, so they
// hold nothing that changes; all state is in the context that they find through the caller.
#include <weir/wasi/linker.hpp>

#include "os/thread.hpp"
#include "wasi/functions.hpp"

#include <weir/blocking.hpp>
#include <weir/checkpoint.hpp>
#include <weir/task.hpp>
#include <weir/wasm/linker.hpp>
#include <weir/wasm/memory.hpp>

#include <string>

namespace weir::wasi {

namespace {

using detail::errc;
using detail::guest_state;

constexpr const char* module_name = "wasi_snapshot_preview1";

wasm::error stopped(const char* function) {
  return {.code = wasm::errc::interrupted, .message = std::string{"cancelled in "} + function};
}

/// The memory that pointers refer to: the caller's export of that name, as WASI demands. Without one every pointer is
/// bad.
guest_memory memory_of(const wasm::caller& from) {
  const auto memory = from.get_memory();
  return memory ? guest_memory{memory->bytes()} : guest_memory{};
}

class definer {
public:
  definer(wasm::linker& linker, context_finder find) : linker_{linker}, find_{std::move(find)} {}

  template <class... A> definer& operator()(const char* name, errc (*function)(guest_state&, guest_memory, A...)) {
    linker_.define_function(
        module_name, name,
        [find = find_, function, name](wasm::caller& from, A... arguments) -> wasm::result<std::uint32_t> {
          const errc code = function(find(from).state(), memory_of(from), arguments...);
          if (code == errc::interrupted) return std::unexpected(stopped(name));
          return static_cast<std::uint32_t>(code);
        });
    return *this;
  }

private:
  wasm::linker& linker_;
  context_finder find_;
};

task<wasm::result<std::uint32_t>> give_way(cancel_token cancel) {
  co_await weir::yield();
  if (cancel.is_cancelled()) co_return std::unexpected(stopped("sched_yield"));
  co_return 0u;
}

void define_process(wasm::linker& linker, const context_finder& find, linker_options options) {
  linker.define_function(module_name, "proc_exit", [](std::uint32_t status) -> wasm::result<void> {
    return std::unexpected(wasm::error{.code = wasm::errc::exited,
                                       .message = "the guest ended with exit status " + std::to_string(status),
                                       .exit_status = static_cast<int>(status)});
  });
  if (options.suspends) {
    linker.define_function(module_name, "sched_yield",
                           [find](wasm::caller& from) { return give_way(find(from).cancel()); });
    return;
  }
  linker.define_function(module_name, "sched_yield", [find](wasm::caller& from) -> wasm::result<std::uint32_t> {
    weir::blocking([] { rt::os::yield_thread(); });
    if (find(from).cancel().is_cancelled()) return std::unexpected(stopped("sched_yield"));
    return 0u;
  });
}

} // namespace

void add_to_linker(wasm::linker& linker, context_finder find, linker_options options) {
  using namespace detail;
  define_process(linker, find, options);
  definer define{linker, std::move(find)};
  define("args_get", args_get)("args_sizes_get", args_sizes_get)("environ_get", environ_get);
  define("environ_sizes_get", environ_sizes_get)("proc_raise", proc_raise)("random_get", random_get);
  define("clock_res_get", clock_res_get)("clock_time_get", clock_time_get)("poll_oneoff", poll_oneoff);
  define("fd_advise", fd_advise)("fd_allocate", fd_allocate)("fd_close", fd_close)("fd_datasync", fd_datasync);
  define("fd_fdstat_get", fd_fdstat_get)("fd_fdstat_set_flags", fd_fdstat_set_flags);
  define("fd_fdstat_set_rights", fd_fdstat_set_rights)("fd_filestat_get", fd_filestat_get);
  define("fd_filestat_set_size", fd_filestat_set_size)("fd_filestat_set_times", fd_filestat_set_times);
  define("fd_pread", fd_pread)("fd_prestat_get", fd_prestat_get)("fd_prestat_dir_name", fd_prestat_dir_name);
  define("fd_pwrite", fd_pwrite)("fd_read", fd_read)("fd_readdir", fd_readdir)("fd_renumber", fd_renumber);
  define("fd_seek", fd_seek)("fd_sync", fd_sync)("fd_tell", fd_tell)("fd_write", fd_write);
  define("path_create_directory", path_create_directory)("path_filestat_get", path_filestat_get);
  define("path_filestat_set_times", path_filestat_set_times)("path_link", path_link)("path_open", path_open);
  define("path_readlink", path_readlink)("path_remove_directory", path_remove_directory);
  define("path_rename", path_rename)("path_symlink", path_symlink)("path_unlink_file", path_unlink_file);
  define("sock_accept", sock_accept)("sock_recv", sock_recv)("sock_send", sock_send)("sock_shutdown", sock_shutdown);
}

void add_to_linker(wasm::linker& linker, linker_options options) {
  add_to_linker(
      linker, [](wasm::caller& from) -> context& { return *static_cast<context*>(from.user_data()); }, options);
}

wasm::result<void> check_imports(const wasm::module& module) {
  for (const wasm::import_type& each : module.imports()) {
    std::string reason;
    if (each.module == "wasi_unstable")
      reason = "is of WASI's older snapshot 0, which is not offered; build the program for wasm32-wasip1";
    else if (each.module.starts_with("wasi:"))
      reason = "is of WASI 0.2 or later, which only components can use";
    else
      continue;
    return std::unexpected(wasm::error{.code = wasm::errc::unlinkable,
                                       .message = "the import " + each.module + "." + each.name + " of " +
                                                  (module.name().empty() ? "the module" : module.name()) + " " +
                                                  reason});
  }
  return {};
}

} // namespace weir::wasi
