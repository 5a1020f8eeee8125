// Submitting a bot: the zip goes to the server with the bot's token, and its versions are shown until they are tested.
const form = document.getElementById("submit");
const said = document.getElementById("said");
const versions = document.getElementById("versions");
const log = document.getElementById("log");
const path = "/api/v1/submissions";

async function ask(where, options = {}) {
  const token = document.getElementById("token").value.trim();
  const answer = await fetch(path + where, { ...options, headers: { Authorization: `Bearer ${token}` } });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error);
  return value;
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    said.textContent = error.message;
  }
}

function cell(row, text, kind = "td") {
  const made = document.createElement(kind);
  made.textContent = text;
  row.append(made);
  return made;
}

function button(place, label, work) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.addEventListener("click", () => attempt(work));
  place.append(made);
}

async function show() {
  const value = await ask("");
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of ["Version", "State", "SHA-256", "Reason", ""]) cell(head, title, "th");
  const body = table.createTBody();
  for (const one of value.versions.reverse()) {
    const row = body.insertRow();
    for (const text of [one.version, one.state, one.sha256.slice(0, 12), one.reason]) cell(row, text);
    const controls = cell(row, "");
    button(controls, "Log", async () => {
      log.textContent = (await ask(`/${one.version}`)).log || "Nothing was written.";
      log.hidden = false;
      log.focus();
    });
    if (one.state === "replaced" || one.state === "retired") {
      button(controls, "Activate", async () => { await ask(`/${one.version}/activate`, { method: "POST" }); await show(); });
    }
    if (one.state === "active") {
      button(controls, "Retire", async () => { await ask("/retire", { method: "POST" }); await show(); });
    }
  }
  versions.replaceChildren(value.versions.length ? table : "No version was submitted yet.");
  const testing = value.versions.some((one) => one.state === "testing");
  if (testing) setTimeout(() => attempt(show), 2000);
  said.textContent = testing ? `${value.bot}: a version is being built and checked …` : value.bot;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const [file] = document.getElementById("zip").files;
    if (!file) throw new Error("choose a zip of the bot's folder first");
    said.textContent = "Uploading …";
    await ask("", { method: "POST", body: file });
    await show();
  });
});
document.getElementById("show").addEventListener("click", () => attempt(show));
