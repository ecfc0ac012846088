// SPDX-License-Identifier: Apache-2.0
//! Clocks, /proc, and calls of the system that block.

fn read_clock(clock: libc::clockid_t) -> u64 {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(clock, &mut at) };
    at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64
}

pub fn now_ns() -> u64 {
    read_clock(libc::CLOCK_MONOTONIC)
}

pub fn process_cpu_ns() -> u64 {
    read_clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// A number of /proc/self/status, -1 where there is none.
pub fn process_status(key: &str) -> i64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(-1)
}

pub fn mix(x: u64) -> u64 {
    let mut x = x.wrapping_add(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D049BB133111EB);
    x ^ (x >> 31)
}

pub fn work(mut seed: u64, steps: u32) -> u64 {
    for _ in 0..steps {
        seed = mix(seed);
    }
    seed
}

pub fn spin_for_ns(span: u64) {
    let end = now_ns() + span;
    while now_ns() < end {}
}

pub fn short_system_call() -> u64 {
    u64::from(unsafe { libc::syscall(libc::SYS_getppid) } > 0)
}

pub fn sleep_1ms() {
    let mut left = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    unsafe { while libc::nanosleep(&left, &mut left) == -1 {} }
}

/// A socket on which nothing ever arrives.
pub fn silent_socket() -> i32 {
    let mut ends = [0; 2];
    assert_eq!(unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM, 0, ends.as_mut_ptr()) }, 0);
    ends[0]
}

/// Blocks in ppoll until the span is over; true if that is how it ended.
pub fn wait_at_socket(socket: i32, span: i64) -> bool {
    let mut waited = libc::pollfd { fd: socket, events: libc::POLLIN, revents: 0 };
    let limit = libc::timespec { tv_sec: 0, tv_nsec: span };
    unsafe { libc::ppoll(&mut waited, 1, &limit, std::ptr::null()) == 0 }
}
