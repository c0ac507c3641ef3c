// A text that is read, with what the model says of it: below each word what was said there, above all the classes. A
// word that is pointed at shows where it looks, by the head that is chosen below.

const sentence = { words: [], pinned: null };
const oneSequence = () => !view.sequences.written;

// The steps of each unit of the text.
function stepsOf(unit) {
  const steps = view.steps.map((step, number) => ({ ...step, number }));
  return steps.filter(({ place }) => unit.tokens.includes(place));
}

// The text of the word that a place belongs to.
function wordAt(place) {
  const { labels, words } = view.sequences.read;
  return textOf(labels.filter((_, at) => words[at] === words[place])).trim() || "␣";
}

// What stands below a word: its label, what would stand in its place, or how likely it was.
function captionOf(unit) {
  const steps = stepsOf(unit);
  if (!steps.length) return null;
  if (view.task === "tag") return steps[0].token;
  if (unit.mark === "mask") return tokenText(steps[0].candidates[0].token);
  if (steps.some((step) => step.probability === null)) return null;
  return percent(steps.reduce((chance, step) => chance * step.probability, 1));
}

function drawSentence() {
  const units = unitsOf("read", state.unit);
  const side = make("div", { class: "side read", role: "group", "aria-label": say("text_read"), ...spoken("read") });
  sentence.words = units.map((unit, at) => {
    const caption = captionOf(unit);
    const kind = `word${unit.mark ? " mark" : ""}`;
    const named = { type: "button", class: kind, tabindex: at ? -1 : 0 };
    const word = make("button", named, make("span", {}, labelOf(unit)), make("small", {}, caption ?? ""));
    word.setAttribute("aria-label", caption ? `${labelOf(unit)}: ${caption}` : labelOf(unit));
    word.addEventListener("pointerenter", () => followRead(at));
    word.addEventListener("pointerleave", () => followRead(sentence.pinned));
    word.addEventListener("focus", () => followRead((sentence.pinned = at)));
    word.addEventListener("blur", () => followRead((sentence.pinned = null)));
    word.addEventListener("click", () => {
      const [step] = stepsOf(unit);
      change({ query: at, key: null, ...(step ? { step: step.number } : {}) });
    });
    word.addEventListener("keydown", (event) => walkRead(event, at));
    return word;
  });
  side.append(...sentence.words);
  side.hidden = view.sequences.read.kind !== "text"; // patches and nodes are seen below
  const classes = make("ol", { class: "bars classes" });
  const bar = ({ token, probability }, at) => ({ text: token, share: probability, told: percent(probability), chosen: !at });
  barsOf(classes, view.said.map(bar), {});
  by("aligned").classList.remove("wrapped");
  by("aligned").replaceChildren(...(view.said.length ? [classes, side] : [side]));
  by("translation-note").textContent = say("follow");
  followRead(null);
  by("own").textContent = view.score === null ? "" : say("mean_log", { score: number(view.score, 2) });
}

// Where a word looks: the others, darker for more.
function followRead(at) {
  const map = shownMap();
  const from = map.queries === "read" ? at : 0; // what is said of the whole looks from one place
  const matrix = matrixOf(mapNumber(state.group, state.layer), state.head, state.unit);
  sentence.words.forEach((word, place) => {
    const weight = from === null ? 0 : matrix.data[from * matrix.columns.length + place];
    word.classList.toggle("from", place === at);
    word.style.boxShadow = weight > 0.01 ? `inset 0 -${(2 + 10 * Math.min(1, weight)).toFixed(1)}px 0 ${css("--looked")}` : "";
  });
}

function walkRead(event, at) {
  const { words } = sentence;
  const turned = view.sequences.read.direction === "rtl" ? -1 : 1;
  const next = { ArrowRight: words[at + turned], ArrowLeft: words[at - turned], Home: words[0], End: words.at(-1) }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
