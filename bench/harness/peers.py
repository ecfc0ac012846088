# SPDX-License-Identifier: Apache-2.0
"""The programs that are compared: how each is built from what is installed, and why one is left out."""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/bench"
CRATES = pathlib.Path("/usr/share/cargo/registry")
HINT = "tools/setup.sh --bench installs it"


class Unavailable(Exception):
    """Why a peer is skipped."""


class Peer:
    """A peer's programs, by the workload that each of them runs."""

    def __init__(self, name, about, paths):
        self.name, self.about = name, about
        self.programs = {}
        for path in paths:
            for workload in run([path, "--list"]).split():
                self.programs.setdefault(workload, path)

    def command(self, workload, permits, size, rounds):
        return [str(self.programs[workload]), workload, "--permits", str(permits), "--size", str(size), "--rounds", str(rounds)]


def run(command, **options):
    """Runs a step of a build. Errors: Unavailable with the end of what it printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[-600:]
        raise Unavailable(f"{' '.join(map(str, command[:3]))} ended with {done.returncode}: {said}")
    return done.stdout


def configure():
    run(["cmake", "--preset", "bench"], cwd=ROOT)


def cached(name):
    """A variable of the configured build; None where CMake found nothing."""
    found = re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.M)
    return None if found is None or found[1].endswith("-NOTFOUND") else found[1]


def build_target(target):
    run(["cmake", "--build", "--preset", "bench", "--target", target], cwd=ROOT)
    return BUILD / "bench" / target


def make_weir():
    version = run(["git", "describe", "--always", "--dirty"], cwd=ROOT).strip()
    return Peer("weir", f"weir {version}", [build_target("bench_weir")])


def make_tbb():
    if cached("TBB_DIR") is None:
        raise Unavailable(f"oneTBB is not installed (apt: libtbb-dev); {HINT}")
    return Peer("tbb", f"oneTBB {header_version('oneapi/tbb/version.h', 'TBB_VERSION_M(?:AJOR|INOR)')}", [build_target("bench_tbb")])


def make_asio():
    if cached("Boost_DIR") is None:
        raise Unavailable(f"Boost 1.78 or newer is not installed (apt: libboost1.81-dev or libboost-dev); {HINT}")
    return Peer("asio", f"Boost.Asio {header_version('boost/version.hpp', 'BOOST_LIB_VERSION')}", [build_target("bench_asio")])


def header_version(header, macro):
    path = pathlib.Path("/usr/include") / header
    found = re.findall(rf'^#define {macro}\s+"?([\w.]+)"?', path.read_text(), re.M) if path.is_file() else []
    return ".".join(found).replace("_", ".")


def make_go():
    if shutil.which("go") is None:
        raise Unavailable(f"go is not installed (apt: golang-go); {HINT}")
    paths = []
    for name, cgo in (("go_peer", "0"), ("go_peer_zlib", "1")):
        environment = dict(os.environ, CGO_ENABLED=cgo, GOFLAGS="-mod=mod", GOPROXY="off")
        paths.append(BUILD / name)
        run(["go", "build", "-p", "1", "-o", paths[-1], "."], cwd=ROOT / "bench/peers/go", env=environment)
    return Peer("go", " ".join(run(["go", "version"]).split()[2:3]), paths)


def make_tokio():
    if shutil.which("cargo") is None:
        raise Unavailable(f"cargo is not installed (apt: cargo); {HINT}")
    crate = next(iter(sorted(CRATES.glob("tokio-1.*"))), None)
    if crate is None:
        raise Unavailable(f"Tokio's crate is not in {CRATES} (apt: librust-tokio-dev); {HINT}")
    settings = ['source.crates-io.replace-with="system"', f'source.system.directory="{CRATES}"', 'build.rustflags=["-C","target-cpu=native"]']
    options = [word for setting in settings for word in ("--config", setting)]
    # Outside the source, so that a lock file of one machine's crates does not appear in it.
    source = BUILD / "tokio"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "bench/peers/tokio", source)
    run(["cargo", "build", "--release", "--offline", "-j", "1", "--target-dir", BUILD / "cargo", *options], cwd=source)
    return Peer("tokio", f"Tokio {crate.name.removeprefix('tokio-')}", [BUILD / "cargo/release/tokio_peer"])


MAKERS = {"weir": make_weir, "tokio": make_tokio, "go": make_go, "tbb": make_tbb, "asio": make_asio}


def make_all(names, say):
    """Builds the named peers. Returns them, and the reasons of those that are skipped. weir must build."""
    say("configuring")
    configure()
    made, skipped = {}, {}
    for name in names:
        say(f"building {name}")
        try:
            made[name] = MAKERS[name]()
        except (Unavailable, OSError) as reason:
            if name == "weir":
                raise
            skipped[name] = str(reason)
    return made, skipped
