"use strict";
// Axes of a plot: SVG elements, ticks at round numbers, a frame with labels.
const axes = (() => {
  const element = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  // Numbers in words have a minus sign, not a hyphen.
  const minus = (text) => text.replace("-", "\u2212");

  // Round steps of which about `most` fit; powers of two where bytes are counted.
  const step = (span, most, binary) => {
    const rough = span / most;
    if (binary && rough >= 1) return 2 ** Math.ceil(Math.log2(rough));
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  };

  const ticks = (low, high, most, binary) => {
    const width = step(high - low, most, binary);
    const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(width) + 1e-9)));
    const found = [];
    for (let at = Math.ceil(low / width - 1e-9); at * width <= high + width * 1e-9; at++) {
      // No "-0.0".
      found.push([at * width, minus((at === 0 ? 0 : at * width).toFixed(decimals))]);
    }
    return found;
  };

  const MARGIN = { left: 52, right: 18, top: 10, bottom: 40 };

  // An empty plot; `x` and `y` tell where a value lies.
  const frame = ({ width, height, xs, ys, xLabel, label, binary, xMost = 5, suffix = "" }) => {
    const { left, right, top, bottom } = MARGIN;
    const [xLow, xHigh] = xs, [yLow, yHigh] = ys;
    const inner = { width: width - left - right, height: height - top - bottom };
    const round = (value) => Math.round(value * 100) / 100;
    const x = (value) => round(left + (inner.width * (value - xLow)) / (xHigh - xLow));
    const y = (value) => round(top + inner.height * (1 - (value - yLow) / (yHigh - yLow)));
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const [value, text] of ticks(yLow, yHigh, 5, false)) {
      svg.append(
        element("path", { class: "grid", d: `M${left} ${y(value)}h${inner.width}` }),
        element("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, text + suffix),
      );
    }
    for (const [value, text] of ticks(xLow, xHigh, xMost, binary)) {
      svg.append(
        element("path", { class: "axis", d: `M${x(value)} ${top + inner.height}v4` }),
        element("text", { x: x(value), y: height - 22, "text-anchor": "middle" }, text),
      );
    }
    svg.append(
      element("path", { class: "axis", d: `M${left} ${top}v${inner.height}h${inner.width}` }),
      element("text", { x: left + inner.width / 2, y: height - 5, "text-anchor": "middle" }, xLabel),
    );
    // What is drawn stays inside.
    const id = "clip" + frame.count++;
    const clip = element("clipPath", { id });
    clip.append(element("rect", { x: left, y: top, width: inner.width, height: inner.height }));
    const area = element("g", { "clip-path": `url(#${id})` });
    svg.append(clip, area);
    return { svg, area, x, y };
  };
  frame.count = 0;

  return { element, frame, minus };
})();
