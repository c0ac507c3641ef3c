// What each kind of model is asked, and how its answer is shown.

const GAP = /\[MASK\]|_{3,}/;
const MOST_CLASSES = 8; // that are drawn
const WISHES = ["tokens", "temperature", "top_k", "top_p", "seed", "n"]; // how a language model is to write

// What stands in the fields; an empty one is left to the server.
function wishes() {
  const found = WISHES.map((name) => [name, by(`wish-${name}`).valueAsNumber]);
  return Object.fromEntries(found.filter(([, value]) => !Number.isNaN(value)));
}

const predicted = async (model, q) => (await ask("predict", { q, model: model.name })).predictions[0];
const said = (attributes, ...children) => make("p", { class: "said", dir: "auto", ...attributes }, ...children);

const visible = (text) => text || "␣"; // a space may be what fills a gap

function candidateRow({ text, probability }, at) {
  return { text: visible(text), share: probability, told: percent(probability), chosen: !at };
}

function barsFor(candidates) {
  const list = make("ol", { class: "bars" });
  barsOf(list, candidates.map(candidateRow), { dir: "auto" });
  return list;
}

function showWritten({ found, q }) {
  return found.texts.map(({ text }) => {
    const given = text.startsWith(q) ? q : ""; // subwords may write a beginning with other spaces
    return said({}, make("span", { class: "given" }, given), text.slice(given.length));
  });
}

function showFilled({ found, q }) {
  const around = q.split(GAP);
  const word = (at) => make("mark", {}, visible(found.gaps[at][0].text));
  const whole = around.length === found.gaps.length + 1; // else there are signs in it that no text has
  const filled = whole ? around.flatMap((part, at) => (at ? [word(at - 1), part] : [part])) : [found.text];
  const named = (at) => (found.gaps.length > 1 ? [make("h4", {}, say("gap_told", { number: at + 1 }))] : []);
  const gaps = found.gaps.map((gap, at) => make("div", {}, ...named(at), barsFor(gap)));
  return [said({}, ...filled), make("div", { class: "gaps" }, ...gaps)];
}

function showTags({ found }) {
  const tagged = found.words.map((word, at) => {
    const chance = make("small", { class: "chance" }, percent(found.probabilities[at]));
    return make("li", {}, make("span", { dir: "auto" }, word), make("small", {}, found.labels[at]), chance);
  });
  return [make("ol", { class: "tags" }, ...tagged)];
}

function showClass({ found }) {
  const classes = Object.entries(found.probabilities).map(([text, probability]) => ({ text, probability }));
  classes.sort((one, two) => two.probability - one.probability);
  return [said({}, found.label), barsFor(classes.slice(0, MOST_CLASSES))];
}

const KINDS = {
  translation: {
    ask: (model, q) => ask("translate", { q, source: model.source, target: model.target, model: model.name }),
    show: (card) => [said({ lang: card.model.target }, ...saidBy(card))],
  },
  lm: { ask: (model, q) => ask("generate", { prompt: q, model: model.name, ...wishes() }), show: showWritten },
  mlm: { ask: predicted, show: showFilled },
  tag: { ask: predicted, show: showTags },
  classify: { ask: predicted, show: showClass },
};
