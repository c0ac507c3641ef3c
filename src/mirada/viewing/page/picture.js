// The picture: weights over the grid of its patches, with the picture itself beneath.

const pictured = { source: "", image: null };

// The picture of a sequence, which is there a moment later.
function imageOf(sequence) {
  if (!sequence.picture) return null;
  const source = `data:image/png;base64,${sequence.picture}`;
  if (pictured.source !== source) {
    Object.assign(pictured, { source, image: new Image() });
    pictured.image.onload = () => view && isPicture() && stage.shape === "picture" && drawOver();
    pictured.image.src = source;
  }
  return pictured.image.complete ? pictured.image : null;
}

// The place of the first patch: marks such as that of the class stand before.
const firstPatch = (sequence) => sequence.labels.length - sequence.grid[0] * sequence.grid[1];

function drawPicture(canvas, over, matrix, width) {
  const sequence = view.sequences[shownMap().keys];
  const [rows, columns] = sequence.grid;
  const cell = Math.max(6, Math.min(64, Math.floor(Math.min(width, 520) / columns)));
  const layout = { rows, columns, cell, first: firstPatch(sequence), width: cell * columns, height: cell * rows };
  sized(canvas, layout.width, layout.height);
  sized(over, layout.width, layout.height);
  return layout;
}

function overPicture(canvas, over, matrix, layout, query, key) {
  const { rows, columns, cell, first, width, height } = layout;
  const [pen, above] = [canvas.getContext("2d"), over.getContext("2d")];
  pen.clearRect(0, 0, width, height);
  above.clearRect(0, 0, width, height);
  const image = imageOf(view.sequences[shownMap().keys]);
  pen.imageSmoothingEnabled = false;
  if (image) pen.drawImage(image, 0, 0, width, height);
  const looks = matrix.data.subarray((query ?? 0) * matrix.columns.length, ((query ?? 0) + 1) * matrix.columns.length);
  const most = Math.max(1e-6, ...looks.subarray(first));
  for (let at = 0; at < rows * columns; at++) {
    const [x, y] = [(at % columns) * cell, Math.floor(at / columns) * cell];
    const share = looks[first + at] / most;
    above.fillStyle = image ? "#000000" : css("--heat-0");
    above.globalAlpha = image ? 0.82 * (1 - share) : 1;
    above.fillRect(x, y, cell, cell);
    if (!image) {
      above.fillStyle = colours().accent;
      above.globalAlpha = share;
      above.fillRect(x, y, cell, cell);
    }
  }
  above.globalAlpha = 1;
  const marked = [[shownMap().kind === "self" ? query : null, colours().accent], [key, css("--warm")]];
  for (const [place, colour] of marked) {
    if (place === null || place < first) continue;
    above.strokeStyle = colour;
    above.lineWidth = 2;
    const at = place - first;
    above.strokeRect((at % columns) * cell + 1, Math.floor(at / columns) * cell + 1, cell - 2, cell - 2);
  }
}

function patchAt({ rows, columns, cell, first }, x, y) {
  const [row, column] = [Math.floor(y / cell), Math.floor(x / cell)];
  if (row < 0 || row >= rows || column < 0 || column >= columns) return null;
  const place = first + row * columns + column;
  return shownMap().kind === "self" ? { query: place, key: null } : { key: place };
}

Object.assign(pictures, { draw: drawPicture, over: overPicture, at: patchAt });
