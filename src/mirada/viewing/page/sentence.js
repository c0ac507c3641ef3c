// A text that is read, with what the model says of it: below each word what was said there, above all the classes. A
// word that is pointed at shows where it looks, by the head that is chosen below. So does the caption of a picture.

const sentence = { words: [], pinned: null, picture: null };
const oneSequence = () => !view.sequences.written;

// The steps of each unit of the text.
function stepsOf(unit) {
  const steps = view.steps.map((step, number) => ({ ...step, number }));
  // A step of one who writes stands at its own place.
  return steps.filter(({ place, number }) => unit.tokens.includes(oneSequence() ? place : placeOf({ place }, number)));
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
  const name = saidName();
  const units = unitsOf(name, state.unit);
  const told = say(oneSequence() ? "text_read" : "translation");
  const side = make("div", { class: "side read", role: "group", "aria-label": told, ...spoken(name) });
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
      const looks = shownMap().queries === name ? { query: at, key: null } : {};
      change({ ...looks, ...(step ? { step: step.number } : {}) });
    });
    word.addEventListener("keydown", (event) => walkRead(event, at));
    return word;
  });
  side.append(...sentence.words);
  side.hidden = view.sequences[name].kind !== "text"; // patches and nodes are seen below
  sentence.picture = seesPatches() ? pictures.above() : null;
  const classes = make("ol", { class: "bars classes" });
  const bar = ({ token, probability }, at) => ({ text: token, share: probability, told: percent(probability), chosen: !at });
  barsOf(classes, view.said.map(bar), {});
  by("aligned").classList.remove("wrapped");
  by("aligned").classList.toggle("recognised", sentence.picture !== null && view.said.length > 0);
  by("aligned").replaceChildren(...[sentence.picture, view.said.length ? classes : null, side].filter(Boolean));
  by("translation-note").textContent = say("follow");
  followRead(null);
  const scored = oneSequence() && view.score !== null ? say("mean_log", { score: number(view.score, 2) }) : "";
  const own = view.reference === null ? "" : say("own", { text: view.translation });
  by("own").textContent = own || scored;
}

// Where a word looks: the others, darker for more, or the picture, which is clear there.
function followRead(at) {
  const map = shownMap();
  if (sentence.picture) {
    sentence.words.forEach((word, place) => word.classList.toggle("from", place === at));
    if (!oneSequence()) pictures.light(sentence.picture, at);
    return;
  }
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
  const turned = written().direction === "rtl" ? -1 : 1;
  const next = { ArrowRight: words[at + turned], ArrowLeft: words[at - turned], Home: words[0], End: words.at(-1) }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
