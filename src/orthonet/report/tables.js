// Tables that name a file can be sorted by their headings, filtered by a text, and downloaded as a file of comma-separated values.
(() => {
  "use strict";
  const FEW = 10; // rows that one sees at a glance: no need to filter
  const valueOf = (cell) => cell.dataset.value ?? cell.textContent.trim();

  // Numbers by size, text as people sort it, and what is empty last, whichever way.
  function compared(one, other, down) {
    if (one === "" || other === "") return (one === "") - (other === "");
    const [left, right] = [Number(one), Number(other)];
    const order = Number.isNaN(left) || Number.isNaN(right) ? one.localeCompare(other, undefined, { numeric: true }) : left - right;
    return down ? -order : order;
  }

  function sortBy(table, heading, place) {
    // Numbers from the largest at first, words from A; the next click turns it round.
    const before = heading.getAttribute("aria-sort");
    const falling = before === null ? heading.classList.contains("number") : before === "ascending";
    table.querySelectorAll("thead th").forEach((one) => one.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [valueOf(row.cells[place]), row]);
    rows.sort(([one], [other]) => compared(one, other, falling));
    body.append(...rows.map(([, row]) => row));
  }

  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  function download(table, file) {
    const rows = Array.from(table.rows).filter((row) => !row.hidden);
    const text = rows.map((row) => Array.from(row.cells, (cell) => quoted(valueOf(cell))).join(",")).join("\r\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${text}\r\n`], { type: "text/csv" }));
    link.download = `${file}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  document.querySelectorAll("[data-file]").forEach((place) => {
    const table = place.querySelector("table");
    const rows = Array.from(table.tBodies[0].rows);
    table.querySelectorAll("thead th").forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sortBy(table, heading, column));
    });

    const controls = document.createElement("p");
    controls.className = "controls";
    const label = document.createElement("label");
    const filter = document.createElement("input");
    const count = document.createElement("output");
    const save = document.createElement("button");
    filter.type = "search";
    filter.autocomplete = "off";
    filter.spellcheck = false;
    filter.id = `filter-${place.dataset.file}`;
    label.htmlFor = filter.id;
    label.textContent = "Filter";
    count.htmlFor = filter.id;
    save.type = "button";
    save.textContent = "Download CSV";
    controls.append(...(rows.length > FEW ? [label, filter] : []), save, count);
    if (rows.length > FEW) place.before(controls);
    else place.after(controls);

    // Every word must be in the row; a word of a whole cell ("17") is looked for as a whole cell first.
    filter.addEventListener("input", () => {
      const wanted = filter.value.trim().toLowerCase();
      const whole = rows.filter((row) => row.cells[0].textContent.trim().toLowerCase() === wanted);
      rows.forEach((row) => {
        const text = row.textContent.toLowerCase();
        row.hidden = whole.length > 0 ? !whole.includes(row) : !wanted.split(/\s+/).every((word) => text.includes(word));
      });
      const left = rows.filter((row) => !row.hidden).length;
      count.textContent = wanted === "" ? "" : `${left.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
    });
    save.addEventListener("click", () => download(table, place.dataset.file));
  });
})();
