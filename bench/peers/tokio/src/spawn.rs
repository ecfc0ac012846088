// SPDX-License-Identifier: Apache-2.0
//! Tasks that do nothing: spawned and joined, yielding, in a tree of ten, and spawned from outside.
use crate::measure::{measure_roots, measure_rounds, runtime, sum_of_tasks, Report, Request};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc};
use tokio::runtime::Runtime;

pub fn spawn_join(asked: &Request) -> Report {
    measure_roots(asked, asked.size / 10 + 1, asked.size, |count| sum_of_tasks(count, |i| async move { i }))
}

pub fn yield_in_many(asked: &Request) -> Report {
    measure_roots(asked, asked.size / 10 + 1, 1000 * asked.size, |times| {
        sum_of_tasks(1000, move |_| async move {
            for _ in 0..times {
                tokio::task::yield_now().await;
            }
            times
        })
    })
}

type Boxed = Pin<Box<dyn Future<Output = u64> + Send>>;

fn skynet_node(first: u64, leaves: u64) -> Boxed {
    Box::pin(async move {
        if leaves == 1 {
            return first;
        }
        let share = leaves / 10;
        sum_of_tasks(10, move |i| skynet_node(first + i * share, share)).await
    })
}

pub fn skynet(asked: &Request) -> Report {
    measure_roots(asked, 1000, asked.size, |leaves| skynet_node(0, leaves))
}

const REMOTE_TASKS: u64 = 64_000;

fn spawn_from_threads(runtime: &Runtime, threads: u64) -> u64 {
    let each = REMOTE_TASKS / threads;
    let left = Arc::new(AtomicU64::new(each * threads));
    let (done, is_done) = mpsc::sync_channel::<()>(1);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..each {
                    let (left, done) = (left.clone(), done.clone());
                    runtime.spawn(async move {
                        if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                            done.send(()).unwrap();
                        }
                    });
                }
            });
        }
    });
    is_done.recv().unwrap();
    each * threads
}

pub fn remote_spawn(asked: &Request) -> Report {
    let runtime = runtime(asked);
    spawn_from_threads(&runtime, asked.size);
    measure_rounds(asked, REMOTE_TASKS, || spawn_from_threads(&runtime, asked.size))
}
