# SPDX-License-Identifier: Apache-2.0
"""What is measured: the workloads, their sizes, what is compared of each, and how far ahead weir is meant to be."""
import dataclasses

PERMITS = (1, 2, 4, 16)


@dataclasses.dataclass(frozen=True)
class Metric:
    """One figure of a run. With per_op it is divided by the operations; the unit is what is left after dividing by scale."""
    key: str
    label: str
    unit: str
    scale: float = 1
    per_op: bool = False

    def of(self, run):
        """The figure of one run, or None when the program does not report it."""
        if self.key not in run:
            return None
        return run[self.key] / self.scale / (run["ops"] if self.per_op else 1)


PER_OP = Metric("wall_ns", "time", "ns", per_op=True)
PER_OP_US = Metric("wall_ns", "time", "us", 1e3, per_op=True)
WALL_MS = Metric("wall_ns", "time", "ms", 1e6)
CPU_PER_OP = Metric("cpu_ns", "CPU time", "ns", per_op=True)
CPU_MS = Metric("cpu_ns", "CPU time", "ms", 1e6)
P50, P99 = Metric("p50_ns", "p50", "us", 1e3), Metric("p99_ns", "p99", "us", 1e3)
BYTES = Metric("bytes_per_task", "memory", "bytes")


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    about: str  # what one operation is
    program: str  # the workload of the programs
    size: int
    quick_size: int  # None: too slow for --quick, which leaves it out unless it is named
    rounds: int = 1
    metrics: tuple = (PER_OP,)
    targets: dict = dataclasses.field(default_factory=dict)  # peer -> ratio to reach, for the first metric
    programs: dict = dataclasses.field(default_factory=dict)  # peer -> its own name for the workload
    sizes: dict = dataclasses.field(default_factory=dict)  # peer -> divisor of the size, where its time would be out of hand
    permits: tuple = None  # only these; None: all that are asked for
    contended: bool = False  # one busy process on each core
    fans_out: bool = False  # a second permit must not make it slower

    def permits_among(self, asked):
        return [number for number in asked if self.permits is None or number in self.permits]

    def program_of(self, peer):
        return self.programs.get(peer, self.program)

    def size_for(self, peer, quick):
        return max(1, (self.quick_size if quick and self.quick_size else self.size) // self.sizes.get(peer, 1))


HALF = {"tokio": 0.5, "tbb": 0.8, "asio": 0.8}
TBB_HALF = {"tbb": 0.5}
EQUAL = {"tokio": 1.0}
OFFLOAD = {"go": "block_inline", "tbb": "block_inline", "asio": "block_inline"}
TASKS = {"weir": "skynet_tasks"}
FORK = {"weir": "skynet_fork"}

WORKLOADS = (
    Workload("spawn_join_20k", "one of 20,000 tasks spawned by a root and joined", "spawn_join", 20_000, 20_000, 25, targets=HALF, fans_out=True),
    Workload("spawn_join_1m", "one of 1,000,000 tasks spawned by a root and joined", "spawn_join", 1_000_000, None, targets=HALF,
             sizes={"asio": 5}, fans_out=True),
    Workload("yield_100", "one yield of 1,000 tasks with 100 each", "yield", 100, 100, 10, targets=HALF),
    Workload("yield_1000", "one yield of 1,000 tasks with 1,000 each", "yield", 1000, None, targets=HALF),
    Workload("ping_pong", "one message between two tasks", "ping_pong", 500_000, 100_000, targets={"tokio": 0.5}, sizes={"asio": 5}),
    Workload("mpmc", "one item from 4 producers to 4 consumers, bound 1024", "mpmc", 500_000, 100_000, targets={"tokio": 0.5}, sizes={"asio": 5}),
    Workload("skynet_tasks", "one leaf of a tree of tasks, ten a node", "skynet", 1_000_000, 100_000, programs=TASKS, sizes={"asio": 10}, fans_out=True),
    Workload("skynet_fork", "one leaf of a tree of ten a node, by fork_join", "skynet", 1_000_000, 100_000, programs=FORK, targets=TBB_HALF,
             sizes={"asio": 10}, fans_out=True),
    Workload("fib", "one inner node of fib(30)", "fib", 30, 26, targets=TBB_HALF, fans_out=True),
    Workload("nqueens", "all solutions of 12 queens", "nqueens", 12, 10, metrics=(WALL_MS,), targets=TBB_HALF, fans_out=True),
    Workload("matmul", "one product of matrices of 512 x 512, leaves of 32", "matmul", 512, 256, 5, metrics=(WALL_MS,), targets=TBB_HALF, fans_out=True),
    Workload("empty_region", "one empty blocking region", "empty_region", 100_000, 100_000, 5, targets=EQUAL),
    Workload("syscall_region", "one blocking region around a short system call", "syscall_region", 100_000, None, 5, targets=EQUAL),
    Workload("block_inline_128", "128 tasks that block 1 ms each, inline", "block_inline", 128, 128, metrics=(WALL_MS, CPU_MS), targets=EQUAL),
    Workload("block_inline_1000", "1,000 tasks that block 1 ms each, inline", "block_inline", 1000, None, metrics=(WALL_MS, CPU_MS), targets=EQUAL),
    Workload("block_offload_128", "128 calls of 1 ms given to threads for blocking calls", "block_offload", 128, 128, metrics=(WALL_MS, CPU_MS),
             targets=EQUAL, programs=OFFLOAD),
    Workload("block_offload_1000", "1,000 calls of 1 ms given to threads for blocking calls", "block_offload", 1000, None, metrics=(WALL_MS, CPU_MS),
             targets=EQUAL, programs=OFFLOAD),
    Workload("socket_wait", "one wait of 500 us at a socket, in 4P lanes", "socket_wait", 200, 50, metrics=(PER_OP_US, CPU_PER_OP), targets=EQUAL),
    Workload("closed_loop", "one request of P outside threads, each with one in flight", "closed_loop", 5000, 1000, metrics=(P99, P50, PER_OP_US), targets=EQUAL),
    Workload("nested_block_on", "one level of block_on of a task inside a task, 32 deep", "nested_block_on", 32, 32, 20, metrics=(PER_OP_US,), targets=EQUAL),
    Workload("remote_spawn_1", "one task spawned from outside by 1 thread", "remote_spawn", 1, None, targets={"tokio": 0.7}),
    Workload("remote_spawn_8", "one task spawned from outside by 8 threads", "remote_spawn", 8, 8, targets={"tokio": 0.7}),
    Workload("remote_spawn_64", "one task spawned from outside by 64 threads", "remote_spawn", 64, None, targets={"tokio": 0.7}),
    Workload("wake_hot", "from a wake outside to the task, 2 us after the last", "wake_hot", 30_000, None, metrics=(P50, P99), targets=EQUAL, permits=(1, 2)),
    Workload("wake_cold", "from a wake outside to the task, 100 us after the last", "wake_cold", 5000, 1000, metrics=(P50, P99), targets=EQUAL, permits=(1, 2)),
    Workload("parked", "one of 1,000,000 tasks that wait", "parked", 1_000_000, 100_000, metrics=(BYTES, PER_OP), permits=(2,)),
    Workload("sleepers", "one of 1,000,000 sleeps of 1 to 1000 ms", "sleepers", 1_000_000, None, metrics=(CPU_PER_OP, P99), targets={"tokio": 0.5},
             permits=(1, 2)),
    Workload("spawn_join_busy", "as spawn_join_20k, beside a busy process on each core", "spawn_join", 20_000, None, 25, permits=(1, 2), contended=True,
             fans_out=True),
    Workload("fib_busy", "as fib, beside a busy process on each core", "fib", 28, 24, permits=(1, 2), targets=TBB_HALF, contended=True, fans_out=True),
    Workload("block_inline_busy", "as block_inline_128, beside a busy process on each core", "block_inline", 128, None, metrics=(WALL_MS,), permits=(1, 2),
             contended=True),
    Workload("build_graph", "1,000 nodes that read, hash and compress a file", "build_graph", 1000, 200, metrics=(WALL_MS, CPU_MS), targets=EQUAL, fans_out=True),
)


def everything(quick):
    return [each for each in WORKLOADS if each.quick_size is not None or not quick]


def select(patterns):
    """The workloads that a comma-separated list names, by name or by its beginning. Errors: ValueError names what matches nothing."""
    chosen = []
    for pattern in patterns.split(","):
        found = [each for each in WORKLOADS if each.name == pattern] or [each for each in WORKLOADS if each.name.startswith(pattern)]
        if not found:
            raise ValueError(f"no workload {pattern}; there are {', '.join(each.name for each in WORKLOADS)}")
        chosen += [each for each in found if each not in chosen]
    return chosen
