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

// Models of the same kind, and of the same languages, as the first can stand beside it.
const rivalsOf = (model) => {
  const alike = (one) => ["task", "source", "target"].every((fact) => one[fact] === model[fact]);
  return served.models.filter((one) => one !== model && alike(one));
};

function optionOf({ name, task, source, target }) {
  return make("option", { value: name }, `${name} · ${task === "translation" ? `${source} → ${target}` : say(`kind_${task}`)}`);
}

function drawFields() {
  const first = by("first").value || served.models[0].name;
  by("first").replaceChildren(...served.models.map(optionOf));
  by("first").value = first;
  const second = by("second").value;
  const model = modelNamed(first);
  const rivals = rivalsOf(model);
  const nobody = make("option", { value: "" }, say("beside_nobody"));
  by("second").replaceChildren(nobody, ...rivals.map(optionOf));
  by("second").value = rivals.some((one) => one.name === second) ? second : "";
  by("second-field").hidden = rivals.length === 0;
  by("key-field").hidden = !served.key;
  for (const id of ["asking-title", "asking-hint", "text-field", "go"]) {
    by(id).textContent = say(`${id.replace("-", "_")}_${model.task}`);
  }
  by("text").placeholder = by("text-field").textContent;
  by("text").lang = model.source;
  by("wishes").hidden = by("wishes").disabled = model.task !== "lm";
  by("wishes").setAttribute("aria-label", say("wishes"));
}

const chosenModels = () => [by("first").value, by("second").value].filter(Boolean).map(modelNamed);

function tellAsking(text, wrong = false) {
  by("told").textContent = text;
  by("told").classList.toggle("wrong", wrong);
}
