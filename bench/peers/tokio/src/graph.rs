// SPDX-License-Identifier: Apache-2.0
//! The application of measure/build_graph.hpp, with the same zlib as the others.
use crate::measure::{measure_rounds, runtime, Report, Request};
use crate::system::mix;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{mpsc, Arc};
use tokio::runtime::Runtime;

#[link(name = "z")]
extern "C" {
    fn compressBound(size: libc::c_ulong) -> libc::c_ulong;
    fn compress2(to: *mut u8, size: *mut libc::c_ulong, from: *const u8, from_size: libc::c_ulong, level: libc::c_int) -> libc::c_int;
}

fn compressed_size(content: &[u8]) -> u64 {
    unsafe {
        let mut size = compressBound(content.len() as libc::c_ulong);
        let mut packed = vec![0u8; size as usize];
        assert_eq!(compress2(packed.as_mut_ptr(), &mut size, content.as_ptr(), content.len() as libc::c_ulong, 1), 0);
        size
    }
}

struct Node {
    dependencies: Vec<u32>,
    dependents: Vec<u32>,
    left: AtomicU32,
    digest: AtomicU64,
}

struct Graph {
    folder: String,
    nodes: Vec<Node>,
    unfinished: AtomicU64,
    done: mpsc::SyncSender<()>,
}

fn make_nodes(count: u64) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::with_capacity(count as usize);
    for i in 0..count {
        let reach = i.min(200);
        let mut dependencies: Vec<u32> = if reach == 0 { Vec::new() } else { (0..3).map(|k| (i - 1 - mix(i * 3 + k) % reach) as u32).collect() };
        dependencies.sort_unstable();
        dependencies.dedup();
        for needed in &dependencies {
            nodes[*needed as usize].dependents.push(i as u32);
        }
        nodes.push(Node { dependencies, dependents: Vec::new(), left: AtomicU32::new(0), digest: AtomicU64::new(0) });
    }
    nodes
}

async fn build(graph: Arc<Graph>, at: u32) {
    let node = &graph.nodes[at as usize];
    let content = tokio::fs::read(format!("{}/{}", graph.folder, at % 64)).await.unwrap();
    let mut hash = mix(u64::from(at));
    for needed in &node.dependencies {
        hash = mix(hash ^ graph.nodes[*needed as usize].digest.load(Ordering::Relaxed));
    }
    for byte in &content {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100000001B3);
    }
    node.digest.store(mix(hash ^ compressed_size(&content)), Ordering::Relaxed);
    for dependent in &node.dependents {
        if graph.nodes[*dependent as usize].left.fetch_sub(1, Ordering::AcqRel) == 1 {
            start(&graph, *dependent);
        }
    }
    if graph.unfinished.fetch_sub(1, Ordering::AcqRel) == 1 {
        graph.done.send(()).unwrap();
    }
}

// Apart from build(), whose type would otherwise contain itself.
fn start(graph: &Arc<Graph>, at: u32) {
    let future: std::pin::Pin<Box<dyn std::future::Future<Output = ()> + Send>> = Box::pin(build(graph.clone(), at));
    tokio::spawn(future);
}

fn walk(runtime: &Runtime, graph: &Arc<Graph>, is_done: &mpsc::Receiver<()>) -> u64 {
    for node in &graph.nodes {
        node.left.store(node.dependencies.len() as u32, Ordering::Relaxed);
    }
    graph.unfinished.store(graph.nodes.len() as u64, Ordering::Relaxed);
    let _entered = runtime.enter();
    for (at, node) in graph.nodes.iter().enumerate() {
        if node.dependencies.is_empty() {
            start(graph, at as u32);
        }
    }
    is_done.recv().unwrap();
    graph.nodes.iter().fold(0u64, |sum, node| sum.wrapping_add(node.digest.load(Ordering::Relaxed)))
}

pub fn build_graph(asked: &Request) -> Report {
    let (done, is_done) = mpsc::sync_channel(1);
    let folder = std::env::var("WEIR_BENCH_FILES").expect("WEIR_BENCH_FILES names no folder");
    let graph = Arc::new(Graph { folder, nodes: make_nodes(asked.size), unfinished: AtomicU64::new(0), done });
    let runtime = runtime(asked);
    measure_rounds(asked, asked.size, || walk(&runtime, &graph, &is_done))
}
