// SPDX-License-Identifier: Apache-2.0
//! Threads from outside: requests in a closed loop, and wakes of one waiting task.
use crate::measure::{measure_rounds, runtime, Report, Request};
use crate::system::{now_ns, spin_for_ns, work};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

const REQUEST_STEPS: u32 = 1000;

fn span_since(begin: u64) -> u32 {
    (now_ns() - begin).min(u32::MAX as u64) as u32
}

fn drive(runtime: &Runtime, lanes: usize, requests: u64, spans: &mut [Vec<u32>]) -> u64 {
    std::thread::scope(|scope| {
        let threads: Vec<_> = spans
            .iter_mut()
            .take(lanes)
            .enumerate()
            .map(|(lane, spans)| {
                scope.spawn(move || {
                    spans.clear();
                    let mut sum = 0u64;
                    for i in 0..requests {
                        let begin = now_ns();
                        let request = lane as u64 * requests + i;
                        let answer = runtime.spawn(async move { work(request, REQUEST_STEPS) });
                        sum = sum.wrapping_add(runtime.block_on(answer).unwrap());
                        spans.push(span_since(begin));
                    }
                    sum
                })
            })
            .collect();
        threads.into_iter().fold(0u64, |sum, each| sum.wrapping_add(each.join().unwrap()))
    })
}

pub fn closed_loop(asked: &Request) -> Report {
    let runtime = runtime(asked);
    let mut spans = vec![Vec::with_capacity(asked.size as usize); asked.permits];
    drive(&runtime, asked.permits, asked.size / 10 + 1, &mut spans);
    let operations = asked.permits as u64 * asked.size;
    let mut found = measure_rounds(asked, operations, || drive(&runtime, asked.permits, asked.size, &mut spans));
    found.add_latencies(spans.concat());
    found
}

pub fn wake_hot(asked: &Request) -> Report {
    wake(asked, 2000)
}

pub fn wake_cold(asked: &Request) -> Report {
    wake(asked, 100_000)
}

fn wake(asked: &Request, gap: u64) -> Report {
    let (runtime, count) = (runtime(asked), asked.size);
    let signal = Arc::new(Notify::new());
    let stamps = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let woken = {
        let (signal, stamps) = (signal.clone(), stamps.clone());
        runtime.spawn(async move {
            let mut spans = Vec::with_capacity(count as usize);
            for i in 0..count {
                signal.notified().await;
                spans.push(span_since(stamps.0.load(Ordering::Acquire)));
                stamps.1.store(i + 1, Ordering::Release);
            }
            spans
        })
    };
    std::thread::sleep(Duration::from_millis(20));
    let once = Request { workload: String::new(), rounds: 1, ..*asked };
    let mut found = measure_rounds(&once, count, || {
        for i in 0..count {
            spin_for_ns(gap);
            stamps.0.store(now_ns(), Ordering::Release);
            signal.notify_one();
            while stamps.1.load(Ordering::Acquire) != i + 1 {
                std::hint::spin_loop();
            }
        }
        count
    });
    found.add_latencies(runtime.block_on(woken).unwrap());
    found
}
