/*
 * Copyright (c) 2026, StreamOps
 * GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
"use strict";
(() => {
  const form = document.getElementById("filter");
  const text = document.getElementById("text");
  const count = document.getElementById("count");
  // Of a long table the first rows are shown, which are the worst ones; the filter looks at all of them.
  const FIRST = 100;
  const tables = Array.from(document.querySelectorAll("table.rows"), (table) => ({
    table,
    name: table.dataset.name,
    none: table.closest("section").querySelector(".none"),
    more: table.closest("section").querySelector(".more"),
    limit: FIRST,
    rows: Array.from(table.tBodies[0].rows, (row) => ({ row, text: null })),
  }));
  const format = (number) => number.toLocaleString("en");

  const show = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set(Array.from(form.querySelectorAll("input:checked"), (box) => box.value));
    const matches = (entry) => {
      if (!severities.has(entry.row.dataset.s)) {
        return false;
      }
      if (words.length && entry.text === null) {
        entry.text = entry.row.dataset.t ?? entry.row.textContent.toLowerCase();
      }
      return words.every((word) => entry.text.includes(word));
    };
    const counts = tables.map((one) => {
      let number = 0;
      for (const entry of one.rows) {
        const match = matches(entry);
        number += match;
        const hidden = !match || number > one.limit;
        if (entry.row.hidden !== hidden) {
          entry.row.hidden = hidden;
        }
      }
      one.none.hidden = number > 0;
      one.table.tHead.hidden = number === 0;
      one.more.hidden = number <= one.limit;
      one.more.textContent = `Show all ${format(number)} ${one.name}`;
      const first = number > one.limit ? ` (${format(one.limit)} shown)` : "";
      return `${format(number)} of ${format(one.rows.length)} ${one.name}${first}`;
    });
    count.textContent = `Matching: ${counts.join("; ")}`;
  };

  const filter = () => {
    for (const one of tables) {
      one.limit = FIRST;
    }
    show();
  };

  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 100);
  };

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const sort = (head) => {
    const one = tables.find((entry) => entry.table.contains(head));
    const column = head.cellIndex;
    const descending = head.getAttribute("aria-sort") === "ascending";
    const keyed = one.rows.map((entry) => {
      const cell = entry.row.cells[column];
      return { entry, key: cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v) };
    });
    const numbers = keyed.every(({ key }) => typeof key === "number");
    keyed.sort((a, b) => (numbers ? a.key - b.key : collator.compare(a.key, b.key)) * (descending ? -1 : 1));
    one.rows = keyed.map(({ entry }) => entry);
    // Out of the page: moving one row after the other inside of it takes a hundred times as long.
    const body = one.table.tBodies[0];
    body.remove();
    body.replaceChildren(...one.rows.map(({ row }) => row));
    one.table.append(body);
    show();
    for (const other of one.table.tHead.querySelectorAll("[aria-sort]")) {
      other.setAttribute("aria-sort", other !== head ? "none" : descending ? "descending" : "ascending");
    }
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button === null) {
      return;
    }
    if (button.dataset.f !== undefined) {
      text.value = button.dataset.f;
      filter();
      const findings = document.getElementById("findings");
      findings.scrollIntoView();
      findings.focus({ preventScroll: true });
    } else if (button.classList.contains("more")) {
      const one = tables.find((entry) => entry.more === button);
      const next = one.rows.filter(({ row }) => !row.hidden).length;
      one.limit = Infinity;
      show();
      // The button is gone; whoever came by keyboard goes on at the first row that is new.
      const row = one.rows.filter((entry) => !entry.row.hidden)[next].row;
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
    } else if (button.closest("th[aria-sort]")) {
      sort(button.closest("th"));
    }
  });
  form.addEventListener("input", soon);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    filter();
  });
  // Paper cannot be unfolded.
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));

  form.hidden = false;
  show();
})();
