// SPDX-License-Identifier: Apache-2.0
//! Tokio's program: WORKLOAD --permits N [--size N] [--rounds N] prints one line of JSON; --list names the workloads.
mod blocking;
mod channel;
mod closed_loop;
mod graph;
mod many;
mod measure;
mod spawn;
mod system;
mod tree;

use measure::{Report, Request};

type Run = fn(&Request) -> Report;

const WORKLOADS: &[(&str, u64, Run)] = &[
    ("spawn_join", 1_000_000, spawn::spawn_join),
    ("yield", 1000, spawn::yield_in_many),
    ("skynet", 1_000_000, spawn::skynet),
    ("remote_spawn", 8, spawn::remote_spawn),
    ("ping_pong", 1_000_000, channel::ping_pong),
    ("mpmc", 1_000_000, channel::many_to_many),
    ("fib", 30, tree::fib),
    ("nqueens", 12, tree::nqueens),
    ("empty_region", 100_000, blocking::empty_region),
    ("syscall_region", 100_000, blocking::syscall_region),
    ("block_inline", 1000, blocking::block_inline),
    ("block_offload", 1000, blocking::block_offload),
    ("socket_wait", 200, blocking::socket_wait),
    ("nested_block_on", 32, blocking::nested_block_on),
    ("closed_loop", 5000, closed_loop::closed_loop),
    ("wake_hot", 30_000, closed_loop::wake_hot),
    ("wake_cold", 5000, closed_loop::wake_cold),
    ("parked", 1_000_000, many::parked),
    ("sleepers", 1_000_000, many::sleepers),
    ("build_graph", 1000, graph::build_graph),
];

fn read_request(arguments: &[String]) -> Option<Request> {
    let mut asked = Request { workload: arguments.first()?.clone(), permits: 1, size: 0, rounds: 1 };
    for pair in arguments[1..].chunks(2) {
        let number: u64 = pair.get(1)?.parse().ok().filter(|number| *number != 0)?;
        match pair[0].as_str() {
            "--permits" => asked.permits = number as usize,
            "--size" => asked.size = number,
            "--rounds" => asked.rounds = number,
            _ => return None,
        }
    }
    Some(asked)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["--list"] {
        WORKLOADS.iter().for_each(|(name, _, _)| println!("{name}"));
        return;
    }
    let Some(mut asked) = read_request(&arguments) else {
        eprintln!("usage: tokio_peer WORKLOAD --permits N [--size N] [--rounds N]\n       tokio_peer --list");
        std::process::exit(2);
    };
    let Some((_, default_size, run)) = WORKLOADS.iter().find(|(name, _, _)| *name == asked.workload) else {
        eprintln!("no workload {}; --list names them", asked.workload);
        std::process::exit(2);
    };
    if asked.size == 0 {
        asked.size = *default_size;
    }
    run(&asked).print(&asked);
    std::process::exit(0);
}
