// Submitting a bot: its folder or a zip of it goes to the server with the bot's token, and its versions are shown until
// they are tested.
import { chosen, pack } from "./zip.js";

const form = document.getElementById("submit");
const said = document.getElementById("said");
const versions = document.getElementById("versions");
const log = document.getElementById("log");
const folder = document.getElementById("folder");
const zip = document.getElementById("zip");
const path = "/api/v1/submissions";
const LOOK_AGAIN = 2000;
let again = 0;

function say(text, bad = false) {
  said.textContent = text;
  said.classList.toggle("bad", bad);
}

async function ask(where, options = {}) {
  const token = document.getElementById("token").value.trim();
  if (!token) throw new Error("give the bot's token first");
  let answer;
  try {
    answer = await fetch(path + where, { ...options, headers: { Authorization: `Bearer ${token}` } });
  } catch {
    throw new Error("the server does not answer: try again in a moment");
  }
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(value.error ?? `the server answered with status ${answer.status}`);
  return value;
}

async function attempt(work) {
  form.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    say(error.message, true);
  }
  form.removeAttribute("aria-busy");
}

function cell(row, text, kind = "") {
  const made = row.insertCell();
  made.textContent = text;
  made.className = kind;
  return made;
}

function heading(row, text, scope, kind = "") {
  const made = document.createElement("th");
  made.textContent = text;
  made.scope = scope;
  made.className = kind;
  row.append(made);
}

function button(place, label, about, work) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.setAttribute("aria-label", about);
  made.addEventListener("click", () => attempt(work));
  place.append(made);
}

function drawn(found) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const [title, kind] of [["Version", ""], ["State", ""], ["Submitted", "mid"], ["SHA-256", "mid"], ["", ""]]) {
    if (title) heading(head, title, "col", kind);
    else head.insertCell();
  }
  const body = table.createTBody();
  for (const one of [...found].reverse()) {
    const row = body.insertRow();
    const name = `version ${one.version}`;
    heading(row, one.version, "row");
    const state = cell(row, one.state, "state-cell");
    if (one.reason) {
      const why = document.createElement("p");
      why.className = "soft";
      why.textContent = one.reason;
      state.append(why);
    }
    cell(row, new Date(one.submitted * 1000).toLocaleString(), "mid");
    cell(row, one.sha256.slice(0, 12), "mid");
    const controls = cell(row, "", "actions");
    button(controls, "Log", `Log of ${name}`, async () => {
      log.textContent = (await ask(`/${one.version}`)).log || "Nothing was written.";
      log.hidden = false;
      log.focus();
    });
    if (one.state === "replaced" || one.state === "retired") {
      button(controls, "Activate", `Activate ${name}`, async () => {
        await ask(`/${one.version}/activate`, { method: "POST" });
        await show();
      });
    }
    if (one.state === "active") {
      button(controls, "Retire", `Retire ${name}`, async () => {
        await ask("/retire", { method: "POST" });
        await show();
      });
    }
  }
  return table;
}

async function show() {
  clearTimeout(again);
  const value = await ask("");
  versions.replaceChildren(value.versions.length ? drawn(value.versions) : "No version was submitted yet.");
  const testing = value.versions.some((one) => one.state === "testing");
  if (testing) again = setTimeout(() => attempt(show), LOOK_AGAIN);
  const latest = value.versions.at(-1);
  if (testing) say(`${value.bot}: a version is being built and checked …`);
  else if (latest?.state === "refused") say(`${value.bot}: version ${latest.version} was refused: ${latest.reason}`, true);
  else say(latest ? `${value.bot}: version ${latest.version} is ${latest.state}` : value.bot);
}

// What is sent: a zip as it is, or the folder packed here.
async function content() {
  const most = Number(form.dataset.packed);
  let file = zip.files[0];
  if (folder.files.length) {
    const { files, leftOut } = chosen(folder.files, new Set(form.dataset.leftOut.split(" ")));
    const paths = files.map(([name]) => name);
    if (!paths.includes("bot.toml") && !paths.includes("bot.py")) {
      throw new Error("there is no bot in this folder, neither bot.toml nor bot.py");
    }
    if (files.length > Number(form.dataset.files)) {
      throw new Error(`the folder has ${files.length} files, and at most ${form.dataset.files} are taken`);
    }
    say(leftOut.length ? `Packing ${files.length} files, without ${leftOut.join(", ")} …` : `Packing ${files.length} files …`);
    file = await pack(files);
  }
  if (!file) throw new Error("choose the bot's folder or a zip of it first");
  if (file.size > most) throw new Error(`the zip has more than ${most >> 20} MB, which is the most that is taken`);
  return file;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    const body = await content();
    say("Uploading …");
    await ask("", { method: "POST", body });
    await show();
  });
});
document.getElementById("show").addEventListener("click", () => attempt(show));
// One of both: the one that was chosen last.
folder.addEventListener("change", () => { zip.value = ""; });
zip.addEventListener("change", () => { folder.value = ""; });
