// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of wasi_snapshot_preview1 as plain functions over a guest's state and memory, so that tests can call
// them without a guest. All take and return what the guest's call does; see linker.cpp for the table that names them.
// Two more are there: proc_exit and sched_yield, which need the engine.
//
// Every pointer is checked before anything is changed; one that is out of the memory gives `fault`.
#include "wasi/abi.hpp"
#include "wasi/guest_memory.hpp"
#include "wasi/guest_state.hpp"

#include <cstdint>

namespace weir::wasi::detail {

using abi::errc;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

// process.cpp
errc args_get(guest_state& guest, guest_memory memory, u32 argv, u32 argv_buf);
errc args_sizes_get(guest_state& guest, guest_memory memory, u32 count_out, u32 size_out);
errc environ_get(guest_state& guest, guest_memory memory, u32 environ, u32 environ_buf);
errc environ_sizes_get(guest_state& guest, guest_memory memory, u32 count_out, u32 size_out);
errc proc_raise(guest_state& guest, guest_memory memory, u32 signal);
errc random_get(guest_state& guest, guest_memory memory, u32 buf, u32 buf_len);

// clocks.cpp
errc clock_res_get(guest_state& guest, guest_memory memory, u32 id, u32 resolution_out);
errc clock_time_get(guest_state& guest, guest_memory memory, u32 id, u64 precision, u32 time_out);

// fd_io.cpp
errc fd_read(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 nread_out);
errc fd_pread(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u64 offset, u32 nread_out);
errc fd_write(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 nwritten_out);
errc fd_pwrite(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u64 offset, u32 nwritten_out);
errc fd_seek(guest_state& guest, guest_memory memory, u32 fd, i64 offset, u32 whence, u32 position_out);
errc fd_tell(guest_state& guest, guest_memory memory, u32 fd, u32 position_out);
errc fd_sync(guest_state& guest, guest_memory memory, u32 fd);
errc fd_datasync(guest_state& guest, guest_memory memory, u32 fd);

// fd_meta.cpp
errc fd_advise(guest_state& guest, guest_memory memory, u32 fd, u64 offset, u64 len, u32 advice);
errc fd_allocate(guest_state& guest, guest_memory memory, u32 fd, u64 offset, u64 len);
errc fd_close(guest_state& guest, guest_memory memory, u32 fd);
errc fd_renumber(guest_state& guest, guest_memory memory, u32 from, u32 to);
errc fd_fdstat_get(guest_state& guest, guest_memory memory, u32 fd, u32 stat_out);
errc fd_fdstat_set_flags(guest_state& guest, guest_memory memory, u32 fd, u32 flags);
errc fd_fdstat_set_rights(guest_state& guest, guest_memory memory, u32 fd, u64 base, u64 inheriting);
errc fd_filestat_get(guest_state& guest, guest_memory memory, u32 fd, u32 stat_out);
errc fd_filestat_set_size(guest_state& guest, guest_memory memory, u32 fd, u64 size);
errc fd_filestat_set_times(guest_state& guest, guest_memory memory, u32 fd, u64 atim, u64 mtim, u32 flags);

// fd_dir.cpp
errc fd_prestat_get(guest_state& guest, guest_memory memory, u32 fd, u32 prestat_out);
errc fd_prestat_dir_name(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len);
errc fd_readdir(guest_state& guest, guest_memory memory, u32 fd, u32 buf, u32 buf_len, u64 cookie, u32 used_out);

// path_open.cpp
errc path_open(guest_state& guest, guest_memory memory, u32 fd, u32 lookup, u32 path, u32 path_len, u32 oflags,
               u64 base, u64 inheriting, u32 fdflags, u32 fd_out);

// path.cpp
errc path_create_directory(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len);
errc path_filestat_get(guest_state& guest, guest_memory memory, u32 fd, u32 lookup, u32 path, u32 path_len,
                       u32 stat_out);
errc path_filestat_set_times(guest_state& guest, guest_memory memory, u32 fd, u32 lookup, u32 path, u32 path_len,
                             u64 atim, u64 mtim, u32 flags);
errc path_link(guest_state& guest, guest_memory memory, u32 old_fd, u32 lookup, u32 old_path, u32 old_path_len,
               u32 new_fd, u32 new_path, u32 new_path_len);
errc path_readlink(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len, u32 buf, u32 buf_len,
                   u32 used_out);
errc path_remove_directory(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len);
errc path_rename(guest_state& guest, guest_memory memory, u32 fd, u32 old_path, u32 old_path_len, u32 new_fd,
                 u32 new_path, u32 new_path_len);
errc path_symlink(guest_state& guest, guest_memory memory, u32 text, u32 text_len, u32 fd, u32 path, u32 path_len);
errc path_unlink_file(guest_state& guest, guest_memory memory, u32 fd, u32 path, u32 path_len);

// poll.cpp
errc poll_oneoff(guest_state& guest, guest_memory memory, u32 in, u32 out, u32 count, u32 nevents_out);

// sock.cpp
errc sock_accept(guest_state& guest, guest_memory memory, u32 fd, u32 flags, u32 fd_out);
errc sock_recv(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 flags, u32 nread_out,
               u32 flags_out);
errc sock_send(guest_state& guest, guest_memory memory, u32 fd, u32 iovs, u32 iovs_len, u32 flags, u32 nwritten_out);
errc sock_shutdown(guest_state& guest, guest_memory memory, u32 fd, u32 how);

} // namespace weir::wasi::detail
