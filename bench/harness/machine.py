# SPDX-License-Identifier: Apache-2.0
"""The machine around a run: its name, how busy others keep it, and processes that keep it busy on purpose."""
import contextlib
import os
import pathlib
import platform
import subprocess
import sys
import time

TICK = 1 / os.sysconf("SC_CLK_TCK")
QUIET_SHARE = 0.06  # of one core, used by other processes
BUSY = "import os\nos.sched_setaffinity(0, {%d})\nwhile True: pass"


def parse_busy_seconds(text):
    """Seconds that all cores were busy, or stolen by the host, by the first line of /proc/stat."""
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(word) for word in text.split()[1:9])
    return (user + nice + system + irq + softirq + steal) * TICK


def busy_seconds():
    with open("/proc/stat") as file:
        return parse_busy_seconds(file.readline())


def is_disturbed(foreign_seconds, wall_seconds):
    """Whether other processes used more than their share; short runs are allowed for the coarse ticks of the count."""
    return foreign_seconds > max(QUIET_SHARE * wall_seconds, 3 * TICK)


def wait_for_quiet(patience):
    """Waits until the machine is idle for a moment, at most `patience` seconds. Returns whether it was."""
    end = time.monotonic() + patience
    while patience > 0:
        before = busy_seconds()
        time.sleep(0.1)
        if busy_seconds() - before <= 1.5 * TICK:
            return True
        if time.monotonic() > end:
            return False
    return False


@contextlib.contextmanager
def busy_processes(wanted):
    """One busy process on each core while it lasts, if wanted; gives their number."""
    cores = sorted(os.sched_getaffinity(0)) if wanted else []
    processes = [subprocess.Popen([sys.executable, "-c", BUSY % core]) for core in cores]
    try:
        yield len(processes)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def describe():
    """What a reader needs to judge the figures."""
    cpu = next((line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "memory_gib": memory, "system": f"{platform.system()} {platform.release()}",
            "load": list(os.getloadavg()), "date": time.strftime("%Y-%m-%d %H:%M %Z")}
