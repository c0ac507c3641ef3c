// The matrix: queries down, keys across, a cell for each pair. The cells are drawn once; what is pointed at is drawn on
// a second canvas above, so that following the pointer costs nothing.

function matrixLayout(matrix, width) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = font(13);
  const widest = (units) => units.reduce((most, unit) => Math.max(most, pen.measureText(labelOf(unit)).width), 0);
  const left = Math.min(150, widest(matrix.rows) + 14, width * 0.3);
  const slanted = Math.min(130, widest(matrix.columns));
  const top = slanted * 0.71 + 18;
  const right = slanted * 0.71 + 8;
  const [rows, columns] = [matrix.rows.length, matrix.columns.length];
  const cell = Math.max(3, Math.min(44, Math.floor((width - left - right) / columns), Math.floor(1400 / rows)));
  const [wide, tall] = [Math.ceil(left + cell * columns + right), Math.ceil(top + cell * rows + 4)];
  return { left, top, cell, width: wide, height: tall, slanted };
}

function drawMatrix(canvas, over, matrix, width) {
  const layout = matrixLayout(matrix, width);
  const { left, top, cell } = layout;
  const pen = sized(canvas, layout.width, layout.height);
  sized(over, layout.width, layout.height);
  const cells = document.createElement("canvas");
  const allowed = allowedUnits(mapNumber(state.group, state.layer), state.unit);
  const colourOf = (at) => (allowed[at] ? heat(matrix.data[at], matrix.most) : palette.never);
  pixels(cells, matrix.rows.length, matrix.columns.length, colourOf);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(cells, left, top, cell * matrix.columns.length, cell * matrix.rows.length);
  if (cell >= 8) drawGaps(pen, matrix, layout);
  if (cell >= 34) drawNumbers(pen, matrix, layout, allowed);
  const every = Math.ceil(12 / cell);
  matrix.rows.forEach((unit, at) => at % every || rowLabel(pen, unit, at, layout, colours().soft, 400));
  matrix.columns.forEach((unit, at) => at % every || columnLabel(pen, unit, at, layout, colours().soft, 400));
  return layout;
}

function drawGaps(pen, matrix, { left, top, cell }) {
  pen.fillStyle = colours().card;
  const [width, height] = [cell * matrix.columns.length, cell * matrix.rows.length];
  for (let y = 0; y <= height; y += cell) pen.fillRect(left, top + y - 0.5, width, 1);
  for (let x = 0; x <= width; x += cell) pen.fillRect(left + x - 0.5, top, 1, height);
}

const brightness = (colour) => 0.3 * (colour & 255) + 0.59 * ((colour >> 8) & 255) + 0.11 * ((colour >> 16) & 255);

function drawNumbers(pen, matrix, { left, top, cell }, allowed) {
  pen.font = font(11);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  matrix.data.forEach((weight, at) => {
    if (!allowed[at] || Math.abs(weight) < 0.005) return;
    pen.fillStyle = brightness(heat(weight, matrix.most)) > 140 ? "#10141c" : "#ffffff";
    const [row, column] = [Math.floor(at / matrix.columns.length), at % matrix.columns.length];
    pen.fillText(number(weight, 2).replace(/^0/, ""), left + (column + 0.5) * cell, top + (row + 0.5) * cell);
  });
}

function rowLabel(pen, unit, at, { left, top, cell }, colour, weight) {
  pen.font = font(Math.min(13, Math.max(10, cell)), weight);
  pen.fillStyle = colour;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillText(clipped(pen, labelOf(unit), left - 10), left - 7, top + (at + 0.5) * cell);
}

function columnLabel(pen, unit, at, { left, top, cell, slanted }, colour, weight) {
  pen.save();
  pen.translate(left + (at + 0.5) * cell, top - 6);
  pen.rotate(-Math.PI / 4);
  pen.font = font(Math.min(13, Math.max(10, cell)), weight);
  pen.fillStyle = colour;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillText(clipped(pen, labelOf(unit), slanted), 0, 0);
  pen.restore();
}

function overMatrix(over, matrix, layout, query, key) {
  const pen = over.getContext("2d");
  const { left, top, cell } = layout;
  pen.clearRect(0, 0, layout.width, layout.height);
  const [width, height] = [cell * matrix.columns.length, cell * matrix.rows.length];
  pen.strokeStyle = colours().accent;
  pen.lineWidth = 1.5;
  if (query !== null) {
    pen.strokeRect(left - 0.5, top + query * cell - 0.5, width + 1, cell + 1);
    pen.fillStyle = colours().card;
    pen.fillRect(0, top + (query + 0.5) * cell - 9, left - 2, 18);
    rowLabel(pen, matrix.rows[query], query, layout, colours().accent, 700);
  }
  if (key !== null) {
    pen.strokeRect(left + key * cell - 0.5, top - 0.5, cell + 1, height + 1);
    columnBack(pen, key, layout);
    columnLabel(pen, matrix.columns[key], key, layout, colours().accent, 700);
  }
}

function columnBack(pen, key, { left, top, cell, slanted }) {
  pen.save();
  pen.translate(left + (key + 0.5) * cell, top - 6);
  pen.rotate(-Math.PI / 4);
  pen.fillStyle = colours().card;
  pen.fillRect(-2, -9, slanted + 4, 18);
  pen.restore();
}

function cellAt({ left, top, cell }, matrix, x, y) {
  const [query, key] = [Math.floor((y - top) / cell), Math.floor((x - left) / cell)];
  if (query < 0 || query >= matrix.rows.length) return null;
  return { query, key: key < 0 || key >= matrix.columns.length ? null : key };
}
