// The answers: a card for each model, side by side, with what the one says and the other does not. One of them is
// looked into below.

const answers = { cards: [], shown: null, asked: 0 };

// The answer first, since it is quick and has no length; then the look into the model, where it allows one.
async function answerOf(model, q) {
  const begun = performance.now();
  const found = await KINDS[model.task].ask(model, q);
  return { model, q, found, seconds: (performance.now() - begun) / 1000, view: null, why: "" };
}

async function lookInto(card) {
  const { attention, name, task } = card.model;
  if (!attention) return void (card.why = say(task === "translation" ? "exported_model" : "no_attention"));
  if (!card.q.trim()) return;
  try {
    card.view = await ask("attention", { q: card.q, model: name });
  } catch (error) {
    card.why = error.message;
  }
}

async function askAll() {
  const q = by("text").value;
  const models = chosenModels();
  if (!q.trim() && models[0].task !== "lm") return tellAsking(say("nothing_typed"), true);
  const turn = ++answers.asked; // an older question must not speak after a newer one
  by("go").disabled = true;
  tellAsking(say("working"));
  try {
    const cards = await Promise.all(models.map((model) => answerOf(model, q)));
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
  else by("model").textContent = "";
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
  const text = card.found.translatedText;
  const words = spacedWords(text);
  const others = other ? spacedWords(other.found.translatedText) : [];
  if (!other || Math.max(words.length, others.length) > 2 * LONGEST_COMPARED) return [text];
  const own = ownWords(words, others);
  return words.map((word, at) => (own.has(at) && word.trim() ? make("mark", {}, word) : word));
}

function factsOf({ found, model, view, seconds, why }) {
  const told = [say("seconds", { seconds: number(seconds, 2) })];
  if (model.task === "translation" && view?.score != null) told.push(say("score_told", { score: number(view.score, 2) }));
  if (view?.flags.length) told.push(say("flagged", { flags: view.flags.map((flag) => say(`flag_${flag}`)).join(", ") }));
  if (found.gaps?.length === 0) told.push(say("no_gap"));
  if (found.cut) told.push(say("text_cut"));
  if (found.parts > 1) told.push(say("text_parts", { count: found.parts }));
  if (why) told.push(why);
  return told.join(" · ");
}

function cardOf(card) {
  const row = make("div", { class: "row" }, make("span", { class: "facts" }, factsOf(card)));
  if (answers.cards.length > 1 && card.view) {
    const pressed = { type: "button", class: "plain", "aria-pressed": card === answers.shown };
    const look = make("button", pressed, say("look_into"));
    look.addEventListener("click", () => showAnswer(card));
    row.append(look);
  }
  const shown = answers.cards.length > 1 && card === answers.shown ? "card answer shown" : "card answer";
  const answer = KINDS[card.model.task].show(card);
  return make("article", { class: shown, "aria-label": card.model.name }, make("h3", {}, card.model.name), ...answer, row);
}

function drawAnswers() {
  const box = by("answers");
  const at = [...box.querySelectorAll("button")].indexOf(document.activeElement);
  box.replaceChildren(...answers.cards.map(cardOf));
  if (at >= 0) box.querySelectorAll("button")[at]?.focus();
}
