// Who may look at whom in each layer, and how order enters: the patterns and the positions as pictures.

function drawPlaces() {
  const kept = (_, at) => view.maps.some(({ group, pattern }) => pattern === at && group !== "rollout");
  by("patterns").replaceChildren(...view.patterns.map((one, at) => kept(one, at) && patternPicture(one, at)).filter(Boolean));
  const tables = view.positions.map(positionPicture);
  by("positions").replaceChildren(...(tables.length ? tables : [make("p", { class: "hint" }, say("no_positions"))]));
}

function picture(canvas, name, told, wide = false) {
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${name}. ${told}`);
  return make("div", { class: wide ? "picture wide" : "picture" }, canvas, make("b", {}, name), make("span", {}, told));
}

function patternPicture(pattern, at) {
  const allowed = allowedOf(at);
  const canvas = make("canvas");
  pixels(canvas, pattern.queries, pattern.keys, (pair) => palette.heat[allowed[pair] ? 110 : 0]);
  canvas.style.aspectRatio = `${pattern.keys} / ${pattern.queries}`;
  const pairs = allowed.reduce((sum, one) => sum + one, 0);
  const count = say("pairs", { pairs: number(pairs, 0), all: number(allowed.length, 0) });
  return picture(canvas, pattern.name, `${layersWith((map) => map.pattern === at)} · ${count}`);
}

// "Encoder 1–6 · Decoder 1–6" for the maps that a test picks.
function layersWith(test) {
  const told = groups.map((group) => {
    const picked = view.maps.filter((map, at) => map.group === group && test(map, at));
    const layers = picked.map((map) => map.layer + 1);
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
  const where = table.maps.length ? layersWith((_, at) => table.maps.includes(at)) : say("at_input");
  return picture(canvas, table.name, `${where} · ${say(table.kind === "shaw" ? "distances" : "places_across")}`, true);
}
