// Drawing: canvases that are sharp on every screen, and colours that follow the theme.

let palette = null;

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const rgb = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// A colour as the four bytes of a pixel in one number, red in the lowest.
const pixel = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

function between(stops, share) {
  const at = Math.min(share, 1) * (stops.length - 1);
  const low = Math.min(Math.floor(at), stops.length - 2);
  return stops[low].map((one, channel) => Math.round(one + (stops[low + 1][channel] - one) * (at - low)));
}

// 256 colours from no weight to the greatest; a square root between, so that small weights can be told from none.
function colours() {
  palette ??= (() => {
    const stops = [0, 1, 2, 3, 4].map((at) => rgb(css(`--heat-${at}`)));
    const turned = ["--less", "--zero", "--more"].map((name) => rgb(css(name)));
    return {
      heat: Uint32Array.from({ length: 256 }, (_, at) => pixel(between(stops, Math.sqrt(at / 255)))),
      signed: Uint32Array.from({ length: 256 }, (_, at) => pixel(between(turned, at / 255))),
      never: pixel(rgb(css("--never"))),
      ink: css("--ink"), soft: css("--soft"), faint: css("--faint"), card: css("--card"),
      accent: css("--accent"), accentSoft: css("--accent-soft"), line: css("--line"),
    };
  })();
  return palette;
}

const heat = (weight, most) => palette.heat[Math.min(255, Math.round((255 * Math.abs(weight)) / most))];

function applyTheme() {
  document.documentElement.dataset.theme = state.theme;
  palette = null;
  colours();
}

// A canvas of this size in pixels of the page, and its pen.
function sized(canvas, width, height) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  return pen;
}

// A table of colours as pixels, one for each cell.
function pixels(canvas, rows, columns, colourOf) {
  canvas.width = columns;
  canvas.height = rows;
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(columns, rows);
  const found = new Uint32Array(image.data.buffer);
  for (let at = 0; at < found.length; at++) found[at] = colourOf(at);
  pen.putImageData(image, 0, 0);
}

// A text that ends with … where it is longer than its room.
function clipped(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let kept = [...text];
  while (kept.length > 1 && pen.measureText(`${kept.join("")}…`).width > room) kept = kept.slice(0, -1);
  return `${kept.join("")}…`;
}

const FAMILY = 'ui-sans-serif, system-ui, "Segoe UI", "Noto Sans", sans-serif';
const font = (size, weight = 400) => `${weight} ${size}px ${FAMILY}`;
