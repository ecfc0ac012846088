// SPDX-License-Identifier: Apache-2.0
// Replaces each drawing by a plot that shows its values under the pointer. Without the library the drawings stay.
if (typeof uPlot === "function") {
  const ink = getComputedStyle(document.documentElement);
  const soft = ink.getPropertyValue("--soft"), line = ink.getPropertyValue("--line");
  for (const plot of JSON.parse(document.getElementById("plots").textContent)) {
    const place = document.getElementById(plot.id);
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { stroke: line } };
    const options = {
      width: place.clientWidth, height: 240,
      scales: { x: { time: false, range: [-0.25, plot.permits.length - 0.75] }, y: { distr: 3 } },
      axes: [{ ...axis, splits: plot.permits.map((_, at) => at), values: (_, at) => at.map(i => plot.permits[i] + (i === 0 ? " permits" : "")) },
             { ...axis, size: 70, label: plot.unit, stroke: soft }],
      series: [{ label: "permits", value: (_, at) => at == null ? "" : plot.permits[at] },
               ...plot.series.map(each => ({ label: each.name, stroke: each.colour, width: each.name === "weir" ? 3 : 1.5, points: { show: true, size: 6 },
                                             value: (_, y) => y == null ? "" : y.toPrecision(4) + " " + plot.unit }))],
    };
    place.textContent = "";
    const drawn = new uPlot(options, [plot.permits.map((_, at) => at), ...plot.series.map(each => each.values)], place);
    addEventListener("resize", () => drawn.setSize({ width: place.clientWidth, height: 240 }));
  }
}
