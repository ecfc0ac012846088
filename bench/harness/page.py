# SPDX-License-Identifier: Apache-2.0
"""The page: one file that needs nothing else. A summary of every ratio first, then a plot and a table for each workload."""
import json
import pathlib
from html import escape

from . import drawing, peers, results, stats, terminal

HERE = pathlib.Path(__file__).resolve().parent
PLOTTER = peers.BUILD / "node_modules/uplot/dist"


def plot_library():
    """uPlot's style and script where tools/setup.sh --bench has put them; else nothing, and the drawings stay."""
    try:
        script = (PLOTTER / "uPlot.iife.min.js").read_text()
        return f"<style>{(PLOTTER / 'uPlot.min.css').read_text()}</style><script>{script}</script>"
    except OSError:
        return ""


def chip(row):
    title = f"{row['pairs']} pairs, 95 % interval {row['low']:.2f} to {row['high']:.2f}"
    return f'<span class="chip {row["verdict"]}" title="{title}"><small>P={row["permits"]}</small> {row["ratio"]:.2f}</span>'


def summary_table(workloads, rows, names):
    compared = [name for name in names if name != "weir"]
    lines = ["<div class=wide><table><thead><tr><th>weir divided by", *(f"<th>{escape(name)}" for name in compared), "</thead><tbody>"]
    for workload in workloads:
        for metric in workload.metrics:
            mine = [row for row in rows if row["workload"] == workload.name and row["metric"] == metric.label and "verdict" in row]
            if not mine:
                continue
            cells = ("".join(chip(row) for row in mine if row["peer"] == name) for name in compared)
            lines.append(f'<tr><td class=name><a href="#{workload.name}">{workload.name}</a> <span class=soft>{escape(metric.label)}</span>'
                         + "".join(f"<td>{cell or '<span class=soft>-</span>'}" for cell in cells))
    return "".join(lines) + "</tbody></table></div>"


def detail_row(row):
    ratio = f"{row['ratio']:.2f}x<td>{row['low']:.2f} to {row['high']:.2f}" if "ratio" in row else "<td>"
    if row.get("target") is not None:
        ratio += f" <span class=soft>target {row['target']:g}</span>"
    verdict = row.get("verdict", "")
    mark = {"loss": "<span class='chip loss'>lost</span>", "behind": "<span class='chip behind'>behind target</span>", "open": "<span class=chip>not decided</span>"}
    return (f"<tr class='{verdict}'><td>{row['permits']}<td class=name>{escape(row['peer'])}<td>{terminal.figure(row['median'])}<td>{ratio}<td>{mark.get(verdict, '')}"
            f"<td>{terminal.figure(row['cpu_ns_per_op'])}<td>{terminal.bytes_text(row['peak_rss'])}<td>{row['peak_threads']}<td>{row['disturbed']} of {row['runs']}")


def section(workload, rows, plots):
    parts = [f'<section id="{workload.name}"><h3>{workload.name}</h3><div class=soft>{escape(workload.about)}</div>']
    for number, metric in enumerate(workload.metrics):
        mine = [row for row in rows if row["workload"] == workload.name and row["metric"] == metric.label]
        if not mine:
            continue
        permits, series = drawing.series_of(rows, workload.name, metric.label)
        plot = f"plot-{workload.name}-{number}"
        plots.append({"id": plot, "unit": metric.unit, "permits": permits,
                      "series": [{"name": peer, "colour": drawing.COLOURS[peer], "values": values} for peer, values in series.items()]})
        parts.append(f'<p class=soft>{escape(metric.label)} in {escape(metric.unit)}; lower is better</p><div class=both><div class=plot><div id="{plot}">'
                     f"{drawing.svg(permits, series, metric.unit)}{drawing.legend(series)}</div></div><div class=wide><table><thead><tr><th>P<th class=name>program<th>median"
                     "<th>weir / it<th>95 % interval<th><th>CPU ns/op<th>peak memory<th>threads<th>disturbed</thead><tbody>"
                     + "".join(detail_row(row) for row in mine) + "</tbody></table></div></div>")
    return "".join(parts) + "</section>" if len(parts) > 1 else ""


def notes(data):
    lines = [f"{escape(peer)} is left out: {escape(reason)}" for peer, reason in data["skipped"].items()]
    lines += [f"weir has no program yet for: {', '.join(data['absent'])}"] if data["absent"] else []
    lines += [f"{escape(each['peer'])} failed in {each['workload']} at {each['permits']}: {escape(each['reason'])}" for each in data["failures"]]
    lines += [f"stopped after {data['pairs_done']} of {data['pairs']} pairs: {data['stopped']}"] if data["stopped"] else []
    lines += [f"unequal work, so no comparison: {cell} at {permits}" for cell, permits, _ in results.unequal_checksums(data["runs"])]
    return "<ul>" + "".join(f"<li>{line}" for line in lines) + "</ul>" if lines else ""


def losses(rows):
    lost = results.with_verdict(rows, "loss", "behind")
    if not lost:
        return "<p>None.</p>"
    return "<ul>" + "".join(f'<li><span class="chip {row["verdict"]}">{"lost" if row["verdict"] == "loss" else "behind target"}</span> {escape(terminal.loss_line(row))}'
                            for row in lost) + "</ul>"


def render(workloads, rows, data):
    machine, plots = data["machine"], []
    counts = {verdict: len(results.with_verdict(rows, verdict)) for verdict in terminal.WORDS}
    disturbed = sum(bool(run.get("disturbed")) for run in data["runs"])
    hint = " <b>So few pairs are hints, no verdicts.</b>" if data["pairs_done"] < stats.ENOUGH_PAIRS else ""
    sections = "".join(section(workload, rows, plots) for workload in workloads)
    plot_data = json.dumps(plots).replace("</", "<\\/")
    boxes = "".join(f"<div class={verdict}><b>{counts[verdict]}</b>{word}</div>"
                    for verdict, word in (("loss", "lost"), ("behind", "behind target"), ("open", "not decided"), ("win", "won")))
    return f"""<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1"><title>weir: benchmarks</title>
<style>{(HERE / "page.css").read_text()}</style>
<h1>weir beside its peers</h1>
<p class=soft>{escape(machine["cpu"])}, {machine["cores"]} cores, {machine["memory_gib"]} GiB, {escape(machine["system"])}, {escape(machine["date"])}.
{escape("; ".join(data["peers"].values()))}. {data["pairs_done"]} pairs a comparison{", quick sizes" if data["quick"] else ""};
{disturbed} of {len(data["runs"])} runs were disturbed by other processes.</p>
<div class=counts>{boxes}</div>
<p>A number is weir's figure divided by the peer's in the same moment: below 1, weir is ahead. P is the number of threads that run tasks. Red: the whole 95 % interval
of the ratio is above 1. Amber: ahead or undecided, and surely short of its target. Grey: the interval contains 1, so these pairs decide nothing.{hint}</p>
{notes(data)}
<h2>Every ratio</h2>{summary_table(workloads, rows, list(data["peers"]))}
<h2>Lost, or behind target</h2>{losses(rows)}
<h2>Workload by workload</h2>{sections}
<script type="application/json" id=plots>{plot_data}</script>{plot_library()}
<script>{(HERE / "page.js").read_text()}</script>
</html>
"""
