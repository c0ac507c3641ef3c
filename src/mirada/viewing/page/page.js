// The page: what is drawn when, and the texts that explain it.

const SCORES = {
  scaled_dot: "eᵢⱼ = ⟨qᵢ, kⱼ⟩ / √d",
  dot: "eᵢⱼ = ⟨qᵢ, kⱼ⟩",
  cosine: "eᵢⱼ = ⟨qᵢ, kⱼ⟩ / (‖qᵢ‖ · ‖kⱼ‖)",
  bilinear: "eᵢⱼ = qᵢᵀ W kⱼ",
  additive: "eᵢⱼ = vᵀ · act(W₁qᵢ + W₂kⱼ)",
  static: "eᵢⱼ = LeakyReLU(uᵀqᵢ + vᵀkⱼ)",
  collaborative: "eᵢⱼ = qᵢᵀ diag(mₕ) kⱼ",
  uniform: "eᵢⱼ = 0",
  free: "αᵢⱼ = w(j − i)",
};
const ORDER = {
  sinusoidal: "p(n, 2c) = sin(n / base^(2c/W)),  p(n, 2c+1) = cos(n / base^(2c/W))",
  learned: "xₙ + P[n]",
  rotary: "⟨Rᵢ q, Rⱼ k⟩,  Rₙ = n · base^(−2c/d)",
  shaw: "eᵢⱼ = ⟨qᵢ, kⱼ + a(j − i)⟩ / √d",
};
const GIVEN = {
  translation: "p(yₜ | y₁ … yₜ₋₁, x) = softmax(E hₜ + b)",
  lm: "p(xₜ | x₁ … xₜ₋₁) = softmax(E hₜ + b)",
  caption: "p(yₜ | y₁ … yₜ₋₁, x) = softmax(E hₜ + b)",
};

function drawHelp() {
  const score = shownMap().score.split("(")[0];
  const weights = score === "free" ? [] : [{ formula: "αᵢⱼ = exp(eᵢⱼ) / Σ_{l ∈ N(i)} exp(eᵢₗ)" }];
  const aligned = [say("help_translation"), { formula: "a(t) = argmaxⱼ (1/H) Σₕ αₕ(t, j)" }];
  helpOf("translation-help", ...(isAligned() ? aligned : [say(`help_${view.task}`)]));
  const looks = [say("help_attention"), { formula: "hᵢ = Σ_{j ∈ N(i)} αᵢⱼ · vⱼ" }, ...weights, { formula: SCORES[score] ?? score }];
  const joined = [say("help_words"), { formula: "α(A, B) = (1/|A|) Σ_{i ∈ A} Σ_{j ∈ B} αᵢⱼ" }];
  helpOf(
    "attention-help",
    ...(state.group === "rollout" ? [{ formula: "R₀ = I,  Rₗ = ½ (1/H Σₕ αₗₕ + I) Rₗ₋₁" }] : looks),
    say(`help_${state.group}`),
    say(`help_${stage.shape}`),
    ...(hasText() ? joined : []),
  );
  helpOf(
    "steps-help",
    say("help_steps"),
    { formula: GIVEN[view.task] ?? "p(yₜ | x) = softmax(W hₜ + b)" },
    ...(view.tree ? [say("help_tree"), { formula: "score(y) = Σₜ log p(yₜ | y₁ … yₜ₋₁, x) / |y|" }] : []),
  );
  helpOf("lens-help", say("help_lens"), { formula: "pₗ(yₜ | …) = softmax(E · norm(hₜ after layer l) + b)" });
  const order = [...new Set(view.positions.map((table) => table.kind))].map((kind) => ({ formula: ORDER[kind] }));
  const near = { formula: "N(i) = { j : pattern(i, j) }" };
  helpOf("places-help", say("help_patterns"), near, say("help_positions"), ...order);
}

