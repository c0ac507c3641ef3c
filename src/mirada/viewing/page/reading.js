// Reading the contract: sequences as words or subwords, patterns and weights as numbers. Nothing is decoded before it
// is needed, and nothing twice.

let view = JSON.parse(document.getElementById("view").textContent); // null where a server feeds the page later
const SPACE = "\u2581"; // stands for a space at the beginning of a piece
const decoded = new Map();
let groups = []; // of maps

// What is read from now on.
function take(next) {
  view = next;
  decoded.clear();
  groups = [...new Set(view.maps.map((map) => map.group))];
}

// Whether something that is read is a picture.
const seesPatches = () =>
  view !== null && once("patches", () => Object.values(view.sequences).some(({ kind }) => kind === "patches"));

// Whether there are words that may have several tokens.
const hasText = () =>
  Object.values(view.sequences).some(({ kind, labels, marks }) => kind === "text" && labels.length > Object.keys(marks).length);

function once(key, make) {
  if (!decoded.has(key)) decoded.set(key, make());
  return decoded.get(key);
}

function bytesOf(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);

// One byte for each pair: 1 where query i may look at key j.
function allowedOf(number) {
  return once(`pattern ${number}`, () => {
    const { queries, keys, allowed } = view.patterns[number];
    const bits = bytesOf(allowed);
    const found = new Uint8Array(queries * keys);
    for (let at = 0; at < found.length; at++) found[at] = (bits[at >> 3] >> (7 - (at & 7))) & 1;
    return found;
  });
}

// The weights of all heads of a map, [head][query][key], as weight = low + byte / 255 · (high − low).
function weightsOf(number) {
  return once(`map ${number}`, () => {
    const { heads, pattern, weights, highs, lows } = view.maps[number];
    const { queries, keys } = view.patterns[pattern];
    const allowed = allowedOf(pattern);
    const levels = bytesOf(weights);
    const high = floatsOf(highs);
    const low = lows === null ? new Float32Array(high.length) : floatsOf(lows);
    const found = new Float32Array(heads * queries * keys);
    let at = 0;
    for (let row = 0; row < heads * queries; row++) {
      const scale = (high[row] - low[row]) / 255;
      const pair = (row % queries) * keys;
      for (let key = 0; key < keys; key++) {
        if (allowed[pair + key]) found[row * keys + key] = low[row] + levels[at++] * scale;
      }
    }
    return { heads, queries, keys, data: found };
  });
}

const mapNumber = (group, layer) => view.maps.findIndex((map) => map.group === group && map.layer === layer);
const layersOf = (group) => view.maps.filter((map) => map.group === group).length;

// A piece as text. Bytes that spell a character no piece covers are put together again.
function textOf(pieces) {
  const encoder = new TextEncoder();
  const bytes = pieces.flatMap((piece) => {
    const byte = /^<0x([0-9A-F]{2})>$/.exec(piece);
    return byte ? [parseInt(byte[1], 16)] : [...encoder.encode(piece.replaceAll(SPACE, " "))];
  });
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function pieceText(piece, continues) {
  return (continues ? "·" : "") + (piece.startsWith(SPACE) ? piece.slice(1) : piece) || "␣";
}

// The units that are shown of a sequence: words, or the tokens themselves. Marks have a name instead of a text.
function unitsOf(name, unit) {
  return once(`units ${name} ${unit}`, () => {
    const { labels, words, marks } = view.sequences[name];
    const units = [];
    labels.forEach((label, token) => {
      const continues = token > 0 && words[token] === words[token - 1];
      if (unit === "words" && continues) units.at(-1).tokens.push(token);
      else units.push({ tokens: [token], mark: marks[token] ?? null, continues });
    });
    for (const one of units) {
      const pieces = one.tokens.map((token) => labels[token]);
      one.label = unit === "words" ? textOf(pieces).trim() || "␣" : pieceText(pieces[0], one.continues);
    }
    return units;
  });
}

const labelOf = (unit) => (unit.mark ? `⟨${say(unit.mark)}⟩` : unit.label);

// α between units for one head, or for the mean of all (head null). From a word: the mean over its tokens; to a word:
// the sum over its tokens. So a row still sums to 1.
function matrixOf(number, head, unit) {
  return once(`matrix ${number} ${head} ${unit}`, () => {
    const map = view.maps[number];
    const { heads, queries, keys, data } = weightsOf(number);
    const rows = unitsOf(map.queries, unit);
    const columns = unitsOf(map.keys, unit);
    const place = new Uint16Array(keys);
    columns.forEach((column, at) => column.tokens.forEach((token) => (place[token] = at)));
    const found = new Float32Array(rows.length * columns.length);
    const [first, last] = head === null ? [0, heads] : [head, head + 1];
    rows.forEach((row, at) => {
      const share = 1 / ((last - first) * row.tokens.length);
      const to = at * columns.length;
      for (let one = first; one < last; one++) {
        for (const token of row.tokens) {
          const from = (one * queries + token) * keys;
          for (let key = 0; key < keys; key++) found[to + place[key]] += data[from + key] * share;
        }
      }
    });
    let most = 1e-6;
    for (let at = 0; at < found.length; at++) most = Math.max(most, Math.abs(found[at]));
    return { rows, columns, data: found, most };
  });
}

// Which units may look at which: one of their tokens may.
function allowedUnits(number, unit) {
  return once(`allowed ${number} ${unit}`, () => {
    const map = view.maps[number];
    const allowed = allowedOf(map.pattern);
    const { keys } = view.patterns[map.pattern];
    const [rows, columns] = [unitsOf(map.queries, unit), unitsOf(map.keys, unit)];
    const found = new Uint8Array(rows.length * columns.length);
    let at = 0;
    for (const row of rows) {
      for (const column of columns) {
        for (const i of row.tokens) for (const j of column.tokens) found[at] |= allowed[i * keys + j];
        at++;
      }
    }
    return found;
  });
}

// The lines between source and target, between units: the mean weight of the tokens that were looked up there.
function linksOf(unit) {
  return once(`links ${unit}`, () => {
    const of = (name) => {
      const place = [];
      unitsOf(name, unit).forEach((one, at) => one.tokens.forEach((token) => (place[token] = at)));
      return place;
    };
    const [sources, targets] = [of("source"), of("written")];
    const joined = new Map();
    for (const { source, target, weight } of view.alignment?.links ?? []) {
      const key = `${sources[source]} ${targets[target]}`;
      const link = joined.get(key) ?? { source: sources[source], target: targets[target], weight: 0, count: 0 };
      joined.set(key, { ...link, weight: link.weight + weight, count: link.count + 1 });
    }
    return [...joined.values()].map((link) => ({ ...link, weight: link.weight / link.count }));
  });
}
