// The answers: a card for each model, side by side, with what the one says and the other does not. One of them is
// looked into below.

const answers = { cards: [], shown: null, asked: 0 };

// A translation first, since it is quick and has no length; then the look into it, where the model allows one.
async function answerOf(model, q) {
  const about = { q, source: model.source, target: model.target, model: model.name };
  const begun = performance.now();
  const { translatedText } = await ask("translate", about);
  return { model, about, text: translatedText, seconds: (performance.now() - begun) / 1000, view: null, why: "" };
}

async function lookInto(card) {
  if (!card.model.attention) return void (card.why = say("exported_model"));
  try {
    card.view = await ask("attention", card.about);
  } catch (error) {
    card.why = error.message;
  }
}

async function askAll() {
  const q = by("text").value;
  if (!q.trim()) return tellAsking(say("nothing_typed"), true);
  const turn = ++answers.asked; // an older question must not speak after a newer one
  by("go").disabled = true;
  tellAsking(say("working"));
  try {
    const cards = await Promise.all(chosenModels().map((model) => answerOf(model, q)));
    if (turn !== answers.asked) return;
    answers.cards = cards;
    answers.shown = null;
    drawAnswers();
    await Promise.all(cards.map(lookInto));
    if (turn !== answers.asked) return;
    tellAsking("");
    showAnswer(cards.find((card) => card.view) ?? null);
  } catch (error) {
    tellAsking(error.message, true);
  } finally {
    by("go").disabled = false;
  }
}

function showAnswer(card) {
  answers.shown = card;
  by("looks").hidden = card === null;
  if (card) show(card.view);
  drawAnswers();
}

// Which of the words are not among the longest that both say in the same order.
function ownWords(words, others) {
  const most = Array.from({ length: words.length + 1 }, () => new Uint16Array(others.length + 1));
  for (let i = words.length - 1; i >= 0; i--) {
    for (let j = others.length - 1; j >= 0; j--) {
      most[i][j] = words[i] === others[j] ? most[i + 1][j + 1] + 1 : Math.max(most[i + 1][j], most[i][j + 1]);
    }
  }
  const own = new Set();
  let [i, j] = [0, 0];
  while (i < words.length) {
    if (j < others.length && words[i] === others[j]) [i, j] = [i + 1, j + 1];
    else if (j < others.length && most[i + 1][j] < most[i][j + 1]) j++;
    else own.add(i++);
  }
  return own;
}

const LONGEST_COMPARED = 400; // words; a table of them is 160,000 numbers
const spacedWords = (text) => text.split(/(\s+)/);

function saidBy(card) {
  const [other] = answers.cards.filter((one) => one !== card);
  const words = spacedWords(card.text);
  const others = other ? spacedWords(other.text) : [];
  if (!other || Math.max(words.length, others.length) > 2 * LONGEST_COMPARED) return [card.text];
  const own = ownWords(words, others);
  return words.map((word, at) => (own.has(at) && word.trim() ? make("mark", {}, word) : word));
}

function factsOf({ view, seconds, why }) {
  const told = [say("seconds", { seconds: number(seconds, 2) })];
  if (view?.score != null) told.push(say("score_told", { score: number(view.score, 2) }));
  if (view?.flags.length) told.push(say("flagged", { flags: view.flags.map((flag) => say(`flag_${flag}`)).join(", ") }));
  if (why) told.push(why);
  return told.join(" · ");
}

function cardOf(card) {
  const said = make("p", { class: "said", lang: card.model.target, dir: "auto" }, ...saidBy(card));
  const row = make("div", { class: "row" }, make("span", { class: "facts" }, factsOf(card)));
  if (answers.cards.length > 1 && card.view) {
    const pressed = { type: "button", class: "plain", "aria-pressed": card === answers.shown };
    const look = make("button", pressed, say("look_into"));
    look.addEventListener("click", () => showAnswer(card));
    row.append(look);
  }
  const shown = answers.cards.length > 1 && card === answers.shown ? "card answer shown" : "card answer";
  return make("article", { class: shown, "aria-label": card.model.name }, make("h3", {}, card.model.name), said, row);
}

function drawAnswers() {
  const box = by("answers");
  const at = [...box.querySelectorAll("button")].indexOf(document.activeElement);
  box.replaceChildren(...answers.cards.map(cardOf));
  if (at >= 0) box.querySelectorAll("button")[at]?.focus();
}
