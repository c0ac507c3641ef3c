// The picture: weights over the grid of its patches, with the picture itself beneath. What is not looked at lies in fog.

const FOG = { dark: "#262c3a", light: "#c4ccdb" }; // what hides a bright picture, and a dark one
const THICK = 0.85; // what is not looked at shows through a little
const ROOM = { wide: 520, tall: 760, small: 150, between: 14, below: 40 }; // pixels; below a small one stands its word
const pictured = { source: "", image: null, fog: FOG.dark };

// The picture of a sequence, which is there a moment later.
function imageOf(sequence) {
  if (!sequence.picture) return null;
  const source = `data:image/png;base64,${sequence.picture}`;
  if (pictured.source !== source) {
    Object.assign(pictured, { source, image: new Image() });
    pictured.image.onload = () => {
      pictured.fog = fogOf(pictured.image);
      if (seesPatches()) drawAlignment(), drawStage();
    };
    pictured.image.src = source;
  }
  return pictured.image.complete && pictured.image.naturalWidth ? pictured.image : null;
}

// By the mean brightness of a picture.
function fogOf(image) {
  const pen = make("canvas", { width: 8, height: 8 }).getContext("2d");
  pen.drawImage(image, 0, 0, 8, 8);
  const pixels = new Uint32Array(pen.getImageData(0, 0, 8, 8).data.buffer);
  return pixels.reduce((sum, one) => sum + brightness(one), 0) / pixels.length < 110 ? FOG.light : FOG.dark;
}

// The sequence whose places are patches.
const patchesName = () => Object.keys(view.sequences).find((name) => view.sequences[name].kind === "patches");

// The place of the first patch: marks such as that of the class stand before.
const firstPatch = (sequence) => sequence.labels.length - sequence.grid[0] * sequence.grid[1];

// How large a patch is where a picture may have so much room.
function cellOfPatch([rows, columns], wide, tall) {
  return Math.max(3, Math.min(64, Math.floor(wide / columns), Math.floor(tall / rows)));
}

// The picture with its weights: clear where it is looked at most; clear everywhere without weights.
function paintPatches(pen, sequence, looks, { x, y, cell }) {
  const [rows, columns] = sequence.grid;
  const image = imageOf(sequence);
  pen.imageSmoothingEnabled = image !== null && image.naturalWidth > cell * columns;
  if (image) pen.drawImage(image, x, y, cell * columns, cell * rows);
  if (!looks) return;
  const shown = looks.subarray(firstPatch(sequence));
  const most = shown.reduce((found, weight) => Math.max(found, Math.abs(weight)), 1e-6);
  pen.fillStyle = image ? pictured.fog : colours().accent;
  shown.forEach((weight, at) => {
    const share = Math.abs(weight) / most;
    pen.globalAlpha = image ? THICK * (1 - share) : share;
    pen.fillRect(x + (at % columns) * cell, y + Math.floor(at / columns) * cell, cell, cell);
  });
  pen.globalAlpha = 1;
}

const rowOf = (matrix, at) => matrix.data.subarray(at * matrix.columns.length, (at + 1) * matrix.columns.length);

// Where words look at a picture, each has its own, small; else there is one, of the place that is chosen.
function drawPicture(canvas, over, matrix, width) {
  const map = shownMap();
  const sequence = view.sequences[map.keys];
  const several = map.kind === "cross" && matrix.rows.length > 1;
  const cell = several ? cellOfPatch(sequence.grid, ROOM.small, ROOM.small) : cellOfPatch(sequence.grid, Math.min(width, ROOM.wide), ROOM.tall);
  const [wide, tall] = [cell * sequence.grid[1], cell * sequence.grid[0]];
  const [right, down] = [wide + ROOM.between, tall + ROOM.below + ROOM.between];
  const count = several ? matrix.rows.length : 1;
  const across = Math.min(count, Math.max(1, Math.floor((width + ROOM.between - 4) / right)));
  const tiles = Array.from({ length: count }, (_, at) => ({ x: 2 + (at % across) * right, y: 2 + Math.floor(at / across) * down }));
  const height = several ? Math.ceil(count / across) * down : tall + 4;
  const layout = { sequence, several, cell, wide, tall, tiles, width: across * right - ROOM.between + 4, height };
  const pen = sized(canvas, layout.width, layout.height);
  sized(over, layout.width, layout.height);
  if (several) tiles.forEach((tile, at) => drawTile(pen, matrix, layout, tile, at));
  return layout;
}

