"use strict";
// The plots of a row, drawn when its details are opened: time and line, residuals, throughput.
{
  const { element, frame, minus } = axes;
  const data = JSON.parse(document.getElementById("data").textContent);
  const rows = new Map(data.rows.map((row) => [row.row, row]));
  const HEIGHT = 240;

  const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x} ${y}`).join("");
  const percent = (share) => `${(100 * share).toFixed(2)} %`;
  const four = (value) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(4));

  // The line, and lines of every slope within the error through the middle of the sizes.
  const model = (row) => {
    const sizes = data.sizes[row.sizes];
    const middle = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    const line = (size) => row.intercept + row.slope * size;
    const spread = (size) => (row.error ?? 0) * row.slope * Math.abs(size - middle);
    return { sizes, line, spread, low: sizes[0], high: sizes[sizes.length - 1] };
  };

  const band = (plot, sizes, lower, upper) => {
    const above = sizes.map((size) => [plot.x(size), plot.y(upper(size))]);
    const below = sizes.map((size) => [plot.x(size), plot.y(lower(size))]).reverse();
    plot.area.append(element("path", { class: "band", d: path([...above, ...below]) + "Z" }));
  };

  const points = (plot, values, title) => {
    for (const [size, value] of values) {
      const circle = element("circle", { class: "point", cx: plot.x(size), cy: plot.y(value), r: 2.5 });
      circle.append(element("title", {}, title(size, value)));
      plot.svg.append(circle);
    }
  };

  const figure = (title, plot, caption) => {
    const made = document.createElement("figure");
    const strong = document.createElement("strong");
    strong.textContent = title;
    const text = document.createElement("figcaption");
    text.textContent = caption;
    made.append(strong, plot.svg, text);
    return made;
  };

  const counted = (row) => (row.unit === "byte" ? "bytes" : row.unit);
  const common = (row, { low, high }, width) => ({
    width, height: HEIGHT, xs: [low, high > low ? high : low + 1], binary: row.unit === "byte",
    xLabel: row.unit === "byte" ? "message size, bytes" : `count, ${row.unit}`,
    xMost: width < 420 ? 4 : 8,
  });

  const time = (row, it, width) => {
    const highest = Math.max(...row.ns, it.line(it.high));
    const [unit, ns] = highest >= 1e6 ? ["ms", 1e6] : highest >= 1e3 ? ["µs", 1e3] : ["ns", 1];
    const ys = [Math.min(0, ...row.ns, it.line(it.low)) / ns, (highest / ns) * 1.05];
    const plot = frame({ ...common(row, it, width), ys, label: `${row.name}: time of a call over size, with its line` });
    const ends = [it.low, it.high];
    band(plot, [it.low, (it.low + it.high) / 2, it.high], (s) => (it.line(s) - it.spread(s)) / ns, (s) => (it.line(s) + it.spread(s)) / ns);
    plot.area.append(element("path", { class: "fit", d: path(ends.map((s) => [plot.x(s), plot.y(it.line(s) / ns)])) }));
    points(plot, it.sizes.map((s, at) => [s, row.ns[at] / ns]), (s, v) => `${s} ${counted(row)}: ${four(v)} ${unit}`);
    const error = row.error === null ? "no error stated" : `band: error of ±${percent(row.error)}`;
    return figure(`Time of a call, ${unit}`, plot, `Points, the line of least squares; ${error}.`);
  };

  const residuals = (row, it, width) => {
    const known = it.sizes.map((s, at) => [s, (100 * (row.ns[at] - it.line(s))) / it.line(s)]).filter(([s]) => it.line(s) > 0);
    const left = it.sizes.length - known.length;
    const sorted = known.map(([, value]) => Math.abs(value)).sort((a, b) => a - b);
    // A few points far away, as small messages have them, would press all others flat.
    const usual = sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0;
    const furthest = sorted[sorted.length - 1] ?? 0;
    const limit = 1.1 * Math.max(furthest > 4 * usual && usual > 0 ? 2 * usual : furthest, 0.05);
    const plot = frame({ ...common(row, it, width), ys: [-limit, limit], suffix: " %", label: `${row.name}: distance of points from the line, per cent` });
    const inside = it.sizes.filter((s) => it.line(s) > 0);
    const share = (s) => (100 * it.spread(s)) / it.line(s);
    band(plot, inside, (s) => -share(s), share);
    plot.area.append(element("path", { class: "fit", d: path([it.low, it.high].map((s) => [plot.x(s), plot.y(0)])) }));
    const title = (s, v) => `${s} ${counted(row)}: ${v > 0 ? "+" : ""}${minus(v.toFixed(2))} %`;
    points(plot, known.filter(([, v]) => Math.abs(v) <= limit), title);
    const beyond = known.filter(([, v]) => Math.abs(v) > limit);
    for (const [s, v] of beyond) {
      const [x, y, tip] = [plot.x(s), plot.y(Math.sign(v) * limit), v > 0 ? 8 : -8];
      const mark = element("path", { class: "beyond", d: `M${x} ${y}l4 ${tip}h-8Z` });
      mark.append(element("title", {}, title(s, v)));
      plot.svg.append(mark);
    }
    let caption = `Distance of the points from the line; ${row.error === null ? "no error stated" : "band: its error"}.`;
    if (beyond.length) caption += ` Beyond the scale: ${beyond.map(([s, v]) => title(s, v)).join(", ")}.`;
    if (left) caption += ` Without ${left} sizes at which the line is not above zero.`;
    return figure("Residuals, per cent of the line", plot, caption);
  };

  const throughput = (row, it, width) => {
    const bytes = row.unit === "byte";
    const factor = bytes ? 1e9 / 2 ** 20 : 1e9;
    const known = it.sizes.map((s, at) => [s, (factor * s) / row.ns[at]]).filter(([s, v]) => s > 0 && Number.isFinite(v));
    const limit = factor / row.slope;
    const highest = Math.max(limit, ...known.map(([, v]) => v)) * 1.05;
    const [prefix, scale] = bytes || highest < 1e4 ? ["", 1] : highest < 1e7 ? ["thousand ", 1e3] : ["million ", 1e6];
    const unit = bytes ? "MiB/s" : `${prefix}${row.unit}/s`;
    const plot = frame({ ...common(row, it, width), ys: [0, highest / scale], label: `${row.name}: throughput by message size` });
    // The curve bends most where messages are small.
    const curve = Array.from({ length: 121 }, (_, at) => it.high * (at / 120) ** 2).filter((s) => s > 0 && s >= it.low);
    const sure = curve.filter((s) => it.line(s) - it.spread(s) > 0);
    const rate = (s, ns) => (factor * s) / ns / scale;
    band(plot, sure, (s) => rate(s, it.line(s) + it.spread(s)), (s) => rate(s, it.line(s) - it.spread(s)));
    plot.area.append(
      element("path", { class: "limit", d: path([it.low, it.high].map((s) => [plot.x(s), plot.y(limit / scale)])) }),
      element("path", { class: "fit", d: path(sure.map((s) => [plot.x(s), plot.y(rate(s, it.line(s)))])) }),
    );
    points(plot, known.map(([s, v]) => [s, v / scale]), (s, v) => `${s} ${counted(row)}: ${four(v)} ${unit}`);
    return figure(`Throughput, ${unit}`, plot, `Points; curve: what the line predicts; dashes: without the cost of a call, ${four(limit / scale)} ${unit}.`);
  };

  const list = (row, it) => {
    const made = document.createElement("details");
    made.className = "points-table";
    const summary = document.createElement("summary");
    summary.textContent = `The ${it.sizes.length} points in numbers`;
    made.append(summary);
    made.addEventListener("toggle", () => {
      const box = document.createElement("div");
      box.className = "scroll";
      box.tabIndex = 0;
      const table = box.appendChild(document.createElement("table"));
      const line = (parent, tag, cells) => {
        const tr = parent.insertRow();
        for (const cell of cells) tr.appendChild(document.createElement(tag)).textContent = cell;
        return tr;
      };
      line(table.createTHead(), "th", [counted(row), "ns", "line, ns"]);
      const body = table.createTBody();
      it.sizes.forEach((s, at) => {
        for (const cell of line(body, "td", [s, row.ns[at], it.line(s).toPrecision(6)]).cells) cell.className = "number";
      });
      made.append(box);
    }, { once: true });
    return made;
  };

  const draw = (place) => {
    if (place.childElementCount) return;
    const row = rows.get(Number(place.dataset.plots));
    const it = model(row);
    const columns = Math.max(1, Math.min(3, Math.floor((place.clientWidth + 16) / 336)));
    const width = Math.max(260, Math.floor((place.clientWidth - 16 * (columns - 1)) / columns));
    place.append(time(row, it, width), residuals(row, it, width), throughput(row, it, width));
    place.after(list(row, it));
  };

  for (const group of document.querySelectorAll("details.algorithm")) {
    group.addEventListener("toggle", () => {
      if (group.open) group.querySelectorAll("[data-plots]").forEach(draw);
    });
  }
}
