// The replay of a match: scrubber, keys, whose view. Every decision has its address: #17.
const { match, seat, steps } = document.body.dataset;
const last = Number(steps) - 1;
const boards = document.getElementById("boards");
const words = document.getElementById("step");
const scrubber = document.getElementById("scrubber");
const where = document.getElementById("where");
const playButton = document.getElementById("play");
const SPEEDS = 900;
let replay = null;
let here = -1;
let timer = 0;

const address = (page, query) => {
  const path = match.split("/").some((part) => part === "" || part === "." || part === "..")
    ? `${page}/?${new URLSearchParams({ name: match })}&`
    : `${page}/${match.split("/").map(encodeURIComponent).join("/")}?`;
  return path + new URLSearchParams(query);
};
const picture = (number, who) => address("/pictures", { step: number, seat: who ?? "public" });

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function tell(step) {
  const told = element("ul", undefined, "words plain");
  const events = step.views[0]?.events ?? [];
  for (const text of events) told.append(element("li", text));
  if (!events.length) told.append(element("li", "Nothing has happened yet.", "soft"));
  const answers = element("ul", undefined, "answers");
  for (const one of step.asked) {
    const line = element("li", `${one.name}: `);
    line.append(element("b", one.answer));
    if (one.by === "referee") line.append(element("span", "played by the referee", "badge warn"));
    else if (one.ms !== null) line.append(element("span", ` ${one.ms} ms`, "soft"));
    for (const no of one.rejected) line.append(element("span", `✕ ${no.move}: ${no.message}`, "badge bad"));
    if (one.forfeit) line.append(element("span", `✕ ${one.forfeit.termination}: ${one.forfeit.text}`, "badge bad"));
    answers.append(line);
  }
  for (const one of step.besides ?? []) answers.append(element("li", `${one.kind ?? ""} ${one.text ?? ""}`.trim()));
  words.replaceChildren(told, element("p", step.over ? "The match is over." : "", "soft"), answers);
}

function show(number, keep = false) {
  number = Math.min(last, Math.max(0, number));
  if (number === here) return;
  here = number;
  scrubber.value = number;
  scrubber.setAttribute("aria-valuetext", `decision ${number} of ${last}`);
  where.textContent = `${number} of ${last}`;
  if (!keep) history.replaceState(null, "", `#${number}`);
  const step = replay?.steps[number];
  if (!step) return;
  const pictures = step.views.map((view, place) => {
    const image = boards.children[place] ?? element("img", undefined, "picture");
    image.src = picture(number, view.seat);
    image.alt = `Decision ${number}. ${view.events.join(" ")}`;
    return image;
  });
  boards.replaceChildren(...pictures);
  tell(step);
  for (const next of [number + 1, number + 2]) if (next <= last) for (const view of step.views) new Image().src = picture(next, view.seat);
  for (const link of document.querySelectorAll("[data-go]")) {
    const there = target(link.dataset.go) !== here;
    link.toggleAttribute("aria-disabled", !there);
    if (!there) link.setAttribute("aria-disabled", "true");
    link.href = `#${target(link.dataset.go)}`;
    link.removeAttribute("role");
  }
}

const target = (go) => Math.min(last, Math.max(0, { first: 0, previous: here - 1, next: here + 1, last }[go]));

function stop() {
  clearInterval(timer);
  timer = 0;
  playButton.textContent = "▶ Play";
}

function playOrPause() {
  if (timer) return stop();
  if (here === last) show(0);
  playButton.textContent = "❙❙ Pause";
  timer = setInterval(() => (here < last ? show(here + 1) : stop()), SPEEDS);
}

for (const link of document.querySelectorAll("[data-go]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    stop();
    show(target(link.dataset.go));
  });
}
for (const link of document.querySelectorAll("[data-seat]")) {
  link.addEventListener("click", () => { link.hash = `#${here}`; });
}
scrubber.hidden = playButton.hidden = false;
scrubber.addEventListener("input", () => { stop(); show(Number(scrubber.value)); });
playButton.addEventListener("click", playOrPause);
addEventListener("hashchange", () => { const to = /^#(\d+)$/.exec(location.hash); if (to) show(Number(to[1]), true); });
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === scrubber) return;
  const go = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
  if (go) { event.preventDefault(); stop(); show(target(go)); }
  else if (event.key === " " && !["BUTTON", "A", "INPUT"].includes(event.target.tagName)) { event.preventDefault(); playOrPause(); }
  else if (/^[0-9]$/.test(event.key)) document.querySelector(`[data-seat="${event.key}"]`)?.click();
});
let touched = null;
boards.addEventListener("touchstart", (event) => { touched = event.changedTouches[0].clientX; }, { passive: true });
boards.addEventListener("touchend", (event) => {
  const moved = event.changedTouches[0].clientX - touched;
  if (Math.abs(moved) > 50) { stop(); show(here + (moved < 0 ? 1 : -1)); }
}, { passive: true });

const wanted = /^#(\d+)$/.exec(location.hash);
const first = wanted ? Number(wanted[1]) : Number(document.body.dataset.step);
const answer = await fetch(address("/api/v1/replays", { seat }));
if (answer.ok) replay = await answer.json();
else words.prepend(element("p", (await answer.json()).error, "bad"));
show(first, !wanted);
document.body.dataset.ready = "true";
