# SPDX-License-Identifier: Apache-2.0
"""A plot as SVG: one line for each program over the number of permits, on a logarithmic axis. It needs no script."""
import math
from html import escape

COLOURS = {"weir": "#d1495b", "tokio": "#2f6fde", "go": "#0f9d8a", "tbb": "#9a6bd6", "asio": "#c98a1b"}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 240, 58, 12, 12, 26


def series_of(rows, workload, metric):
    """(permits, {peer: [median or None for each of the permits]}) of one metric of a workload."""
    mine = [row for row in rows if row["workload"] == workload and row["metric"] == metric and row["peer"] in COLOURS]
    permits = sorted({row["permits"] for row in mine})
    found = {(row["peer"], row["permits"]): row["median"] for row in mine}
    return permits, {peer: [found.get((peer, number)) for number in permits] for peer in COLOURS if any(row["peer"] == peer for row in mine)}


def ticks(low, high):
    """Values of 1, 2 or 5 times a power of ten within the range; only powers where it is wide."""
    steps = (1, 2, 5) if high / low < 100 else (1,)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [step * 10 ** power for power in range(first, last + 1) for step in steps if low <= step * 10 ** power <= high]


def svg(permits, series, unit):
    values = [value for each in series.values() for value in each if value]
    if not values:
        return ""
    low, high = min(values) / 1.25, max(values) * 1.25
    span = math.log(high / low)

    def across(at):
        return LEFT + (WIDTH - LEFT - RIGHT) * (at + 0.5) / len(permits)

    def down(value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(value / low) / span

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(unit)} over permits">']
    for tick in ticks(low, high):
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down(tick):.1f}" y2="{down(tick):.1f}"/>'
                     f'<text x="{LEFT - 6}" y="{down(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    parts.append(f'<text x="4" y="{HEIGHT - 8}">{escape(unit)}</text>')
    for at, number in enumerate(permits):
        parts.append(f'<text x="{across(at):.1f}" y="{HEIGHT - 8}" text-anchor="middle">P={number}</text>')
    for peer, each in series.items():
        points = [(across(at), down(value)) for at, value in enumerate(each) if value]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        width = 3 if peer == "weir" else 1.6
        parts.append(f'<polyline fill="none" stroke="{COLOURS[peer]}" stroke-width="{width}" points="{path}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{width + 0.8}" fill="{COLOURS[peer]}"><title>{escape(peer)}</title></circle>' for x, y in points]
    return "".join(parts) + "</svg>"


def legend(series):
    return '<div class="legend">' + "".join(f'<span><i style="background:{COLOURS[peer]}"></i>{escape(peer)}</span>' for peer in series) + "</div>"
