// The interface: its languages, its elements, and what is chosen. Text reaches the page as text only.

const LANGUAGES = JSON.parse(document.getElementById("words").textContent);

const DARK = matchMedia("(prefers-color-scheme: dark)");

const state = {
  language: navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES) ?? "en",
  theme: DARK.matches ? "dark" : "light",
  unit: "words",
  shape: null, // the first that a map has
  group: null,
  layer: 0,
  head: null,
  query: 0,
  key: null,
  step: 0,
  lens: 0,
};

const parts = []; // functions that draw a part of the page; each is told what has changed

function change(patch) {
  const changed = new Set(Object.keys(patch).filter((key) => state[key] !== patch[key]));
  Object.assign(state, patch);
  if (changed.size) for (const draw of parts) draw(changed);
}

function always(depends, draw) {
  parts.push((changed) => depends.some((key) => changed.has(key)) && draw(changed));
}

// A part that shows the view, and is not drawn before there is one.
function part(depends, draw) {
  always(depends, (changed) => view && draw(changed));
}

// Of a picture some things are said in other words.
function say(key, values = {}) {
  const own = (words) => (seesPatches() ? words[`${key}_picture`] : undefined) ?? words[key];
  const text = own(LANGUAGES[state.language]) ?? own(LANGUAGES.en) ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

const by = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "g", "text", "rect", "title", "tspan"].includes(tag);
  const found = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) found.setAttribute(name, value);
  found.append(...children);
  return found;
}

// To make a format takes longer than to use it a thousand times.
const formats = new Map();

function format(options) {
  const key = `${state.language} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(state.language, options));
  return formats.get(key);
}

function number(weight, digits = 3) {
  return format({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(weight);
}

const percent = (share) => format({ style: "percent", maximumFractionDigits: 1 }).format(share);

// The attributes of an element that shows a sequence's text.
const spoken = (name) => ({ lang: view.sequences[name].language, dir: view.sequences[name].direction });

// A row of buttons of which one is chosen; arrows walk, as in every radio group.
function choice(id, label, options, chosen, choose) {
  const box = by(id);
  const had = box.contains(document.activeElement);
  box.setAttribute("aria-label", label);
  box.replaceChildren(
    ...options.map(([value, text]) => {
      const on = value === chosen;
      const button = make("button", { type: "button", role: "radio", "aria-checked": on, tabindex: on ? 0 : -1 }, text);
      button.dataset.value = value;
      button.addEventListener("click", () => choose(value));
      return button;
    }),
  );
  box.onkeydown = (event) => {
    const turn = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!turn) return;
    event.preventDefault();
    const at = options.findIndex(([value]) => value === chosen);
    choose(options[(at + turn + options.length) % options.length][0]);
  };
  if (had) box.querySelector('[aria-checked="true"]').focus();
}

// A bar chart of words: the likeliest, or the most looked at.
function barsOf(list, rows, of) {
  list.replaceChildren(
    ...rows.map(({ text, share, told, chosen }) => {
      const fill = make("div", { class: "fill" });
      fill.style.width = `${Math.min(100, 100 * Math.abs(share))}%`;
      const label = make("span", { class: "text", title: text, ...of }, text);
      return make(
        "li",
        chosen ? { class: "chosen" } : {},
        label,
        make("div", { class: "track", "aria-hidden": "true" }, fill),
        make("span", { class: "number" }, told),
      );
    }),
  );
}

function helpOf(id, ...lines) {
  const told = (line) => (line.formula ? make("p", { class: "formula" }, line.formula) : make("p", {}, line));
  by(id).replaceChildren(...lines.map(told));
}
