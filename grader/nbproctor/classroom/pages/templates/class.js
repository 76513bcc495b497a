"use strict";
// Sorting and searching; the page is whole without them.
const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const value = (row, column) => {
  const text = row.cells[column].textContent.replace(/[▲✎]/g, "").trim();
  return text === "" || text === "–" || text === "?" ? null : text === "·" ? -1 : isNaN(text) ? folded(text) : Number(text);
};
const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));

function sort(head, column) {
  const body = head.closest("table").tBodies[0];
  const down = head.getAttribute("aria-sort") === "none" ? column > 0 : head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = Array.from(body.rows, (row) => [value(row, column), row]);
  rows.sort(([a], [b]) => (a === null) - (b === null) || (down ? compare(b, a) : compare(a, b)));
  body.append(...rows.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table.students")) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.title = "sort";
    button.onclick = () => sort(head, column);
    head.setAttribute("aria-sort", column ? "none" : "ascending");
    head.append(button);
  });
}

const box = document.querySelector(".search");
if (box) {
  const [field, status] = box.children;
  const rows = Array.from(document.querySelectorAll("table.students tbody tr"), (row) => [folded(row.cells[0].textContent), row]);
  const first = document.querySelector("table.students tbody");
  field.oninput = () => {
    const wanted = folded(field.value.trim());
    for (const [name, row] of rows) row.hidden = !name.includes(wanted);
    status.textContent = wanted ? `${first.querySelectorAll("tr:not([hidden])").length} of ${first.rows.length}` : "";
  };
  box.hidden = false;
}

addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => (part.open = true)));
