// The lens: layers down, steps across, in each cell what the model would say if it stopped there.

function lensCells() {
  return once("lens", () => {
    const { best, numbers, probabilities, tokens } = view.lens;
    const [places, shares] = [new Uint16Array(bytesOf(numbers).buffer), bytesOf(probabilities)];
    const candidate = (at) => ({ token: tokens[places[at]], probability: shares[at] / 255 });
    return (layer, step) => {
      const first = (layer * view.steps.length + step) * best;
      return Array.from({ length: best }, (_, at) => candidate(first + at));
    };
  });
}

const lensShown = () => view.lens && by("lens-table").firstChild;

function drawLens() {
  by("lens").hidden = !view.lens;
  if (!view.lens) return;
  const { steps } = view;
  const head = make("tr", {}, make("th", { scope: "col" }, say("layer")));
  const nameOf = ({ token, place }) => (token === null ? "…" : view.task === "tag" ? wordAt(place) : tokenText(token));
  head.append(...steps.map((step) => make("th", { scope: "col" }, nameOf(step))));
  const rows = Array.from({ length: view.lens.layers }, (_, layer) => {
    const row = make("tr", {}, make("th", { scope: "row" }, String(layer + 1)));
    row.append(...steps.map((step, at) => lensCell(layer, at, step.token)));
    return row;
  });
  by("lens-table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
  by("lens-table").onkeydown = walkLens;
  markLens(false);
}

function lensCell(layer, step, token) {
  const [first] = lensCells()(layer, step);
  const cell = make("td", { tabindex: -1, class: first.token === token ? "right" : null }, tokenText(first.token));
  const colour = heat(first.probability, 1);
  cell.style.background = `rgb(${colour & 255} ${(colour >> 8) & 255} ${(colour >> 16) & 255})`;
  cell.style.color = brightness(colour) > 140 ? "#10141c" : "#ffffff";
  [cell.dataset.layer, cell.dataset.step] = [layer, step];
  cell.addEventListener("focus", () => change({ lens: layer, step }));
  cell.addEventListener("pointerenter", () => tellLens(layer, step));
  cell.addEventListener("pointerleave", () => tellLens(state.lens, state.step));
  return cell;
}

const cellOf = (layer, step) => by("lens-table").querySelector(`[data-layer="${layer}"][data-step="${step}"]`);

function tellLens(layer, step) {
  const told = lensCells()(layer, step).map(({ token, probability }) => `${tokenText(token)} ${percent(probability)}`);
  by("lens-note").textContent = `${say("layer")} ${layer + 1}, ${say("step", { number: step + 1, total: view.steps.length })}: ${told.join(", ")}`;
}

// One cell can be reached with Tab; arrows walk from there.
function markLens(focus) {
  if (!view.lens) return;
  state.lens = Math.min(state.lens, view.lens.layers - 1);
  by("lens-table").querySelector('[tabindex="0"]')?.setAttribute("tabindex", -1);
  const cell = cellOf(state.lens, Math.min(state.step, view.steps.length - 1));
  cell.setAttribute("tabindex", 0);
  tellLens(state.lens, Number(cell.dataset.step));
  if (focus) cell.focus();
}

function walkLens(event) {
  const [layer, step] = [state.lens, state.step];
  const next = {
    ArrowDown: [layer + 1, step], ArrowUp: [layer - 1, step], ArrowRight: [layer, step + 1], ArrowLeft: [layer, step - 1],
    Home: [layer, 0], End: [layer, view.steps.length - 1],
  }[event.key];
  const cell = next && cellOf(...next);
  if (!cell) return;
  event.preventDefault();
  cell.focus();
}
