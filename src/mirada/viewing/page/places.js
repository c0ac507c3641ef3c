// Who may look at whom in each layer, and how order enters: the patterns and the positions as pictures.

function drawPlaces() {
  by("patterns").replaceChildren(...view.patterns.map((pattern, number) => patternPicture(pattern, number)));
  const tables = view.positions.map(positionPicture);
  by("positions").replaceChildren(...(tables.length ? tables : [make("p", { class: "hint" }, say("no_positions"))]));
}

function picture(canvas, name, told, wide = false) {
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${name}. ${told}`);
  return make("div", { class: wide ? "picture wide" : "picture" }, canvas, make("b", {}, name), make("span", {}, told));
}

function patternPicture(pattern, number) {
  const allowed = allowedOf(number);
  const canvas = make("canvas");
  pixels(canvas, pattern.queries, pattern.keys, (at) => palette.heat[allowed[at] ? 110 : 0]);
  canvas.style.aspectRatio = `${pattern.keys} / ${pattern.queries}`;
  const pairs = allowed.reduce((sum, one) => sum + one, 0);
  const count = say("pairs", { pairs: pairs.toLocaleString(state.language), all: allowed.length.toLocaleString(state.language) });
  return picture(canvas, pattern.name, `${layersWith((map) => map.pattern === number)} · ${count}`);
}

// "Encoder 1–6 · Decoder 1–6" for the maps that a test picks.
function layersWith(test) {
  const told = groups.map((group) => {
    const layers = view.maps.filter((map, number) => map.group === group && test(map, number)).map((map) => map.layer + 1);
    if (!layers.length) return null;
    const [low, high] = [Math.min(...layers), Math.max(...layers)];
    const range = high - low + 1 === layers.length && high > low ? `${low}–${high}` : layers.join(", ");
    return `${say(`group_${group}`)}: ${say("layer").toLowerCase()} ${range}`;
  });
  return told.filter(Boolean).join(" · ");
}

function positionPicture(table) {
  const values = bytesOf(table.values);
  const reach = Math.max(Math.abs(table.low), Math.abs(table.high), 1e-6);
  const canvas = make("canvas");
  const value = (at) => table.low + (values[at] / 255) * (table.high - table.low);
  pixels(canvas, table.columns, table.rows, (at) => {
    const [column, row] = [Math.floor(at / table.rows), at % table.rows]; // places across, coordinates down
    return palette.signed[Math.round(127.5 + (127.5 * value(row * table.columns + column)) / reach)];
  });
  canvas.style.height = "150px";
  const where = table.maps.length ? layersWith((_, number) => table.maps.includes(number)) : say("at_input");
  return picture(canvas, table.name, `${where} · ${say(table.kind === "shaw" ? "distances" : "places_across")}`, true);
}
