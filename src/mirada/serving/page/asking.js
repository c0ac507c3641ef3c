// Asking the server: what is chosen, what is sent, and what comes back. Only the address that the page came from is asked.

const served = JSON.parse(document.getElementById("served").textContent);

// The answer of the server, or an error with its reason.
async function ask(path, body) {
  const headers = { accept: "application/json" };
  if (by("key").value) headers.authorization = `Bearer ${by("key").value}`;
  if (body) headers["content-type"] = "application/json";
  const request = { method: body ? "POST" : "GET", headers, body: body ? JSON.stringify(body) : undefined };
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error(say("no_server"));
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? say("no_answer", { status: answer.status }));
  return found;
}

const modelNamed = (name) => served.models.find((model) => model.name === name);

// Models for the same languages as the first can stand beside it.
const rivalsOf = (model) =>
  served.models.filter((one) => one !== model && one.source === model.source && one.target === model.target);

function optionOf(model) {
  return make("option", { value: model.name }, `${model.name} · ${model.source} → ${model.target}`);
}

function drawFields() {
  const first = by("first").value || served.models[0].name;
  by("first").replaceChildren(...served.models.map(optionOf));
  by("first").value = first;
  const second = by("second").value;
  const rivals = rivalsOf(modelNamed(first));
  const nobody = make("option", { value: "" }, say("beside_nobody"));
  by("second").replaceChildren(nobody, ...rivals.map(optionOf));
  by("second").value = rivals.some((one) => one.name === second) ? second : "";
  by("second-field").hidden = rivals.length === 0;
  by("key-field").hidden = !served.key;
  by("text").placeholder = say("text_field");
  by("text").lang = modelNamed(first).source;
}

const chosenModels = () => [by("first").value, by("second").value].filter(Boolean).map(modelNamed);

function tellAsking(text, wrong = false) {
  by("told").textContent = text;
  by("told").classList.toggle("wrong", wrong);
}