function drawTile(pen, matrix, { sequence, cell, wide, tall }, { x, y }, at) {
  const looks = rowOf(matrix, at);
  paintPatches(pen, sequence, looks, { x, y, cell });
  const most = looks.subarray(firstPatch(sequence)).reduce((found, weight) => Math.max(found, Math.abs(weight)), 0);
  pen.textBaseline = "top";
  pen.textAlign = "left";
  pen.fillStyle = colours().ink;
  pen.font = font(13, 600);
  pen.fillText(clipped(pen, labelOf(matrix.rows[at]), wide), x, y + tall + 6);
  pen.fillStyle = colours().faint;
  pen.font = font(11);
  pen.fillText(`≤ ${number(most)}`, x, y + tall + 24);
}

function overPicture(canvas, over, matrix, layout, query, key) {
  const { sequence, several, cell, wide, tall, tiles } = layout;
  const [pen, above] = [canvas.getContext("2d"), over.getContext("2d")];
  above.clearRect(0, 0, layout.width, layout.height);
  const at = Math.min(query ?? 0, matrix.rows.length - 1);
  const tile = tiles[several ? at : 0];
  if (several) outline(above, tile.x - 1, tile.y - 1, wide + 2, tall + 2, colours().accent);
  else {
    pen.clearRect(0, 0, layout.width, layout.height);
    paintPatches(pen, sequence, rowOf(matrix, at), { ...tile, cell });
  }
  const marked = [[shownMap().kind === "self" ? query : null, colours().accent], [key, css("--warm")]];
  for (const [place, colour] of marked) {
    const patch = place === null ? -1 : place - firstPatch(sequence);
    if (patch < 0) continue;
    const [row, column] = [Math.floor(patch / sequence.grid[1]), patch % sequence.grid[1]];
    outline(above, tile.x + column * cell, tile.y + row * cell, cell, cell, colour);
  }
}

// A frame that is seen on every ground: coloured, with white around it.
function outline(pen, x, y, width, height, colour) {
  for (const [thick, one] of [[4, "#ffffff"], [2, colour]]) {
    pen.strokeStyle = one;
    pen.lineWidth = thick;
    pen.strokeRect(x, y, width, height);
  }
}

function patchAt({ sequence, several, cell, wide, tall, tiles }, x, y) {
  const inside = (tile) => x >= tile.x && x < tile.x + wide && y >= tile.y && y < tile.y + tall + (several ? ROOM.below : 0);
  const at = tiles.findIndex(inside);
  if (at < 0) return null;
  const [row, column] = [Math.floor((y - tiles[at].y) / cell), Math.floor((x - tiles[at].x) / cell)];
  const place = row < sequence.grid[0] ? firstPatch(sequence) + row * sequence.grid[1] + column : null;
  if (several) return { query: at, key: place };
  return shownMap().kind === "self" ? { query: place, key: null } : { key: place };
}

// The picture above all, as the model reads it.
function pictureAbove() {
  const sequence = view.sequences[patchesName()];
  const canvas = make("canvas", { class: "seen", role: "img", "aria-label": view.text });
  const cell = cellOfPatch(sequence.grid, 240, 320);
  paintPatches(sized(canvas, cell * sequence.grid[1], cell * sequence.grid[0]), sequence, null, { x: 0, y: 0, cell });
  return canvas;
}

// Where a word of the caption looks, by the head that is chosen below where it is one of these looks.
function lightAbove(canvas, at) {
  const sequence = view.sequences[patchesName()];
  const chosen = shownMap().queries === saidName();
  const { group, layer } = chosen ? state : view.start;
  const matrix = matrixOf(mapNumber(group, layer), chosen ? state.head : null, state.unit);
  const cell = cellOfPatch(sequence.grid, 240, 320);
  paintPatches(canvas.getContext("2d"), sequence, at === null ? null : rowOf(matrix, at), { x: 0, y: 0, cell });
}

Object.assign(pictures, { draw: drawPicture, over: overPicture, at: patchAt, above: pictureAbove, light: lightAbove });
