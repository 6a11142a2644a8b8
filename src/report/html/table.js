"use strict";
// Sorting by a column's button, and showing only the rows with some words.
{
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  const words = new Intl.Collator("en", { numeric: true });

  // What a row is sorted by: a number, or words. Rows without a value have null and come last.
  const key = (row, column, numeric) => {
    const cell = row.cells[column];
    if (!numeric) return cell.textContent.trim() || null;
    return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
  };

  const sort = (table, column, order, numeric) => {
    const body = table.tBodies[0];
    const sign = order === "descending" ? -1 : 1;
    const printed = (row) => Number(row.dataset.row);
    const keyed = [...body.rows].map((row) => [key(row, column, numeric), row]);
    keyed.sort(([a, rowA], [b, rowB]) => {
      if (order === "none" || a === b) return printed(rowA) - printed(rowB);
      if (a === null || b === null) return a === null ? 1 : -1;
      return sign * (numeric ? a - b : words.compare(a, b));
    });
    body.append(...keyed.map(([, row]) => row));
  };

  for (const table of document.querySelectorAll(".results table")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.querySelector("button")?.addEventListener("click", () => {
        const order = NEXT[head.getAttribute("aria-sort")];
        for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        sort(table, column, order, head.classList.contains("number"));
      });
    });
  }

  // A date needs a calendar.
  for (const time of document.querySelectorAll("time[data-unix-s]")) {
    const begun = new Date(1000 * Number(time.dataset.unixS));
    if (!Number.isNaN(begun.valueOf())) time.textContent = begun.toISOString().slice(0, 19).replace("T", " ") + " UTC";
  }

  const tools = document.getElementById("tools");
  const filter = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const rows = [...document.querySelectorAll("tr[data-row]")].map((row) => ({
    row,
    detail: document.getElementById("row-" + row.dataset.row),
    text: [row.cells[0], row.querySelector(".label"), row.querySelector(".notes")]
      .map((cell) => cell?.textContent ?? "").join(" ").toLowerCase(),
  }));
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, detail, text } of rows) {
      const hide = !wanted.every((word) => text.includes(word));
      row.hidden = detail.hidden = hide;
      count += hide ? 0 : 1;
    }
    for (const group of document.querySelectorAll("details.algorithm")) {
      group.hidden = !group.querySelector(".row:not([hidden])");
    }
    shown.textContent = wanted.length ? `${count} of ${rows.length} rows` : "";
  });
  tools.hidden = false;

  // A link to a row opens its details.
  const open = () => {
    const row = document.getElementById(location.hash.slice(1));
    const group = row?.closest("details");
    if (!group) return;
    group.open = true;
    // Plots that are drawn now move what is below.
    requestAnimationFrame(() => { row.focus({ preventScroll: true }); row.scrollIntoView(); });
  };
  addEventListener("hashchange", open);
  addEventListener("DOMContentLoaded", open);
}
