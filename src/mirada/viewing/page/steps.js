// Step by step: what was written, what could have been, and the tree of all that the beam followed.

const COLUMN = 126; // pixels of a step in the tree
const ROW = 34;
const LONGEST = 11; // characters of a node

// What is written, or read: its name, and the place in it that a step is about.
const saidName = () => (oneSequence() ? "read" : "written");
const written = () => view.sequences[saidName()];
const placeOf = (step, at) => step.place ?? at;
const END_MARK = "</s>";
const tokenText = (piece) => (piece === END_MARK ? `⟨${say("end")}⟩` : pieceText(piece, false));

function drawSteps() {
  const { steps } = view;
  by("steps").hidden = steps.length === 0 || view.said.length > 0; // what is said of the whole stands above
  if (by("steps").hidden) return;
  const at = Math.min(state.step, steps.length - 1);
  const slider = by("step");
  slider.max = steps.length - 1;
  slider.value = at;
  slider.setAttribute("aria-label", say("steps_title"));
  const told = say("step", { number: at + 1, total: steps.length });
  const { token, rank, probability } = steps[at];
  slider.setAttribute("aria-valuetext", `${told}: ${token === null ? "…" : tokenText(token)}`);
  by("step-told").textContent = told;
  by("before").setAttribute("aria-label", say("before"));
  by("after").setAttribute("aria-label", say("after"));
  by("step").parentElement.hidden = steps.length === 1;
  drawPrefix(placeOf(steps[at], at));
  drawCandidates(steps[at]);
  drawTree(at);
  const kind = oneSequence() && view.task !== "tag" ? "stands" : "chosen";
  const note = rank === null ? "chosen_open" : rank === 1 ? `${kind}_first` : `${kind}_rank`;
  by("steps-note").textContent = say(note, { rank, chance: percent(probability) });
}

function drawPrefix(at) {
  const { labels: all, marks, language, direction } = written();
  const marked = (mark) => (mark === "mask" ? `${SPACE}⟨${say(mark)}⟩` : "");
  const labels = all.map((label, place) => (marks[place] ? marked(marks[place]) : label));
  const box = by("prefix");
  [box.lang, box.dir] = [language, direction];
  const open = at < all.length ? `⟨${say(marks[at] ?? "end")}⟩` : "…";
  const after = view.task === "tag" ? at + stepsWord(at) : at + 1;
  const text = labels[at] ? textOf(labels.slice(at, after)).trim() || "␣" : open;
  const now = make("span", { class: "now", "aria-current": "step" }, text);
  const space = at < labels.length && labels[at].startsWith(SPACE) ? " " : "";
  const rest = make("span", { class: "rest" }, textOf(labels.slice(after)));
  box.replaceChildren(textOf(labels.slice(0, at)).trimStart() + space, now, rest);
  if (box.scrollHeight > box.clientHeight) box.scrollTop = now.offsetTop - box.offsetTop - box.clientHeight / 2;
}

// How many places the word at this place has.
const stepsWord = (at) => written().words.filter((word) => word === written().words[at]).length;

function drawCandidates(step) {
  const row = ({ token, probability }) => ({
    text: tokenText(token), share: probability, told: percent(probability), chosen: token === step.token,
  });
  const rows = step.candidates.map(row);
  if (step.token !== null && !rows.some((one) => one.chosen)) rows.push(row(step));
  barsOf(by("candidates"), rows, spoken(saidName()));
}

// The nodes of each step, in the order of the beam.
function levels() {
  return once("levels", () => {
    const depth = [];
    const found = [];
    view.tree.parents.forEach((parent, node) => {
      depth[node] = parent < 0 ? 0 : depth[parent] + 1;
      (found[depth[node]] ??= []).push(node);
    });
    return found;
  });
}

// As many steps as there is room for, around the one that is looked at: a long tree is never drawn whole.
function drawTree(at) {
  const box = by("tree");
  box.parentElement.hidden = view.tree === null;
  if (view.tree === null) return;
  const found = levels();
  const room = Math.max(2, Math.floor(box.clientWidth / COLUMN));
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), found.length - room));
  const shown = found.slice(first, first + room);
  const place = new Map();
  shown.forEach((nodes, step) => {
    nodes.forEach((node, row) => place.set(node, { x: step * COLUMN, y: row * ROW + 18 }));
  });
  const height = Math.max(...shown.map((nodes) => nodes.length)) * ROW + 6;
  const size = `0 0 ${room * COLUMN} ${height}`;
  const svg = make("svg", { role: "img", "aria-label": treeTold(shown, first), viewBox: size });
  svg.style.maxWidth = `${room * COLUMN}px`;
  const best = new Set(view.tree.best);
  // The tree is that of the model's own words: the steps of a reference have no place in it.
  if (view.reference === null) svg.append(make("rect", { class: "here", x: (at - first) * COLUMN, y: 0, width: COLUMN - 14, height, rx: 8 }));
  for (const [node, { x, y }] of place) svg.append(...edgeTo(node, x, y, place, best));
  for (const [node, { x, y }] of place) svg.append(nodeOf(node, x, y, best));
  box.replaceChildren(svg);
}

function edgeTo(node, x, y, place, best) {
  const from = place.get(view.tree.parents[node]);
  if (!from) return [];
  const label = clippedText(tokenText(view.tree.tokens[view.tree.parents[node]]), LONGEST);
  const [x1, x2] = [from.x + Math.max(46, 14 + 7.4 * label.length), x + 3];
  const bend = (x2 - x1) / 2;
  const curve = `M${x1} ${from.y}C${x1 + bend} ${from.y} ${x2 - bend} ${y} ${x2} ${y}`;
  return [make("path", { class: best.has(node) ? "best" : null, d: curve })];
}

function nodeOf(node, x, y, best) {
  const { tokens, probabilities, totals, ended } = view.tree;
  const kind = [best.has(node) && "best", ended[node] && "ended"].filter(Boolean).join(" ");
  const label = clippedText(tokenText(tokens[node]), LONGEST);
  const told = `${tokenText(tokens[node])}: ${percent(probabilities[node])}; Σ log p = ${number(totals[node], 2)}`;
  const text = make("text", { class: kind || null, x: x + 8, y: y + 1 }, label);
  const chance = make("text", { class: "chance", x: x + 8, y: y + 13 }, percent(probabilities[node]));
  return make("g", {}, make("title", {}, told), text, chance);
}

const clippedText = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

function treeTold(shown, first) {
  const nodeTold = (node) => `${tokenText(view.tree.tokens[node])} ${percent(view.tree.probabilities[node])}`;
  const told = shown.map((nodes, step) => `${first + step + 1}: ${nodes.map(nodeTold).join(", ")}`);
  return `${say("tree_title")}. ${told.join(". ")}`;
}

by("step").addEventListener("input", () => change({ step: Number(by("step").value) }));
by("before").addEventListener("click", () => change({ step: Math.max(0, state.step - 1) }));
by("after").addEventListener("click", () => change({ step: Math.min(view.steps.length - 1, state.step + 1) }));
