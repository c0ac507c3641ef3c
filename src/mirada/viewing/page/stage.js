// The stage: the chosen head, as matrix or graph, and the numbers of what is pointed at.

const stage = { layout: null, matrix: null, hover: null, shape: "matrix" };
const [base, over] = by("stage").children;

const pictures = {}; // what draws a picture; a page without one has it not

// What a map can be drawn as; a picture where it looks at patches.
const isPicture = () => view.sequences[shownMap().keys].kind === "patches";
const isGraph = () => view.sequences[shownMap().keys].kind === "nodes";
const shapes = () => (isGraph() ? ["graph", "matrix"] : [...(isPicture() ? ["picture"] : []), "matrix", "graph"]);

const shownMap = () => view.maps[mapNumber(state.group, state.layer)];

function drawStage() {
  const at = mapNumber(state.group, state.layer);
  stage.matrix = matrixOf(at, state.head, state.unit);
  stage.hover = null;
  if (state.query !== null && state.query >= stage.matrix.rows.length) state.query = 0;
  if (state.key !== null && state.key >= stage.matrix.columns.length) state.key = null;
  const width = by("stage").parentElement.clientWidth;
  stage.shape = shapes().includes(state.shape) ? state.shape : shapes()[0];
  const draw = { matrix: drawMatrix, graph: drawGraph, picture: pictures.draw }[stage.shape];
  stage.layout = draw(base, over, stage.matrix, width);
  const rolled = state.group === "rollout"; // of all layers and heads
  by("shown").textContent = say(`group_${state.group}`) + (rolled ? "" : ` · ${headName(state.layer, state.head)}`);
  by("stage").setAttribute("aria-label", `${by("shown").textContent}. ${say("stage_keys")}`);
  by("legend").replaceChildren("0", make("i"), number(stage.matrix.most, 2));
  by("legend").hidden = stage.shape === "picture"; // each picture has its own greatest weight
  const map = shownMap();
  const { score, position, kernel } = map;
  const words = { pattern: view.patterns[map.pattern].name, score, position, kernel: kernel.toLowerCase() };
  const told = Object.entries(words).map(([name, value]) => `${say(name)}: ${value}`);
  by("attention-note").textContent = rolled ? "" : told.join(" · ");
  drawOver();
}

const active = () => ({ query: stage.hover?.query ?? state.query, key: stage.hover ? stage.hover.key : state.key });

function drawOver() {
  const { query, key } = active();
  if (stage.shape === "matrix") overMatrix(over, stage.matrix, stage.layout, query, key);
  else (stage.shape === "graph" ? overGraph : pictures.over)(base, over, stage.matrix, stage.layout, query, key);
  readOut(query, key);
}

// The look of one query in words and numbers: the pair that is pointed at, and where it looks most.
function readOut(query, key) {
  const box = by("readout");
  if (query === null) return box.replaceChildren(make("p", { class: "hint" }, say("point")));
  const { rows, columns, data, most } = stage.matrix;
  const weight = (at) => data[query * columns.length + at];
  const map = shownMap();
  const allowed = allowedUnits(mapNumber(state.group, state.layer), state.unit);
  const looked = columns.map((_, at) => at).filter((at) => allowed[query * columns.length + at]);
  const best = looked.sort((one, two) => Math.abs(weight(two)) - Math.abs(weight(one)));
  const shown = key ?? best[0] ?? 0;
  const value = make("b", { id: "weight" }, number(weight(shown)));
  value.dataset.query = query;
  value.dataset.key = shown;
  const who = make("bdi", spoken(map.queries), labelOf(rows[query]));
  const whom = make("bdi", spoken(map.keys), labelOf(columns[shown]));
  const pair = make("p", { class: "pair" }, who, ` ${say("looks_at")} `, whom, ": ", value);
  const list = make("ol", { class: "bars" });
  const bar = (at) => ({
    text: labelOf(columns[at]), share: weight(at) / most, told: number(weight(at)), chosen: at === shown,
  });
  barsOf(list, best.slice(0, 8).map(bar), spoken(map.keys));
  box.replaceChildren(pair, list);
}

function tell() {
  const { query, key } = active();
  const { rows, columns, data } = stage.matrix;
  if (query === null) return;
  const row = [...data.subarray(query * columns.length, (query + 1) * columns.length)];
  const shown = key ?? row.indexOf(Math.max(...row));
  const [who, whom] = [labelOf(rows[query]), labelOf(columns[shown])];
  by("live").textContent = `${who} ${say("looks_at")} ${whom}: ${number(row[shown])}`;
}

function pointedAt(event) {
  const box = over.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  if (stage.shape === "picture") return pictures.at(stage.layout, x, y);
  return stage.shape === "matrix" ? cellAt(stage.layout, stage.matrix, x, y) : nodeAt(stage.layout, x, y);
}

over.addEventListener("pointermove", (event) => {
  const found = pointedAt(event);
  if (found?.query === stage.hover?.query && found?.key === stage.hover?.key) return;
  stage.hover = found;
  drawOver();
});
over.addEventListener("pointerleave", () => {
  stage.hover = null;
  drawOver();
});
over.addEventListener("click", (event) => {
  const found = pointedAt(event);
  if (found) change({ query: found.query ?? state.query, key: found.key });
});

by("stage").addEventListener("keydown", (event) => {
  const { rows, columns } = stage.matrix;
  const clamp = (value, size) => Math.max(0, Math.min(size - 1, value));
  const query = state.query ?? 0;
  const moves = {
    ArrowDown: () => ({ query: clamp(query + 1, rows.length) }),
    ArrowUp: () => ({ query: clamp(query - 1, rows.length) }),
    ArrowRight: () => ({ query, key: clamp((state.key ?? -1) + 1, columns.length) }),
    ArrowLeft: () => ({ query, key: clamp((state.key ?? columns.length) - 1, columns.length) }),
    Home: () => ({ query: 0 }),
    End: () => ({ query: rows.length - 1 }),
    Escape: () => ({ key: null }),
  };
  if (!moves[event.key]) return;
  event.preventDefault();
  stage.hover = null;
  change(moves[event.key]());
  tell();
});
