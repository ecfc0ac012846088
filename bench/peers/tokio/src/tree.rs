// SPDX-License-Identifier: Apache-2.0
//! Recursion by tasks: Fibonacci numbers and queens.
use crate::measure::{measure_roots, Report, Request};
use std::future::Future;
use std::pin::Pin;

type Boxed = Pin<Box<dyn Future<Output = u64> + Send>>;

/// One task for each inner node.
fn fib_of(n: u64) -> Boxed {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let forked = tokio::spawn(fib_of(n - 1));
        let sum = fib_of(n - 2).await;
        forked.await.unwrap() + sum
    })
}

fn fib_spawns(n: u64) -> u64 {
    (0..=n).fold((0, 1), |(a, b), _| (b, a + b)).0 - 1
}

pub fn fib(asked: &Request) -> Report {
    let measured = asked.size;
    measure_roots(asked, 20.min(measured), fib_spawns(measured), fib_of)
}

/// One task for each legal placement but the last of its row.
fn queens(n: u64, row: u64, columns: u32, left: u32, right: u32) -> Boxed {
    Box::pin(async move {
        if row == n {
            return 1;
        }
        let mut free = ((1u32 << n) - 1) & !(columns | left | right);
        let mut forked = Vec::new();
        let mut sum = 0;
        while free != 0 {
            let at = free & free.wrapping_neg();
            free ^= at;
            let next = queens(n, row + 1, columns | at, (left | at) << 1, (right | at) >> 1);
            if free == 0 {
                sum += next.await;
            } else {
                forked.push(tokio::spawn(next));
            }
        }
        for each in forked {
            sum += each.await.unwrap();
        }
        sum
    })
}

pub fn nqueens(asked: &Request) -> Report {
    measure_roots(asked, 8, 1, |n| queens(n, 0, 0, 0, 0))
}
