// The translation above, with lines from each word to the word of the source that it was looked up at.

const lines = { words: { source: [], written: [] }, paths: [], pinned: null };

// Whether words stand on both sides.
const isAligned = () => !oneSequence() && view.sequences.source.kind === "text";

function drawAlignment() {
  if (!isAligned()) return drawSentence();
  const links = linksOf(state.unit);
  const box = by("aligned");
  const svg = make("svg", { "aria-hidden": "true" });
  const sides = ["source", "written"].map((name) => sideOf(name, links));
  const names = [say("source"), say(view.reference === null ? "translation" : "reference")];
  box.replaceChildren(
    make("span", { class: "side-name" }, `${names[0]} · ${view.sequences.source.language}`), sides[0], sides[1],
    make("span", { class: "side-name" }, `${names[1]} · ${view.sequences.written.language}`), svg,
  );
  lines.paths = links.map((link) => ({ link, path: make("path") }));
  svg.append(...lines.paths.map((one) => one.path));
  placeLines();
  const layer = view.alignment ? say("alignment_note", { layer: view.alignment.layer + 1 }) : "";
  by("translation-note").textContent = `${say("follow")} ${layer}`;
  const flags = view.flags.map((flag) => say(`flag_${flag}`)).join(", ");
  const own = view.reference === null ? "" : say("own", { text: view.translation });
  by("own").textContent = [own, flags && say("flagged", { flags })].filter(Boolean).join(" · ");
}

// What a link calls the end at a side, what the other end, and the other side.
const endsOf = (name) => (name === "source" ? ["source", "target", "written"] : ["target", "source", "source"]);

function sideOf(name, links) {
  const [mine, theirs, other] = endsOf(name);
  const label = say(name === "source" ? "source" : "translation");
  const side = make("div", { class: "side", role: "group", "aria-label": label, ...spoken(name) });
  lines.words[name] = unitsOf(name, state.unit).map((unit, at) => {
    const kind = `word${unit.mark ? " mark" : ""}${state.unit === "subwords" ? " piece" : ""}`;
    const word = make("button", { type: "button", class: kind, tabindex: at ? -1 : 0 }, labelOf(unit));
    const linked = links.filter((link) => link[mine] === at);
    const partners = linked.map((link) => labelOf(unitsOf(other, state.unit)[link[theirs]]));
    word.setAttribute("aria-label", partners.length ? `${labelOf(unit)}: ${partners.join(", ")}` : labelOf(unit));
    word.addEventListener("pointerenter", () => follow(name, at));
    word.addEventListener("pointerleave", () => follow(...(lines.pinned ?? [null, null])));
    word.addEventListener("focus", () => follow(...(lines.pinned = [name, at])));
    word.addEventListener("blur", () => ((lines.pinned = null), follow(null, null)));
    word.addEventListener("click", () => choose(name, unit));
    word.addEventListener("keydown", (event) => walk(event, name, at));
    return word;
  });
  side.append(...lines.words[name]);
  return side;
}

// Where a word is chosen, the pictures below follow it.
function choose(name, unit) {
  if (name === "written") {
    const looks = { query: unitsOf("written", state.unit).indexOf(unit), key: null };
    change({ step: unit.tokens[0], ...(state.group === "cross" ? looks : {}) });
  } else if (state.group === "encoder") {
    change({ query: unitsOf("source", state.unit).indexOf(unit), key: null });
  }
}

// Left and right to the next word, up and down to the word at the other end of a line.
function walk(event, name, at) {
  const words = lines.words[name];
  const turned = view.sequences[name].direction === "rtl" ? -1 : 1;
  const steps = { ArrowRight: words[at + turned], ArrowLeft: words[at - turned], Home: words[0], End: words.at(-1) };
  let next = steps[event.key];
  const [mine, theirs, other] = endsOf(name);
  if (event.key === (name === "source" ? "ArrowDown" : "ArrowUp")) {
    const linked = linksOf(state.unit).filter((link) => link[mine] === at);
    const found = linked.sort((one, two) => two.weight - one.weight)[0];
    next = found && lines.words[other][found[theirs]];
  }
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function follow(name, at) {
  const touches = (link) => name !== null && link[endsOf(name)[0]] === at;
  const wrapped = by("aligned").classList.contains("wrapped");
  const ends = { source: new Set(), written: new Set() };
  for (const { link, path } of lines.paths) {
    const on = touches(link);
    if (on) {
      ends.source.add(link.source);
      ends.written.add(link.target);
    }
    const opacity = String(on ? 1 : wrapped ? 0 : name === null ? 0.2 + 0.7 * link.weight : 0.08);
    if (path.style.opacity !== opacity) path.style.opacity = opacity;
  }
  for (const side of ["source", "written"]) {
    lines.words[side].forEach((word, place) => {
      word.classList.toggle("from", side === name && place === at);
      word.classList.toggle("to", ends[side].has(place) && !(side === name && place === at));
    });
  }
}

// Curves from word to word. Where a side takes several rows they would cross the text: then one word's are shown.
function placeLines() {
  if (!isAligned()) return;
  const box = by("aligned");
  box.classList.remove("wrapped");
  const tops = (words) => new Set(words.map((word) => word.offsetTop)).size;
  box.classList.toggle("wrapped", tops(lines.words.source) > 1 || tops(lines.words.written) > 1);
  const from = box.getBoundingClientRect();
  const boxesOf = (side) => lines.words[side].map((word) => word.getBoundingClientRect());
  const boxes = { source: boxesOf("source"), written: boxesOf("written") };
  for (const { link, path } of lines.paths) {
    const [one, two] = [boxes.source[link.source], boxes.written[link.target]];
    const [x1, y1] = [one.left + one.width / 2 - from.left, one.bottom - from.top + 2].map(Math.round);
    const [x2, y2] = [two.left + two.width / 2 - from.left, two.top - from.top - 2].map(Math.round);
    const bend = (y2 - y1) / 2;
    path.setAttribute("d", `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
    path.setAttribute("stroke-width", (1 + 2.4 * link.weight).toFixed(2));
  }
  follow(...(lines.pinned ?? [null, null]));
}
