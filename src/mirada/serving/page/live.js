// The live page: what is drawn when, and what its keys do.

by("looks").after(by("training")); // what is asked for stands before what is watched
by("text").maxLength = served.characters;
by("wish-tokens").max = served.written;
by("wish-tokens").value = Math.min(by("wish-tokens").valueAsNumber, served.written);
by("wish-n").max = served.samples;
by("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  askAll();
});
by("text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!by("go").disabled) by("ask").requestSubmit();
});
by("first").addEventListener("change", drawFields);

function drawLive() {
  drawFields();
  drawAnswers();
  drawCurves();
}

always(["language"], drawLive);
drawLive();
if (served.run) pollCurves();
by("text").focus();
