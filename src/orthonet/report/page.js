// Draws the report's figures with Plotly: in the colours of the reader's theme, again when theme, width or paper changes.
(() => {
  "use strict";
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const darkness = window.matchMedia("(prefers-color-scheme: dark)");
  const NARROW = 560;
  let printing = false;
  let colourBy = "cluster";

  const theme = () => report.themes[darkness.matches && !printing ? "dark" : "light"];

  // Plotly reads a few tags in its texts; what came from files must stay text.
  const safe = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const short = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const floats = (text) => new Float32Array(bytes(text));
  const unpacked = ({ low, high, steps }) =>
    Array.from(new Uint16Array(bytes(steps)), (step) => low + ((high - low) * step) / 65535);
  const spaced = (colours, power = 1) => colours.map((colour, place) => [(place / (colours.length - 1)) ** power, colour]);
  const clusterColour = (cluster) => theme().clusters[cluster % theme().clusters.length];
  const clusterSymbol = (cluster) =>
    report.symbols[Math.floor(cluster / theme().clusters.length) % report.symbols.length];

  const hasWebgl = () => {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl") || canvas.getContext("experimental-webgl");
    return context !== null;
  };

  const colourBar = (title) => ({
    title: { text: title, side: "right" },
    thickness: 12,
    outlinewidth: 0,
    tickfont: { color: theme().quiet },
  });

  const kinds = {
    scatter(figure, width) {
      const points = (figure.points ??= readPoints(figure));
      const { x, y, cluster } = points;
      const narrow = width < NARROW;
      const many = points.shown.length > figure.webglAbove;
      const size = Math.max(many ? 3 : 5, Math.min(9, 220 / Math.sqrt(points.shown.length)));
      const line = { width: many ? 0 : 0.6, color: theme().outline };
      const type = points.shown.length > figure.webglAbove ? "scattergl" : "scatter";
      const trace = (chosen, marker, name) => ({
        type,
        mode: "markers",
        name,
        x: chosen.map((point) => x[point]),
        y: chosen.map((point) => y[point]),
        text: chosen.map((point) => points.label(point)),
        hovertemplate: "%{text}<extra></extra>",
        marker: { size, line, opacity: many ? 0.7 : 0.9, ...marker },
      });
      let traces;
      let legend = false;
      if (colourBy === "cluster") {
        const members = figure.sizes.map(() => []);
        points.shown.forEach((point) => members[cluster[point]].push(point));
        traces = members
          .map((chosen, group) =>
            trace(chosen, { color: clusterColour(group), symbol: clusterSymbol(group) }, `${group} (${figure.sizes[group].toLocaleString("en")})`),
          )
          .filter((one) => one.x.length > 0);
        legend = !(narrow && figure.sizes.length > 20);
      } else {
        const column = figure.columns[Number(colourBy)];
        const values = points.column(Number(colourBy));
        const marker = {
          color: points.shown.map((point) => values[point]),
          colorscale: spaced(theme().values),
          cmin: column.range[0],
          cmax: column.range[1] > column.range[0] ? column.range[1] : column.range[0] + 1,
          symbol: figure.sizes.length > 10 ? points.shown.map((point) => clusterSymbol(cluster[point])) : "circle",
          showscale: true,
          colorbar: narrow
            ? { ...colourBar(""), orientation: "h", y: -0.02, yanchor: "top", x: 0.5, title: { text: safe(column.name), side: "bottom" } }
            : colourBar(safe(column.name)),
        };
        traces = [trace(points.shown, marker, column.name)];
      }
      const bare = { showticklabels: false, zeroline: false, ticks: "", title: { text: "" } };
      return {
        traces,
        height: narrow ? Math.min(width * 1.25, 520) : printing ? 430 : 600,
        layout: {
          showlegend: legend,
          legend: {
            title: { text: narrow ? "" : "cluster (nodes)" },
            itemsizing: "constant",
            ...(narrow ? { orientation: "h", x: 0, y: -0.02, yanchor: "top", font: { size: 11 } } : {}),
          },
          xaxis: bare,
          yaxis: { ...bare, scaleanchor: "x" },
          hovermode: "closest",
          margin: { l: 8, r: 8, t: 34, b: 8 },
        },
      };
    },

    sizes(figure, width) {
      const names = figure.values.map((_, cluster) => cluster);
      return {
        traces: [
          {
            type: "bar",
            x: names,
            y: figure.values,
            marker: { color: names.map(clusterColour), line: { width: 0.6, color: theme().outline } },
            hovertemplate: "cluster %{x}: %{y:,} nodes<extra></extra>",
          },
        ],
        height: width < NARROW ? 200 : 240,
        layout: {
          xaxis: { title: { text: "cluster" }, showgrid: false, ...(names.length <= 30 ? { tickmode: "linear", dtick: 1 } : {}) },
          yaxis: { title: { text: "nodes" } },
        },
      };
    },

    agreement(figure, width) {
      const rows = figure.names.map((_, place) => place);
      const bar = (name, values, colour, pattern) => ({
        type: "bar",
        orientation: "h",
        name,
        y: rows,
        x: values,
        marker: { color: colour, pattern, line: { width: 0.6, color: theme().outline } },
        hovertemplate: `%{x:.1%} ${name}<extra></extra>`,
      });
      return {
        traces: [
          bar("within clusters", figure.within, theme().clusters[6]),
          bar("by chance", figure.chance, theme().clusters[9], { shape: "/", size: 6 }),
        ],
        height: 90 + 44 * rows.length,
        layout: {
          barmode: "group",
          bargap: 0.3,
          xaxis: { range: [0, 1.02], tickvals: [0, 0.25, 0.5, 0.75, 1], tickformat: ".0%", fixedrange: true },
          yaxis: { tickvals: rows, ticktext: figure.names.map(safe), autorange: "reversed", fixedrange: true, automargin: true, showgrid: false },
          legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", traceorder: "normal" },
          showlegend: true,
          margin: { l: 8, r: 16, t: 36, b: 30 },
        },
      };
    },

    density(figure, width) {
      const names = figure.values.map((_, cluster) => cluster);
      const found = heat(width, names.length, {
        z: figure.values,
        x: names,
        y: names,
        xgap: names.length <= 40 ? 1 : 0,
        ygap: names.length <= 40 ? 1 : 0,
        hovertemplate: "clusters %{y} and %{x}: %{z:.3~p} of the pairs joined<extra></extra>",
      }, {
        title: { text: "cluster" },
        tickangle: 0,
        ...(names.length * 18 <= room(width) ? { tickmode: "linear", dtick: 1 } : {}),
      });
      if (names.length <= 8 && width > 280) found.traces.push(written(figure.values));
      return found;
    },

    adjacency(figure, width) {
      const n = figure.bins;
      const flat = (figure.flat ??= unpacked(figure.image));
      const z = Array.from({ length: n }, (_, row) => flat.slice(row * n, (row + 1) * n));
      const starts = [0, ...figure.ends.slice(0, -1)];
      // Clusters too thin for their own number go without it.
      const wide = starts.map((_, cluster) => cluster).filter((cluster) => ((figure.ends[cluster] - starts[cluster]) / n) * room(width) > 8 * String(cluster).length + 4);
      const axis = {
        title: { text: "cluster" },
        tickvals: wide.map((cluster) => (starts[cluster] + figure.ends[cluster]) / 2 - 0.5),
        ticktext: wide.map(String),
        tickangle: 0,
        range: [-0.5, n - 0.5],
      };
      const found = heat(width, n, { z, hovertemplate: "%{z:.3~p} of the pairs joined<extra></extra>" }, axis);
      if (figure.bounds) {
        const line = { color: theme().outline, width: 0.5 };
        found.layout.shapes = figure.ends.slice(0, -1).flatMap((end) => [
          { type: "line", x0: end - 0.5, x1: end - 0.5, y0: -0.5, y1: n - 0.5, line },
          { type: "line", y0: end - 0.5, y1: end - 0.5, x0: -0.5, x1: n - 0.5, line },
        ]);
      }
      return found;
    },

    line(figure, width) {
      const single = figure.y.length < 30;
      return {
        traces: [
          {
            type: "scatter",
            mode: single ? "lines+markers" : "lines",
            x: figure.x,
            y: figure.y,
            line: { color: theme().clusters[6], width: 2 },
            hovertemplate: `step %{x}: ${figure.title} %{y:.4~g}<extra></extra>`,
          },
        ],
        height: width < NARROW ? 220 : 260,
        layout: {
          xaxis: { title: { text: figure.axis }, rangemode: "tozero" },
          yaxis: { title: { text: figure.title }, ...(figure.log ? logarithmic([...figure.y, ...(figure.level ? [figure.level] : [])]) : { nticks: 6 }) },
          shapes: figure.level
            ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: figure.level, y1: figure.level, line: { color: theme().quiet, width: 1.5, dash: "dot" } }]
            : [],
        },
      };
    },
  };

  // Pixels of a heat map's side, within its margins and beside its scale.
  const room = (width) => 0.75 * Math.min(width, 440);

  // Colour follows the square root of the density: sparse blocks are the rule, and differ too.
  function heat(width, n, trace, axis) {
    const side = Math.min(width, 440);
    const own = { constrain: "domain", showgrid: false, zeroline: false, ticks: "", ...axis };
    return {
      traces: [
        {
          type: "heatmap",
          zmin: 0,
          colorscale: spaced(theme().density, 2),
          colorbar: { ...colourBar(""), tickformat: "~p", nticks: 5, len: 1 },
          hoverongaps: false,
          ...trace,
        },
      ],
      height: side * 0.92,
      layout: {
        xaxis: own,
        yaxis: { ...own, scaleanchor: "x", autorange: axis.range ? undefined : "reversed", range: axis.range ? [...axis.range].reverse() : undefined },
        margin: { l: 44, r: 8, t: 8, b: 48 },
      },
    };
  }

  function logarithmic(values) {
    const exponents = values.map(Math.log10);
    return { type: "log", range: [Math.min(...exponents) - 0.3, Math.max(...exponents) + 0.3], dtick: "D2", tickformat: "~g" };
  }

  // Numbers in the cells of a small heat map, dark on light ones and light on dark ones.
  function written(values) {
    const cells = values.flatMap((row, y) => row.map((value, x) => ({ x, y, value }))).filter((cell) => cell.value !== null);
    const most = Math.max(...cells.map((cell) => cell.value), 1e-300);
    const percent = (value) => `${Number((100 * value).toPrecision(2))}%`;
    const onFull = theme().paper;
    return {
      type: "scatter",
      mode: "text",
      hoverinfo: "skip",
      x: cells.map((cell) => cell.x),
      y: cells.map((cell) => cell.y),
      text: cells.map((cell) => percent(cell.value)),
      textfont: { size: 10, color: cells.map((cell) => (Math.sqrt(cell.value / most) > theme().turning ? onFull : theme().text)) },
    };
  }

  function readPoints(figure) {
    const x = floats(figure.x);
    const y = floats(figure.y);
    const cluster = Array.from(floats(figure.cluster));
    const columns = new Map();
    const column = (place) => {
      if (!columns.has(place)) columns.set(place, unpacked(figure.columns[place]));
      return columns.get(place);
    };
    let shown = Array.from(x.keys());
    if (shown.length > figure.webglAbove && !hasWebgl()) {
      const stride = Math.ceil(shown.length / figure.webglAbove);
      shown = shown.filter((point) => point % stride === 0);
      const note = document.createElement("p");
      note.className = "note";
      note.textContent = `This browser has no WebGL: of every ${stride} nodes one is drawn.`;
      document.querySelector('[data-figure="embedding"]').after(note);
    }
    const label = (point) => {
      const lines = [`<b>${safe(figure.ids[point])}</b>`, `cluster ${cluster[point]}`];
      if (figure.confidence !== null) lines.push(`confidence ${column(figure.confidence)[point].toFixed(2)}`);
      if (colourBy !== "cluster" && Number(colourBy) !== figure.confidence) {
        lines.push(`${safe(figure.columns[Number(colourBy)].name)}: ${short(column(Number(colourBy))[point])}`);
      }
      return lines.join("<br>");
    };
    return { x, y, cluster, column, shown, label };
  }

  function draw(place) {
    const figure = report.figures[place.dataset.figure];
    const width = Math.floor(place.clientWidth);
    if (!figure || width === 0) return;
    const { traces, layout, height } = kinds[figure.kind](figure, width);
    const colours = theme();
    const axis = (own) => ({ gridcolor: colours.grid, linecolor: colours.grid, zerolinecolor: colours.grid, tickfont: { color: colours.quiet }, ...own });
    const touch = window.matchMedia("(pointer: coarse)").matches;
    Plotly.react(
      place,
      traces,
      {
        width,
        height,
        autosize: false,
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif", size: 12, color: colours.text },
        hoverlabel: { bgcolor: colours.paper, bordercolor: colours.quiet, font: { color: colours.text, size: 13 }, align: "left" },
        modebar: { bgcolor: "rgba(0,0,0,0)", color: colours.quiet, activecolor: colours.text },
        margin: { l: 60, r: 12, t: 12, b: 52 },
        showlegend: false,
        dragmode: touch ? false : "zoom", // a finger scrolls the page
        uirevision: "kept",
        ...layout,
        xaxis: axis(layout.xaxis),
        yaxis: axis(layout.yaxis),
      },
      {
        displaylogo: false,
        displayModeBar: printing || touch ? false : "hover",
        // Named one by one: Plotly's own choice has a button that sends the data to its servers.
        modeBarButtons: [["toImage"], ["zoom2d", "pan2d", "resetScale2d"]],
        plotlyServerURL: "",
      },
    );
  }

  const places = Array.from(document.querySelectorAll("[data-figure]"));
  const drawAll = () => places.forEach(draw);

  const selector = document.getElementById("colour-by");
  if (selector) {
    selector.addEventListener("change", () => {
      colourBy = selector.value;
      draw(document.querySelector('[data-figure="embedding"]'));
    });
  }
  darkness.addEventListener("change", drawAll);
  let waiting;
  let lastWidth = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === lastWidth) return; // a phone's address bar comes and goes
    lastWidth = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  const onPaper = (now) => {
    printing = now;
    document.documentElement.classList.toggle("printing", now);
    drawAll();
  };
  window.addEventListener("beforeprint", () => onPaper(true));
  window.addEventListener("afterprint", () => onPaper(false));
  drawAll();
})();
