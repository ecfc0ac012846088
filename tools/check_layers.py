#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails when a file includes from a layer above its own, or includes a system header outside os/ (tests may: some block on purpose).

A folder of src/ is a layer. A public header belongs to the layer that tools/layers.txt names, private sources may include it when
they stand at or above that layer.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SYSTEM = re.compile(r'^(sys/|linux/|asm/|netinet/|arpa/|(unistd|fcntl|pthread|sched|signal|poll|dirent|dlfcn|ucontext|errno|time|termios|spawn)\.h$)')


def read_table():
    order, headers = [], {}
    for line in (ROOT / "tools/layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, rest = line.partition(":")
        rank = len(order)
        names = name.split()
        order.append(names)
        for layer in names:
            for header in rest.split():
                headers[header] = (rank, layer)
    ranks = {layer: rank for rank, names in enumerate(order) for layer in names}
    return ranks, headers


def main():
    ranks, headers = read_table()
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.cpp", "*.hpp"],
                           cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    problems = []

    def layer_of_include(name):
        if name.startswith("weir/"):
            short = name[len("weir/"):]
            if short in headers:
                return headers[short]
            folder = short.rsplit("/", 1)[0] + "/"
            while folder != "/" and folder:
                if folder in headers:
                    return headers[folder]
                folder = folder.rstrip("/").rsplit("/", 1)[0] + "/" if "/" in folder.rstrip("/") else ""
            return (None, short)
        top = name.split("/")[0]
        if "/" in name and top in ranks:
            return (ranks[top], top)
        return None

    for file in files:
        parts = file.split("/")
        if parts[0] == "src":
            layer = parts[1]
            if layer not in ranks:
                problems.append(f"{file}: folder src/{layer} is not in tools/layers.txt")
                continue
            rank = ranks[layer]
        elif parts[0] == "include":
            found = layer_of_include("/".join(parts[1:]))
            if found is None or found[0] is None:
                problems.append(f"{file}: not in tools/layers.txt")
                continue
            rank, layer = found
        else:
            continue
        text = (ROOT / file).read_text()
        for quote, name in INCLUDE.findall(text):
            line = text[:text.find(name)].count("\n") + 1
            where = f"{file}:{line}"
            if quote == "<" and SYSTEM.match(name) and layer != "os" and not file.endswith("_test.cpp"):
                problems.append(f"{where}: system header <{name}> outside os/")
                continue
            target = layer_of_include(name)
            if target is None:
                continue
            if target[0] is None:
                problems.append(f"{where}: <weir/{target[1]}> is not in tools/layers.txt")
            elif target[0] > rank:
                problems.append(f"{where}: {layer} includes {name} of the higher layer {target[1]}")
            if parts[0] == "include" and quote == '"':
                problems.append(f"{where}: a public header includes the private {name}")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"layers: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
