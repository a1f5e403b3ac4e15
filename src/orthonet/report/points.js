// The points of the scatter plot, read from the page's data: where they are, what they are coloured by, what is told of them.
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
const unpacked = ({ low, high, most, steps }) =>
  Float64Array.from(new (most === 255 ? Uint8Array : Uint16Array)(bytes(steps)), (step) => low + ((high - low) * step) / most);

// The same of an image of which only cells that are not 0 may have been kept.
const unpackedImage = (packed) => {
  const values = unpacked(packed);
  if (packed.places === undefined) return values;
  const image = new Float64Array(packed.size);
  new Uint32Array(bytes(packed.places)).forEach((place, index) => (image[place] = values[index]));
  return image;
};

const readPoints = (figure, reader) => {
  "use strict";
  const floats = (text) => new Float32Array(bytes(text));
  const short = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));
  const probability = (value) => (value >= 0.995 && value < 1 ? ">0.99" : value.toFixed(2));
  const cluster = Array.from(floats(figure.cluster));
  const columns = new Map();
  const column = (place) => {
    if (!columns.has(place)) columns.set(place, unpacked(figure.columns[place]));
    return columns.get(place);
  };

  let shown = Array.from(figure.ids.keys());
  if (shown.length > figure.webglAbove && !reader.hasWebgl()) {
    const stride = Math.ceil(shown.length / figure.webglAbove);
    shown = shown.filter((point) => point % stride === 0);
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = `This browser has no WebGL: of every ${stride} nodes one is drawn.`;
    document.querySelector('[data-figure="embedding"]').after(note);
  }

  const facts = (point) => {
    const lines = [figure.ids[point], `cluster ${reader.clusterTitle(cluster[point])}`];
    if (figure.confidence !== null) lines.push(`confidence ${probability(column(figure.confidence)[point])}`);
    if (reader.colourBy !== "cluster" && Number(reader.colourBy) !== figure.confidence) {
      lines.push(`${figure.columns[Number(reader.colourBy)].name}: ${short(column(Number(reader.colourBy))[point])}`);
    }
    return lines;
  };
  // The node of that id, else the first whose id begins so.
  const find = (text) => {
    const exact = figure.ids.indexOf(text);
    const low = text.toLowerCase();
    const found = exact >= 0 ? exact : figure.ids.findIndex((id) => id.toLowerCase().startsWith(low));
    return found >= 0 ? found : null;
  };
  return { x: floats(figure.x), y: floats(figure.y), cluster, column, shown, facts, find };
};
