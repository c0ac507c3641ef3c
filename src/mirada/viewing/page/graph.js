// The graph: words as nodes, weights as edges. A sequence that looks at itself stands in a ring; two sequences stand
// face to face.

const FEW = 3; // edges of a node that are drawn while another one is followed, or none is
const UPRIGHT = 26; // words whose labels still find room side by side
const LEAST = 0.04; // a thinner edge cannot be seen

function graphLayout(matrix, width) {
  const ring = view.maps[mapNumber(state.group, state.layer)].kind === "self";
  return ring ? ringLayout(matrix, width) : columnsLayout(matrix, width);
}

function ringLayout(matrix, width) {
  const size = Math.min(width, 660);
  const outside = Math.min(110, size * 0.19);
  const radius = size / 2 - outside;
  const count = matrix.rows.length;
  const text = Math.max(7, Math.min(14, ((2 * Math.PI * radius) / count) * 0.92));
  const nodes = matrix.rows.map((_, at) => {
    const angle = (2 * Math.PI * at) / count - Math.PI / 2;
    return { x: size / 2 + radius * Math.cos(angle), y: size / 2 + radius * Math.sin(angle), angle };
  });
  return { ring: true, width: size, height: size, text, room: outside - 12, queries: nodes, keys: nodes };
}

function columnsLayout(matrix, width) {
  const whole = Math.min(width, 640);
  const count = Math.max(matrix.rows.length, matrix.columns.length);
  const row = Math.max(10, Math.min(30, 620 / count));
  const height = row * count + 16;
  const side = Math.min(200, whole * 0.34);
  const down = (at, units) => 8 + (height - 16) * ((at + 0.5) / units.length);
  const nodes = (units, x, angle) => units.map((_, at) => ({ x, y: down(at, units), angle }));
  const [queries, keys] = [nodes(matrix.rows, side, Math.PI), nodes(matrix.columns, whole - side, 0)];
  return { ring: false, width: whole, height, text: Math.min(14, row * 0.9), room: side - 14, queries, keys };
}

function drawGraph(canvas, over, matrix, width) {
  const layout = graphLayout(matrix, width);
  sized(canvas, layout.width, layout.height);
  sized(over, layout.width, layout.height);
  return layout;
}

// Everything is drawn anew when another word is followed: few edges of each node, so this stays quick.
function overGraph(canvas, over, matrix, layout, query, key) {
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, layout.width, layout.height);
  const strength = query === null ? 0.8 : 0.1;
  matrix.rows.forEach((_, row) => row !== query && drawEdges(pen, matrix, layout, row, FEW, strength));
  if (query !== null) drawEdges(pen, matrix, layout, query, matrix.columns.length, 1);
  const looked = (at) => (query === null ? 0 : matrix.data[query * matrix.columns.length + at] / matrix.most);
  const looking = layout.ring ? [] : layout.queries;
  looking.forEach((node, at) => drawNode(pen, layout, node, matrix.rows[at], 0, at === query, false));
  layout.keys.forEach((node, at) => {
    const followed = layout.ring && at === query;
    drawNode(pen, layout, node, matrix.columns[at], followed ? 1 : looked(at), followed, at === key);
  });
}

// The edges of each node that can be seen, the greatest first; a look at oneself is no edge of a ring.
function edgesOf(matrix, ring) {
  matrix.edges ??= matrix.rows.map((_, row) => {
    const weights = matrix.data.subarray(row * matrix.columns.length, (row + 1) * matrix.columns.length);
    const found = [];
    weights.forEach((weight, at) => {
      if (Math.abs(weight) >= LEAST && !(ring && at === row)) found.push([Math.abs(weight), at]);
    });
    return found.sort((one, two) => two[0] - one[0]);
  });
  return matrix.edges;
}

function drawEdges(pen, matrix, layout, row, most, strength) {
  const drawn = edgesOf(matrix, layout.ring)[row].slice(0, most);
  pen.strokeStyle = colours().accent;
  pen.lineCap = "round";
  for (const [weight, at] of drawn) {
    const [from, to] = [layout.queries[row], layout.keys[at]];
    pen.globalAlpha = strength * (0.12 + 0.88 * Math.min(1, weight));
    pen.lineWidth = 0.6 + 5 * weight;
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    if (layout.ring) pen.quadraticCurveTo(layout.width / 2, layout.height / 2, to.x, to.y);
    else pen.bezierCurveTo((from.x + to.x) / 2, from.y, (from.x + to.x) / 2, to.y, to.x, to.y);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function drawNode(pen, layout, node, unit, share, followed, pointed) {
  const strong = followed || pointed || share > 0.15;
  const colour = followed || pointed ? colours().accent : strong ? colours().ink : colours().soft;
  pen.fillStyle = colour;
  pen.beginPath();
  const larger = followed ? 1.5 : 1 + 0.6 * Math.min(1, share);
  pen.arc(node.x, node.y, Math.min(5, layout.text * 0.34) * larger, 0, 2 * Math.PI);
  pen.fill();
  pen.font = font(layout.text, followed || pointed ? 700 : strong ? 600 : 400);
  drawLabel(pen, layout, node, labelOf(unit));
}

// The labels of few words stand upright around the ring; those of many turn outwards, and none upside down.
function drawLabel(pen, layout, node, text) {
  const [across, down] = [Math.cos(node.angle), Math.sin(node.angle)];
  const turned = layout.ring && layout.queries.length > UPRIGHT;
  const back = across < -1e-9;
  pen.save();
  pen.translate(node.x, node.y);
  pen.textBaseline = "middle";
  pen.textAlign = layout.ring && !turned && Math.abs(across) < 0.2 ? "center" : back ? "right" : "left";
  if (turned) pen.rotate(back ? node.angle + Math.PI : node.angle);
  if (layout.ring && !turned) pen.translate(11 * across, 15 * down);
  else pen.translate(back ? -10 : 10, 0);
  pen.fillText(clipped(pen, text, layout.room), 0, 0);
  pen.restore();
}

function nodeAt(layout, x, y) {
  const away = (node) => Math.abs(node.y - y);
  const nearest = (nodes) => nodes.reduce((best, node, at) => (away(node) < away(nodes[best]) ? at : best), 0);
  if (layout.ring) return { query: ringAt(layout, x, y), key: null };
  return x < layout.width / 2 ? { query: nearest(layout.queries), key: null } : { key: nearest(layout.keys) };
}

// The whole slice of a word is its own, label included.
function ringAt(layout, x, y) {
  const count = layout.queries.length;
  const angle = Math.atan2(y - layout.height / 2, x - layout.width / 2) + Math.PI / 2;
  return Math.round((((angle / (2 * Math.PI)) % 1) + 1) * count) % count;
}
