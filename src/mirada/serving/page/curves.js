// The curves of a training, drawn anew while it goes on.

const POLL = 5_000; // milliseconds between two looks at the run
const [WIDE, TALL, LEFT, BELOW, ABOVE, RIGHT] = [420, 240, 44, 24, 26, 8]; // of a chart
const DOTTED = 40; // points of a curve that are still told apart; a single one would not be seen at all
const training = { found: null, wrong: "" };

const SCORE_NAMES = { bleu: "BLEU", chrf: "chrF" };

// Round numbers between two, about so many.
function ticks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high + 1e-9; at++) found.push(at * step);
  return found;
}

function rangesOf(curves) {
  const points = curves.flatMap((curve) => curve.points);
  const values = points.map((point) => point.value);
  const last = Math.max(1, ...points.map((point) => point.step));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || 1) * 0.06;
  return { last, low: low - room, high: high + room };
}

function chartOf(curves) {
  const { last, low, high } = rangesOf(curves);
  const x = (step) => LEFT + ((WIDE - LEFT - RIGHT) * step) / last;
  const y = (value) => ABOVE + ((TALL - ABOVE - BELOW) * (high - value)) / (high - low);
  const told = curves.map(({ name, points }) => `${name}: ${number(points.at(-1).value, 2)}`).join(", ");
  const svg = make("svg", { viewBox: `0 0 ${WIDE} ${TALL}`, role: "img", "aria-label": told });
  for (const value of ticks(low, high, 4)) {
    const label = make("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, high - low < 4 ? 1 : 0));
    svg.append(make("path", { class: "grid-line", d: `M${LEFT} ${y(value)}H${WIDE - RIGHT}` }), label);
  }
  for (const step of ticks(0, last, 4)) {
    svg.append(make("text", { x: x(step), y: TALL - 6, "text-anchor": "middle" }, number(step, 0)));
  }
  curves.forEach(({ name, points, kind }, at) => {
    const d = points.map(({ step, value }, place) => `${place ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`);
    svg.append(make("path", { class: `curve ${kind}`, d: d.join("") }));
    if (points.length <= DOTTED) {
      const dots = points.map(({ step, value }) => `M${x(step).toFixed(1)} ${y(value).toFixed(1)}h0`);
      svg.append(make("path", { class: `curve ${kind} dots`, d: dots.join("") }));
    }
    const label = `${name} ${number(points.at(-1).value, 2)}`;
    svg.append(make("text", { class: `key-${kind}`, x: LEFT + 136 * at, y: 12 }, label)); // above all curves
  });
  return svg;
}

function drawChart(id, curves) {
  const there = curves.filter((curve) => curve.points.length);
  const nothing = make("p", { class: "hint" }, say("no_curves"));
  by(id).replaceChildren(there.length ? chartOf(there) : nothing);
}

function drawCurves() {
  by("training").hidden = !served.run;
  const { found, wrong } = training;
  if (!found) return void (by("training-note").textContent = wrong);
  by("training-note").textContent = [found.name, say(`run_${found.status}`), wrong].filter(Boolean).join(" · ");
  drawChart("loss-chart", [
    { name: say("curve_training"), points: found.training, kind: "one" },
    { name: say("curve_development"), points: found.development, kind: "two" },
  ]);
  const kinds = ["two", "three", "one"];
  const scores = Object.entries(found.scores).slice(0, kinds.length);
  drawChart("score-chart", scores.map(([name, points], at) => ({ name: SCORE_NAMES[name] ?? name, points, kind: kinds[at] })));
}

async function pollCurves() {
  try {
    training.found = await ask("run");
    training.wrong = "";
  } catch (error) {
    training.wrong = error.message;
  }
  drawCurves();
  if (training.found?.status !== "finished") setTimeout(pollCurves, POLL);
}