function drawFrame() {
  document.documentElement.lang = state.language;
  for (const found of document.querySelectorAll("[data-say]")) found.textContent = say(found.dataset.say);
  by("model").textContent = view?.model ?? "";
  by("theme").setAttribute("aria-label", say("theme"));
  by("theme").title = say("theme");
  by("language").setAttribute("aria-label", say("language"));
  by("language").value = state.language;
  by("foot").textContent = say(by("foot").dataset.words, { version: by("foot").dataset.version });
}

function drawChoices() {
  const told = (values, prefix = "") => values.map((value) => [value, say(prefix + value)]);
  const chooseUnit = (unit) => change({ unit, query: 0, key: null });
  choice("unit", say("unit"), told(["words", "subwords"]), state.unit, chooseUnit);
  by("unit").hidden = !hasText();
  const shape = shapes().includes(state.shape) ? state.shape : shapes()[0];
  choice("shape", say("shape"), told(shapes()), shape, (chosen) => change({ shape: chosen }));
  choice("group", say("attention_title"), told(groups, "group_"), state.group, chooseGroup);
}

function chooseGroup(group) {
  const layer = Math.min(state.layer, layersOf(group) - 1);
  const heads = view.maps[mapNumber(group, layer)].heads;
  change({ group, layer, head: state.head !== null && state.head >= heads ? null : state.head, query: 0, key: null });
}

for (const [tag, words] of Object.entries(LANGUAGES)) {
  by("language").append(make("option", { value: tag, lang: tag }, words.name));
}
by("language").addEventListener("change", () => change({ language: by("language").value }));
by("theme").addEventListener("click", () => change({ theme: state.theme === "dark" ? "light" : "dark" }));
DARK.addEventListener("change", () => change({ theme: DARK.matches ? "dark" : "light" }));

// What stands below is drawn as soon as what stands above has been.
function soon(draw) {
  let begun = false;
  requestIdleCallback(() => ((begun = true), view && draw()), { timeout: 300 });
  return () => begun && draw();
}

always(["theme"], applyTheme);
always(["language"], drawFrame);
part(["language", "unit", "shape", "group"], drawChoices);
part(["language", "unit"], drawAlignment);
part(["language", "unit", "group", "theme"], drawHeads);
part(["layer", "head"], (changed) => changed.has("group") || markHead(by("heads").contains(document.activeElement)));
part(["language", "unit", "group", "shape", "layer", "head", "theme"], drawStage);
part(["query", "key"], (changed) => changed.has("unit") || changed.has("group") || drawOver());
part(["group", "layer", "head"], () => isAligned() || followRead(sentence.pinned));
const steps = soon(drawSteps);
const lens = soon(drawLens);
const places = soon(drawPlaces);
part(["language", "step"], steps);
part(["language", "theme"], lens);
part(["lens", "step"], (changed) => changed.has("language") || lensShown() && markLens(by("lens-table").contains(document.activeElement)));
part(["language", "theme"], places);
part(["language", "group", "shape", "layer"], drawHelp);

function drawEverything() {
  const everything = new Set(Object.keys(state));
  for (const draw of parts) draw(everything);
  if (view) markHead(false);
}

// Show a view: the one that the page was made with, or one that a server sent. What was chosen in the last one stays
// chosen where the new one has it, so that two models are seen at the same place.
function show(next) {
  const had = view && state.group !== null;
  take(next);
  const map = had ? view.maps[mapNumber(state.group, state.layer)] : undefined;
  const kept = map && (state.head ?? 0) < map.heads ? {} : view.start;
  Object.assign(state, kept, { query: 0, key: null, step: 0, lens: 0 });
  by("looks").hidden = false;
  drawEverything();
}

by("looks").hidden = view === null;
if (view) show(view);
else drawEverything();

let widthBefore = document.documentElement.clientWidth;
new ResizeObserver(() => {
  if (document.documentElement.clientWidth === widthBefore) return;
  widthBefore = document.documentElement.clientWidth;
  if (!view) return;
  placeLines();
  drawStage();
  steps();
}).observe(document.documentElement);
requestIdleCallback(() => (document.documentElement.dataset.ready = "yes"), { timeout: 300 });
