// Draws the report's figures with Plotly: in the colours of the reader's theme, again when theme, width or paper changes.
(() => {
  "use strict";
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const darkness = window.matchMedia("(prefers-color-scheme: dark)");
  const main = document.querySelector("main");
  const places = Array.from(document.querySelectorAll("[data-figure]"));
  const embedding = document.querySelector('[data-figure="embedding"]');

  const reader = {
    printing: false,
    colourBy: "cluster",
    found: null, // a node that was looked for
    theme: () => report.themes[darkness.matches && !reader.printing ? "dark" : "light"],
    clusterTitle: (cluster) => report.titles[cluster],
    hasWebgl: () => document.createElement("canvas").getContext("webgl") !== null,
  };
  const kinds = reportFigures(report, reader);

  function draw(place) {
    const figure = report.figures[place.dataset.figure];
    const width = Math.floor(place.clientWidth);
    if (!figure || width === 0) return;
    const { traces, layout, height } = kinds[figure.kind](figure, width);
    const colours = reader.theme();
    const axis = (own) => ({ gridcolor: colours.grid, linecolor: colours.grid, zerolinecolor: colours.grid, tickfont: { color: colours.quiet }, ...own });
    const touch = window.matchMedia("(pointer: coarse), (max-width: 560px)").matches;
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
        displayModeBar: reader.printing || touch ? false : "hover",
        // Named one by one: Plotly's own choice has a button that sends the data to its servers.
        modeBarButtons: [["toImage"], ["zoom2d", "pan2d", "resetScale2d"]],
        plotlyServerURL: "",
      },
    );
  }

  // One figure after the other, so that the reader can scroll and choose meanwhile.
  let turn = 0;
  function drawAll() {
    const own = ++turn;
    const left = [...places];
    main.setAttribute("aria-busy", "true");
    const next = () => {
      if (own !== turn) return;
      if (left.length === 0) {
        main.removeAttribute("aria-busy");
        return;
      }
      draw(left.shift());
      setTimeout(next);
    };
    next();
  }

  const selector = document.getElementById("colour-by");
  selector?.addEventListener("change", () => {
    reader.colourBy = selector.value;
    draw(embedding);
    tellFound();
  });

  const search = document.getElementById("find-node");
  const answer = document.getElementById("found-node");
  function tellFound() {
    const text = search.value.trim();
    if (text === "") answer.textContent = "";
    else if (reader.found === null) answer.textContent = "No such node is drawn here.";
    else answer.textContent = report.figures.embedding.points.facts(reader.found).join(" · ");
  }
  const look = () => {
    const text = search.value.trim();
    reader.found = text === "" ? null : report.figures.embedding.points.find(text);
    draw(embedding);
    tellFound();
  };
  search?.addEventListener("change", look);
  search?.addEventListener("input", () => search.value === "" && look());

  darkness.addEventListener("change", drawAll);
  let waiting;
  let lastWidth = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === lastWidth) return; // a phone's address bar comes and goes
    lastWidth = window.innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });

  // Paper waits for nobody: all figures at once, and what is folded is opened.
  let folded = [];
  const onPaper = (now) => {
    turn += 1;
    reader.printing = now;
    document.documentElement.classList.toggle("printing", now);
    if (now) folded = Array.from(document.querySelectorAll("details:not([open])"));
    folded.forEach((one) => (one.open = now));
    places.forEach(draw);
    main.removeAttribute("aria-busy");
  };
  window.addEventListener("beforeprint", () => onPaper(true));
  window.addEventListener("afterprint", () => onPaper(false));
  drawAll();
})();
