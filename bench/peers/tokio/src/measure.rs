// SPDX-License-Identifier: Apache-2.0
//! Timing of rounds and the line of JSON.
use crate::system::{now_ns, process_cpu_ns, process_status};
use std::future::Future;
use tokio::runtime::{Builder, Runtime};

pub struct Request {
    pub workload: String,
    pub permits: usize,
    pub size: u64,
    pub rounds: u64,
}

#[derive(Default)]
pub struct Report {
    pub operations: u64,
    pub wall_ns: u64,
    pub cpu_ns: u64,
    pub checksum: u64,
    pub threads: i64,
    pub figures: Vec<(&'static str, f64)>,
}

impl Report {
    pub fn print(&self, asked: &Request) {
        let mut line = format!(
            "{{\"peer\": \"tokio\", \"workload\": \"{}\", \"permits\": {}, \"size\": {}, \"rounds\": {}, \"ops\": {}, \"wall_ns\": {}, \
             \"cpu_ns\": {}, \"peak_rss\": {}, \"peak_threads\": {}, \"checksum\": {}",
            asked.workload, asked.permits, asked.size, asked.rounds, self.operations, self.wall_ns, self.cpu_ns,
            process_status("VmHWM:") * 1024, self.threads, self.checksum
        );
        for (name, value) in &self.figures {
            line += &format!(", \"{name}\": {value:.3}");
        }
        println!("{line}}}");
    }

    pub fn add_latencies(&mut self, mut spans: Vec<u32>) {
        spans.sort_unstable();
        for (name, share) in [("p50_ns", 0.5), ("p99_ns", 0.99), ("p999_ns", 0.999)] {
            let at = ((share * spans.len() as f64) as usize).min(spans.len() - 1);
            self.figures.push((name, spans[at] as f64));
        }
    }
}

/// Runs `round` as often as asked; it returns its checksum. The median wall and CPU times are reported.
pub fn measure_rounds(asked: &Request, operations: u64, mut round: impl FnMut() -> u64) -> Report {
    let mut found = Report { operations, ..Report::default() };
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    for _ in 0..asked.rounds {
        let (cpu, begin) = (process_cpu_ns(), now_ns());
        found.checksum = round();
        walls.push(now_ns() - begin);
        cpus.push(process_cpu_ns() - cpu);
    }
    found.wall_ns = middle_of(walls);
    found.cpu_ns = middle_of(cpus);
    found.threads = process_status("Threads:");
    found
}

fn middle_of(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values[values.len() / 2]
}

pub fn runtime(asked: &Request) -> Runtime {
    Builder::new_multi_thread().worker_threads(asked.permits).enable_time().build().unwrap()
}

/// Runs a root on a worker, as a program's own tasks run.
pub fn root<T: Send + 'static>(runtime: &Runtime, body: impl Future<Output = T> + Send + 'static) -> T {
    runtime.block_on(async { tokio::spawn(body).await.unwrap() })
}

/// Warms up with `make(warm_size)`, then measures `make(asked.size)`.
pub fn measure_roots<F>(asked: &Request, warm_size: u64, operations: u64, make: impl Fn(u64) -> F) -> Report
where
    F: Future<Output = u64> + Send + 'static,
{
    let runtime = runtime(asked);
    root(&runtime, make(warm_size));
    measure_rounds(asked, operations, || root(&runtime, make(asked.size)))
}

/// Spawns `make(0)` to `make(count - 1)`, awaits them all and adds their results.
pub async fn sum_of_tasks<F>(count: u64, make: impl Fn(u64) -> F) -> u64
where
    F: Future<Output = u64> + Send + 'static,
{
    let mut handles = Vec::with_capacity(count as usize);
    for i in 0..count {
        handles.push(tokio::spawn(make(i)));
    }
    let mut sum = 0u64;
    for each in handles {
        sum = sum.wrapping_add(each.await.unwrap());
    }
    sum
}
