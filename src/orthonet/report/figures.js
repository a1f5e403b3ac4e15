// What each figure of the report shows, as Plotly's traces and layout: of its data, its width and what the reader chose.
const reportFigures = (report, reader) => {
  "use strict";
  const NARROW = 560;
  const theme = () => reader.theme();

  // Plotly reads a few tags in its texts; what came from files must stay text.
  const safe = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const spaced = (colours, power = 1) => colours.map((colour, place) => [(place / (colours.length - 1)) ** power, colour]);
  const clusterName = (cluster) => report.clusters[cluster];
  const clusterTitle = (cluster) => report.titles[cluster];
  const clusterColour = (cluster) => theme().clusters[cluster % theme().clusters.length];
  const clusterSymbol = (cluster) =>
    report.symbols[Math.floor(cluster / theme().clusters.length) % report.symbols.length];
  const longestName = Math.max(...report.clusters.map((name) => name.length));

  const colourBar = (title) => ({
    title: { text: title, side: "right" },
    thickness: 12,
    outlinewidth: 0,
    tickfont: { color: theme().quiet },
  });
  const titled = (text) => ({ text, standoff: 6 });

  // Ticks that name clusters, as many as have room: every one, or every second, fifth, tenth, …
  function clusterTicks(positions, pixels) {
    const apart = positions.length > 1 ? Math.min(pixels / positions.length, 1e6) : 1e6;
    const stride = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((each) => each * apart >= 7 * longestName + 6) ?? 2000;
    const kept = positions.map((_, cluster) => cluster).filter((cluster) => cluster % stride === 0);
    return {
      tickvals: kept.map((cluster) => positions[cluster]),
      ticktext: kept.map((cluster) => safe(clusterName(cluster))),
      tickangle: 0,
    };
  }

  const kinds = {
    scatter(figure, width) {
      const points = (figure.points ??= readPoints(figure, reader));
      const { x, y, cluster, shown } = points;
      const narrow = width < NARROW;
      const many = shown.length > figure.webglAbove;
      const size = Math.max(many ? 3 : 5, Math.min(9, 220 / Math.sqrt(shown.length)));
      const line = { width: many ? 0 : 0.6, color: theme().outline };
      const trace = (chosen, marker, name) => ({
        type: many ? "scattergl" : "scatter",
        mode: "markers",
        name,
        x: chosen.map((point) => x[point]),
        y: chosen.map((point) => y[point]),
        text: chosen.map((point) => points.facts(point).map(safe).join("<br>")),
        hovertemplate: "%{text}<extra></extra>",
        marker: { size, line, opacity: many ? 0.7 : 0.9, ...marker },
      });
      const traces = [];
      let legend = false;
      if (reader.colourBy === "cluster") {
        const groups = figure.sizes.map(() => []);
        shown.forEach((point) => groups[cluster[point]].push(point));
        const drawn = groups.map((_, group) => group).filter((group) => groups[group].length > 0);
        // Where points cover each other, clusters take turns: none lies wholly below another.
        const turns = many ? Math.max(1, Math.floor(80 / drawn.length)) : 1;
        for (let turn = 0; turn < turns; turn += 1) {
          for (const group of drawn) {
            const name = `${safe(narrow ? clusterName(group) : clusterTitle(group))} (${figure.sizes[group].toLocaleString("en")})`;
            const marker = { color: clusterColour(group), symbol: clusterSymbol(group) };
            const own = turns === 1 ? groups[group] : groups[group].filter((_, place) => place % turns === turn);
            traces.push({ ...trace(own, marker, name), legendgroup: String(group), showlegend: turn === 0 });
          }
        }
        legend = drawn.length <= (narrow ? 20 : reader.printing ? 24 : Infinity);
        // Each cluster's name stands on it, so that colour is not all that tells.
        if (drawn.length <= (narrow ? 30 : 100)) traces.push(...drawn.map((group) => nameOn(group, groups[group], points, many)));
      } else {
        const column = figure.columns[Number(reader.colourBy)];
        const values = points.column(Number(reader.colourBy));
        const name = safe(column.name);
        const marker = {
          color: shown.map((point) => values[point]),
          colorscale: spaced(theme().values),
          cmin: column.range[0],
          cmax: column.range[1] > column.range[0] ? column.range[1] : column.range[0] + 1,
          symbol: figure.sizes.length > 10 ? shown.map((point) => clusterSymbol(cluster[point])) : "circle",
          showscale: true,
          colorbar: narrow
            ? { ...colourBar(""), orientation: "h", y: -0.08, yanchor: "top", x: 0.5, title: { text: name, side: "bottom" } }
            : colourBar(name),
        };
        traces.push(trace(shown, marker, name));
      }
      if (reader.found !== null) traces.push(ringAround(reader.found, points, many));
      const bare = { showticklabels: false, zeroline: false, ticks: "" };
      return {
        traces,
        height: narrow ? Math.min(width * 1.25, 520) : reader.printing ? 430 : 600,
        layout: {
          showlegend: legend,
          legend: {
            title: { text: narrow ? "" : "cluster (nodes)" },
            itemsizing: "constant",
            tracegroupgap: 0,
            ...(narrow ? { orientation: "h", x: 0, y: -0.08, yanchor: "top", font: { size: 11 } } : {}),
          },
          xaxis: { ...bare, title: titled(figure.axes[0]) },
          yaxis: { ...bare, title: titled(figure.axes[1]), scaleanchor: "x" },
          hovermode: "closest",
          margin: { l: 30, r: 8, t: 34, b: 30 },
        },
      };
    },

    sizes(figure, width) {
      const places = figure.values.map((_, cluster) => cluster);
      return {
        traces: [
          {
            type: "bar",
            x: places,
            y: figure.values,
            text: places.map((cluster) => safe(clusterTitle(cluster))),
            textposition: "none",
            marker: { color: places.map(clusterColour), line: { width: places.length > 40 ? 0 : 0.6, color: theme().outline } },
            hovertemplate: "cluster %{text}: %{y:,} nodes<extra></extra>",
          },
        ],
        height: width < NARROW ? 170 : 180,
        layout: {
          xaxis: { title: titled("cluster"), showgrid: false, zeroline: false, ...clusterTicks(places, width - 80) },
          yaxis: { title: titled("nodes") },
        },
      };
    },

    histogram(figure, width) {
      const step = 1 / figure.values.length;
      return {
        traces: [
          {
            type: "bar",
            x: figure.values.map((_, place) => (place + 0.5) * step),
            y: figure.values,
            width: step,
            text: figure.values.map((_, place) => `${Number((place * step).toFixed(3))} to ${Number(((place + 1) * step).toFixed(3))}`),
            textposition: "none",
            marker: { color: theme().clusters[6], line: { width: 0.6, color: theme().outline } },
            hovertemplate: "confidence %{text}: %{y:,} nodes<extra></extra>",
          },
        ],
        height: width < NARROW ? 180 : 200,
        layout: {
          xaxis: { title: titled("confidence"), range: [0, 1], showgrid: false, zeroline: false },
          yaxis: { title: titled("nodes"), nticks: 5 },
        },
      };
    },

    sources(figure) {
      const rows = figure.names.map((_, place) => place);
      return {
        traces: [
          {
            type: "bar",
            orientation: "h",
            y: rows,
            x: figure.values,
            text: figure.values.map((value) => value.toFixed(2)),
            textposition: "auto",
            marker: { color: figure.values.map((value) => theme().clusters[value < 0 ? 3 : 6]), line: { width: 0.6, color: theme().outline } },
            hovertemplate: "%{x:.2f} nats per node<extra></extra>",
          },
        ],
        height: 84 + 30 * rows.length,
        layout: {
          bargap: 0.3,
          xaxis: { title: titled("nats per node"), fixedrange: true, rangemode: "tozero" },
          yaxis: { tickvals: rows, ticktext: figure.names.map(safe), autorange: "reversed", fixedrange: true, automargin: true, showgrid: false, zeroline: false },
          margin: { l: 8, r: 16, t: 8, b: 48 },
        },
      };
    },

    agreement(figure) {
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
        height: 110 + 44 * rows.length,
        layout: {
          barmode: "group",
          bargap: 0.3,
          xaxis: { title: titled("share of edge weight"), range: [0, 1.02], tickvals: [0, 0.25, 0.5, 0.75, 1], tickformat: ".0%", fixedrange: true },
          yaxis: { tickvals: rows, ticktext: figure.names.map(safe), autorange: "reversed", fixedrange: true, automargin: true, showgrid: false, zeroline: false },
          legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", traceorder: "normal" },
          showlegend: true,
          margin: { l: 8, r: 16, t: 36, b: 48 },
        },
      };
    },

    density(figure, width) {
      const places = figure.values.map((_, cluster) => cluster);
      const names = places.map((cluster) => safe(clusterName(cluster)));
      const gap = places.length <= 40 ? 1 : 0;
      const found = heat(width, figure.values, {
        xgap: gap,
        ygap: gap,
        text: places.map((row) => places.map((column) => `${names[row]} and ${names[column]}`)),
        hovertemplate: "clusters %{text}: %{z:.3~p} of the pairs joined<extra></extra>",
      }, clusterTicks(places, room(width)));
      const cell = room(width) / places.length;
      if (cell >= 20) found.traces.push(written(figure.values, cell));
      return found;
    },

    adjacency(figure, width) {
      const n = figure.bins;
      const flat = (figure.flat ??= Array.from(unpackedImage(figure.image)));
      const z = Array.from({ length: n }, (_, row) => flat.slice(row * n, (row + 1) * n));
      const starts = [0, ...figure.ends.slice(0, -1)];
      const pixels = starts.map((start, cluster) => ((figure.ends[cluster] - start) / n) * room(width));
      const ticks = clusterTicks(starts.map((start, cluster) => (start + figure.ends[cluster]) / 2 - 0.5), room(width));
      // Where clusters differ in size, those too thin for their own name go without it.
      const named = starts.map((_, cluster) => cluster).filter((cluster) => pixels[cluster] > 7 * clusterName(cluster).length + 5);
      const own = {
        tickvals: named.map((cluster) => (starts[cluster] + figure.ends[cluster]) / 2 - 0.5),
        ticktext: named.map((cluster) => safe(clusterName(cluster))),
      };
      const axis = { ...ticks, ...(named.length > 0 ? own : {}), range: [-0.5, n - 0.5] };
      const found = heat(width, z, { hovertemplate: "%{z:.3~p} of the pairs joined<extra></extra>" }, axis);
      if (figure.bounds) {
        const line = { color: theme().outline, width: 0.5 };
        found.layout.shapes = figure.ends.slice(0, -1).flatMap((end) => [
          { type: "line", x0: end - 0.5, x1: end - 0.5, y0: -0.5, y1: n - 0.5, line },
          { type: "line", y0: end - 0.5, y1: end - 0.5, x0: -0.5, x1: n - 0.5, line },
        ]);
      }
      return found;
    },

    numbers(figure, width) {
      const line = (name, y, colour, dash) => ({
        type: "scatter",
        mode: figure.x.length < 40 ? "lines+markers" : "lines",
        name,
        x: figure.x,
        y,
        line: { color: colour, width: 2, dash },
        hovertemplate: `%{x} clusters: ${name} %{y:.0%}<extra></extra>`,
      });
      return {
        traces: [
          line("worth", figure.worth, theme().clusters[6]),
          line("found again", figure.again, theme().clusters[3], "dot"),
          {
            type: "scatter",
            mode: "markers",
            name: `chosen: ${figure.chosen}`,
            x: [figure.chosen],
            y: [figure.worth[figure.x.indexOf(figure.chosen)]],
            marker: { symbol: "circle-open", size: 16, color: theme().text, line: { width: 2.5 } },
            hoverinfo: "skip",
          },
        ],
        height: width < NARROW ? 260 : 300,
        layout: {
          xaxis: { title: titled("clusters"), ...(figure.x.length < 25 && width >= NARROW ? { tickvals: figure.x } : { nticks: 10 }) },
          yaxis: { title: titled("share of the best"), rangemode: "tozero", tickformat: ".0%" },
          showlegend: true,
          legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", traceorder: "normal" },
          margin: { l: 60, r: 12, t: 36, b: 52 },
        },
      };
    },

    line(figure, width) {
      return {
        traces: [
          {
            type: "scatter",
            mode: figure.y.length < 30 ? "lines+markers" : "lines",
            x: figure.x,
            y: figure.y,
            line: { color: theme().clusters[6], width: 2 },
            hovertemplate: `step %{x}: ${figure.title} %{y:.4~g}<extra></extra>`,
          },
        ],
        height: width < NARROW ? 220 : 260,
        layout: {
          xaxis: { title: titled(figure.axis), rangemode: "tozero" },
          yaxis: { title: titled(figure.title), ...(figure.log ? logarithmic([...figure.y, ...(figure.level ? [figure.level] : [])]) : { nticks: 6 }) },
          shapes: figure.level
            ? [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: figure.level, y1: figure.level, line: { color: theme().quiet, width: 1.5, dash: "dot" } }]
            : [],
        },
      };
    },
  };

  // A cluster's name at that of its points which is nearest to their middle. What WebGL draws lies above all else, so among its
  // points the name too is drawn by it, on a patch of paper.
  function nameOn(group, members, { x, y }, many) {
    const middle = (values) => members.map((point) => values[point]).sort((one, other) => one - other)[members.length >> 1];
    const [left, top] = [middle(x), middle(y)];
    const gap = (point) => (x[point] - left) ** 2 + (y[point] - top) ** 2;
    const nearest = members.reduce((best, point) => (gap(point) < gap(best) ? point : best));
    const halo = ["-1px -1px", "1px -1px", "-1px 1px", "1px 1px"].map((shift) => `${shift} 1px ${theme().paper}`);
    const font = { size: report.clusters.length > 30 ? 10 : 14, color: theme().text };
    return {
      x: [x[nearest]],
      y: [y[nearest]],
      hoverinfo: "skip",
      showlegend: false,
      legendgroup: String(group),
      ...(many
        ? {
            type: "scattergl",
            mode: "markers+text",
            text: [clusterName(group)],
            textposition: "middle center",
            textfont: font,
            marker: { size: 8 + font.size * Math.max(1, 0.6 * clusterName(group).length), color: theme().paper, opacity: 0.85, line: { width: 1.5, color: clusterColour(group) } },
          }
        : {
            type: "scatter",
            mode: "text",
            text: [`<b>${safe(clusterName(group))}</b>`],
            textposition: "top center",
            textfont: { ...font, shadow: halo.join(", ") },
            cliponaxis: false,
          }),
    };
  }

  function ringAround(point, { x, y }, many) {
    return {
      type: many ? "scattergl" : "scatter",
      mode: "markers",
      name: "found",
      x: [x[point]],
      y: [y[point]],
      marker: { symbol: "circle-open", size: 22, color: theme().text, line: { width: 3 } },
      hoverinfo: "skip",
      showlegend: false,
    };
  }

  // Pixels of a heat map's side, within its margins and beside its scale.
  const room = (width) => Math.min(width - 134, 0.92 * Math.min(width, 440) - 56);

  // Colour follows the square root of the density: sparse blocks are the rule, and differ too.
  function heat(width, z, trace, axis) {
    const side = Math.min(width, 440);
    const own = { title: titled("cluster"), constrain: "domain", showgrid: false, zeroline: false, ticks: "", ...axis };
    const most = z.reduce((high, row) => row.reduce((best, value) => Math.max(best, value ?? 0), high), 0);
    return {
      traces: [
        {
          type: "heatmap",
          z,
          zmin: 0,
          zmax: most > 0 ? most : 1,
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

  // Numbers in the cells of a small heat map, dark on light ones and light on dark ones: with two digits, one, or none at all,
  // as they fit.
  function written(values, cell) {
    const cells = values.flatMap((row, y) => row.map((value, x) => ({ x, y, value }))).filter((one) => one.value !== null);
    const most = Math.max(...cells.map((one) => one.value), 1e-300);
    const percent = (value, digits) => `${Number((100 * value).toPrecision(value < 0.1 ? digits : 2))}%`;
    const size = cell < 42 ? 9 : 10;
    const fitting = [2, 1]
      .map((digits) => cells.map((one) => percent(one.value, digits)))
      .find((texts) => Math.max(...texts.map((text) => text.length)) * 0.62 * size <= cell);
    return {
      type: "scatter",
      mode: "text",
      hoverinfo: "skip",
      x: cells.map((one) => one.x),
      y: cells.map((one) => one.y),
      text: fitting ?? [],
      textfont: { size, color: cells.map((one) => (Math.sqrt(one.value / most) > theme().turning ? theme().paper : theme().text)) },
    };
  }

  return kinds;
};
