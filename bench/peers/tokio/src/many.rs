// SPDX-License-Identifier: Apache-2.0
//! A million tasks at once: waiting, and asleep.
use crate::measure::{measure_rounds, root, runtime, Report, Request};
use crate::system::{mix, process_status};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

fn wait_until(counter: &AtomicU64, value: u64) {
    while counter.load(Ordering::Relaxed) != value {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Memory of tasks that wait: the growth of the resident set. The tasks are detached, so that only they count.
pub fn parked(asked: &Request) -> Report {
    let (runtime, count) = (runtime(asked), asked.size);
    let (release, waiting) = (Arc::new(Notify::new()), Arc::new(AtomicU64::new(0)));
    let mut bytes_per_task = 0.0;
    let once = Request { workload: String::new(), rounds: 1, ..*asked };
    let mut found = measure_rounds(&once, count, || {
        let before = process_status("VmRSS:");
        let (to_release, to_count) = (release.clone(), waiting.clone());
        root(&runtime, async move {
            for _ in 0..count {
                let (release, waiting) = (to_release.clone(), to_count.clone());
                tokio::spawn(async move {
                    let released = release.notified();
                    tokio::pin!(released);
                    released.as_mut().enable();
                    waiting.fetch_add(1, Ordering::Relaxed);
                    released.await;
                    waiting.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        wait_until(&waiting, count);
        std::thread::sleep(Duration::from_millis(20));
        bytes_per_task = (process_status("VmRSS:") - before) as f64 * 1024.0 / count as f64;
        release.notify_waiters();
        wait_until(&waiting, 0);
        count
    });
    found.figures.push(("bytes_per_task", bytes_per_task));
    found
}

/// Sleeps of 1 to 1000 ms, all at once.
pub fn sleepers(asked: &Request) -> Report {
    let (runtime, count) = (runtime(asked), asked.size);
    let late: Arc<Vec<AtomicU32>> = Arc::new((0..count).map(|_| AtomicU32::new(0)).collect());
    let once = Request { workload: String::new(), rounds: 1, ..*asked };
    let mut found = measure_rounds(&once, count, || {
        let late = late.clone();
        root(&runtime, async move {
            let mut handles = Vec::with_capacity(count as usize);
            for i in 0..count {
                let late = late.clone();
                handles.push(tokio::spawn(async move {
                    let due = Instant::now() + Duration::from_micros(1000 + mix(i) % 999_001);
                    tokio::time::sleep_until(due.into()).await;
                    let behind = Instant::now().saturating_duration_since(due).as_nanos();
                    late[i as usize].store(behind.min(u32::MAX as u128) as u32, Ordering::Relaxed);
                }));
            }
            for each in handles {
                each.await.unwrap();
            }
        });
        count
    });
    found.add_latencies(late.iter().map(|each| each.load(Ordering::Relaxed)).collect());
    found
}
