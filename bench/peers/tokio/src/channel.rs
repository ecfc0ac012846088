// SPDX-License-Identifier: Apache-2.0
//! Messages between two tasks, and between four producers and four consumers.
use crate::measure::{measure_roots, Report, Request};
use std::sync::Arc;
use tokio::sync::{mpsc, Mutex};

/// Two channels of one slot, the smallest there is; `messages` counts both directions.
async fn exchange(messages: u64) -> u64 {
    let (there, mut at_there) = mpsc::channel::<u64>(1);
    let (back, mut at_back) = mpsc::channel::<u64>(1);
    let asker = tokio::spawn(async move {
        let mut sum = 0;
        for i in 0..messages / 2 {
            there.send(i).await.unwrap();
            sum += at_back.recv().await.unwrap();
        }
        sum
    });
    let answerer = tokio::spawn(async move {
        for _ in 0..messages / 2 {
            let value = at_there.recv().await.unwrap();
            back.send(value + 1).await.unwrap();
        }
    });
    let sum = asker.await.unwrap();
    answerer.await.unwrap();
    sum
}

pub fn ping_pong(asked: &Request) -> Report {
    measure_roots(asked, asked.size / 10 + 2, asked.size, exchange)
}

/// Tokio has no channel with many consumers: they share the receiver of a bounded channel under its async mutex.
async fn produce_and_consume(items: u64) -> u64 {
    let (sender, receiver) = mpsc::channel::<u64>(1024);
    let receiver = Arc::new(Mutex::new(receiver));
    let each = items / 4;
    for p in 0..4 {
        let sender = sender.clone();
        tokio::spawn(async move {
            for i in 0..each {
                sender.send(p * each + i).await.unwrap();
            }
        });
    }
    drop(sender);
    crate::measure::sum_of_tasks(4, move |_| {
        let receiver = receiver.clone();
        async move {
            let mut sum = 0;
            loop {
                let item = receiver.lock().await.recv().await;
                match item {
                    Some(item) => sum += item,
                    None => return sum,
                }
            }
        }
    })
    .await
}

pub fn many_to_many(asked: &Request) -> Report {
    measure_roots(asked, asked.size / 10 + 4, asked.size, produce_and_consume)
}
