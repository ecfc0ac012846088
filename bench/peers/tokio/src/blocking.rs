// SPDX-License-Identifier: Apache-2.0
//! Calls that block: empty ones, one millisecond, waits at sockets, and block_on inside block_on.
use crate::measure::{measure_roots, measure_rounds, root, runtime, sum_of_tasks, Report, Request};
use crate::system::{short_system_call, silent_socket, sleep_1ms, wait_at_socket};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::task::{block_in_place, spawn_blocking};

const REGIONS_PER_TASK: u64 = 100;

fn measure_regions(asked: &Request, call: fn() -> u64) -> Report {
    measure_roots(asked, asked.size, asked.size, move |regions| {
        sum_of_tasks(regions / REGIONS_PER_TASK, move |_| async move { (0..REGIONS_PER_TASK).map(|_| block_in_place(call)).sum() })
    })
}

pub fn empty_region(asked: &Request) -> Report {
    measure_regions(asked, || 1)
}

pub fn syscall_region(asked: &Request) -> Report {
    measure_regions(asked, short_system_call)
}

fn block_once() -> u64 {
    sleep_1ms();
    1
}

/// Not warmed up: the threads a burst needs are part of its cost.
pub fn block_inline(asked: &Request) -> Report {
    let (runtime, count) = (runtime(asked), asked.size);
    measure_rounds(asked, count, || root(&runtime, sum_of_tasks(count, |_| async { block_in_place(block_once) })))
}

pub fn block_offload(asked: &Request) -> Report {
    let (runtime, count) = (runtime(asked), asked.size);
    measure_rounds(asked, count, || {
        root(&runtime, async move {
            let calls: Vec<_> = (0..count).map(|_| spawn_blocking(block_once)).collect();
            let mut sum = 0;
            for call in calls {
                sum += call.await.unwrap();
            }
            sum
        })
    })
}

pub fn socket_wait(asked: &Request) -> Report {
    let lanes = 4 * asked.permits as u64;
    let sockets: Arc<Vec<i32>> = Arc::new((0..lanes).map(|_| silent_socket()).collect());
    measure_roots(asked, asked.size / 10 + 1, lanes * asked.size, move |times| {
        let sockets = sockets.clone();
        sum_of_tasks(lanes, move |lane| {
            let socket = sockets[lane as usize];
            async move { (0..times).map(|_| u64::from(block_in_place(|| wait_at_socket(socket, 500_000)))).sum() }
        })
    })
}

fn nest(depth: u64) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        if depth == 0 {
            return 0;
        }
        1 + block_in_place(|| Handle::current().block_on(async { tokio::spawn(nest(depth - 1)).await.unwrap() }))
    })
}

pub fn nested_block_on(asked: &Request) -> Report {
    measure_roots(asked, asked.size, asked.size, nest)
}
