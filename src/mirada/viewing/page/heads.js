// All heads of a group as small pictures: layers down, heads across. A row is drawn when it is first seen.

const THUMB = 64; // pixels of a side, at most: of more cells each pixel shows the greatest
let seen = null;

function drawHeads() {
  const box = by("heads");
  const layers = layersOf(state.group);
  const heads = view.maps[mapNumber(state.group, 0)].heads;
  const columns = [null, ...Array(heads).keys()];
  box.style.gridTemplateColumns = `auto repeat(${columns.length}, minmax(26px, 1fr))`;
  seen?.disconnect();
  const drawSeen = (entries) => entries.filter((one) => one.isIntersecting).forEach((one) => drawRow(one.target));
  seen = new IntersectionObserver(drawSeen, { rootMargin: "120px" });
  const names = columns.map((head) => (head === null ? say("mean_short") : String(head + 1)));
  const cells = [make("span"), ...names.map((name) => make("span", { class: "column-name" }, name))];
  for (let layer = 0; layer < layers; layer++) {
    const name = make("span", { class: "row-name" }, String(layer + 1));
    name.dataset.layer = layer;
    cells.push(name, ...columns.map((head) => thumbOf(layer, head)));
    seen.observe(name);
  }
  cells[1].title = say("mean");
  const had = box.contains(document.activeElement);
  box.replaceChildren(...cells);
  box.onkeydown = walkHeads;
  box.parentElement.hidden = state.group === "rollout"; // all layers and heads in one
  markHead(had);
}

function headName(layer, head) {
  return `${say("layer")} ${layer + 1}, ${head === null ? say("mean") : `${say("head")} ${head + 1}`}`;
}

function thumbOf(layer, head) {
  const name = headName(layer, head);
  const named = { type: "button", role: "radio", class: "thumb", "aria-label": name, title: name };
  const button = make("button", named, make("canvas"));
  button.dataset.layer = layer;
  button.dataset.head = head ?? "mean";
  button.addEventListener("click", () => change({ layer, head }));
  return button;
}

function drawRow(name) {
  seen.unobserve(name);
  for (const button of by("heads").querySelectorAll(`.thumb[data-layer="${name.dataset.layer}"]`)) drawThumb(button);
}

function drawThumb(button) {
  const head = button.dataset.head === "mean" ? null : Number(button.dataset.head);
  const { rows, columns, data } = matrixOf(mapNumber(state.group, Number(button.dataset.layer)), head, state.unit);
  const { grid } = view.sequences[shownMap().keys];
  if (grid && rows.length === 1) {
    // One look over a picture is drawn as one.
    const shown = data.subarray(data.length - grid[0] * grid[1]);
    const most = Math.max(1e-6, ...shown);
    return pixels(button.firstChild, grid[0], grid[1], (at) => heat(shown[at], most));
  }
  const [height, width] = [Math.min(THUMB, rows.length), Math.min(THUMB, columns.length)];
  const greatest = new Float32Array(height * width);
  for (let i = 0; i < rows.length; i++) {
    const row = Math.floor((i * height) / rows.length) * width;
    for (let j = 0; j < columns.length; j++) {
      const at = row + Math.floor((j * width) / columns.length);
      greatest[at] = Math.max(greatest[at], Math.abs(data[i * columns.length + j]));
    }
  }
  pixels(button.firstChild, height, width, (at) => heat(greatest[at], 1));
}

function markHead(focus) {
  for (const button of by("heads").querySelectorAll(".thumb")) {
    const on = Number(button.dataset.layer) === state.layer && button.dataset.head === String(state.head ?? "mean");
    button.setAttribute("aria-checked", on);
    button.tabIndex = on ? 0 : -1;
    if (on && focus) button.focus();
  }
}

function walkHeads(event) {
  const down = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
  const across = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
  if (!down && !across) return;
  event.preventDefault();
  const layers = layersOf(state.group);
  const columns = view.maps[mapNumber(state.group, 0)].heads + 1;
  const column = ((state.head === null ? 0 : state.head + 1) + across + columns) % columns;
  change({ layer: (state.layer + down + layers) % layers, head: column === 0 ? null : column - 1 });
}
