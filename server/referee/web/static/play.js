// Play against house bots: choose them, sit down, answer with the moves a bot would be shown.
import { picture } from "./live.js";
import { Spots } from "./spots.js";
import { listen } from "./stream.js";

const games = JSON.parse(document.body.dataset.games);
const find = (id) => document.getElementById(id);
const [start, game, against, setup, table, board] = ["start", "game", "against", "setup", "table", "board"].map(find);
const [asked, refused, moves, filter, typing, typed, events, adviser, advised] =
  ["asked", "refused", "moves", "filter", "typing", "typed", "events", "adviser", "advised"].map(find);
const MOST_BUTTONS = 120;
const weak = ["random", "mixed", "cautious"];
const spots = new Spots(find("spots"), play, () => buttons());
let token = null;
let state = null;

function option(name) {
  const made = document.createElement("option");
  made.value = made.textContent = name;
  return made;
}

const best = (bots) => bots.find((bot) => !weak.includes(bot)) ?? bots[0];

function chooser(bots, chosen) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", "A house bot");
  select.append(...bots.map(option));
  select.value = chosen;
  return select;
}

function opponents() {
  const { bots, least, most } = games[game.value];
  const line = document.createElement("p");
  const count = Math.max(1, least - 1);
  const favourite = best(bots);
  for (let seat = 0; seat < count; seat++) line.append(chooser(bots, favourite));
  const more = document.createElement("button");
  more.type = "button";
  more.textContent = "One more";
  const fewer = document.createElement("button");
  fewer.type = "button";
  fewer.textContent = "One fewer";
  const limits = () => {
    const now = line.querySelectorAll("select").length;
    more.disabled = now + 1 >= most;
    fewer.disabled = now + 1 <= Math.max(2, least);
  };
  more.addEventListener("click", () => { more.before(chooser(bots, favourite)); limits(); });
  fewer.addEventListener("click", () => { [...line.querySelectorAll("select")].at(-1).remove(); limits(); });
  line.append(more, fewer);
  against.replaceChildren(line);
  limits();
  adviser.replaceChildren(...bots.map(option));
  adviser.value = favourite;
}

async function post(address, value) {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(value),
  });
  if (answer.ok) return answer.status === 204 ? {} : answer.json();
  throw new Error((await answer.json()).error);
}

function complain(error) {
  refused.textContent = error.message;
}

// Whoever chooses by keyboard stays among the moves, also while there are none because others are asked.
let choosing = false;

function play(move) {
  if (!state || state.decision === null) return;
  const { decision } = state;
  choosing = moves.contains(document.activeElement);
  for (const button of moves.children) button.disabled = true;
  spots.clear();
  advised.textContent = "";
  post(`/play/tables/${token}/move`, { decision, move }).catch(complain);
}

function buttons() {
  const wanted = filter.value.trim().toLowerCase();
  const fitting = spots.fitting(state.legal).filter((move) => move.toLowerCase().includes(wanted));
  moves.replaceChildren(...fitting.slice(0, MOST_BUTTONS).map((move) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = move;
    button.addEventListener("click", () => play(move));
    return button;
  }));
  if (fitting.length > MOST_BUTTONS) {
    const more = document.createElement("span");
    more.className = "soft";
    more.textContent = `and ${fitting.length - MOST_BUTTONS} more: type a part of the move above`;
    moves.append(more);
  }
}

function show(parts) {
  const fresh = state === null || parts.table.decision !== state.decision;
  state = parts.table;
  board.src = picture(state.picture);
  const [, wide, high] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(state.picture) ?? [0, 1, 1];
  board.parentElement.style.setProperty("--ratio", wide / high);
  const scores = state.names.map((name, seat) => `${name} ${state.scores[seat]}`).join(", ");
  board.alt = `Scores: ${scores}. ${state.events.join(" ")}`;
  events.replaceChildren(...state.events.map((text) => {
    const line = document.createElement("li");
    line.textContent = text;
    return line;
  }));
  refused.textContent = state.rejected;
  filter.hidden = state.legal.length <= 24;
  if (fresh) spots.show(state.spots, state.legal);
  find("hint").hidden = !state.spots.length;
  typing.hidden = state.decision === null || state.complete;
  if (fresh) { filter.value = ""; advised.textContent = ""; }
  choosing = moves.contains(document.activeElement) || (choosing && document.activeElement === document.body);
  buttons();
  if (choosing) moves.querySelector("button")?.focus();
  if (state.ending) finish();
  else asked.textContent = state.decision === null ? "Waiting for the others …" : `You are asked (seat ${state.seat}, decision ${state.decisions}).`;
  document.body.dataset.decision = String(state.decision);
}

// The stream has ended: after the match, or because the server does not know the table any more.
function left() {
  if (state?.ending) return;
  spots.clear();
  moves.replaceChildren();
  refused.textContent = "";
  asked.textContent = "This match is gone: the server was started anew. Begin another one.";
  document.body.dataset.over = "true";
}

function finish() {
  spots.clear();
  const rank = state.ending.ranks[state.seat];
  asked.textContent = state.ending.reason === "void" ? `The match was broken off: ${state.ending.texts[state.seat]}.` : rank === 1 ? "You have won." : `You came in at rank ${rank}. `;
  moves.replaceChildren();
  if (state.ending.reason !== "void") {
    const link = document.createElement("a");
    link.href = `/matches/${state.match}?seat=${state.seat}`;
    link.textContent = "Look at the replay";
    moves.append(link);
  }
  document.body.dataset.over = "true";
}

game.addEventListener("change", opponents);
start.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const chosen = [...against.querySelectorAll("select")].map((select) => select.value);
    const made = await post("/play/tables", { game: game.value, against: chosen });
    token = made.table;
    setup.hidden = true;
    table.hidden = false;
    listen(`/play/tables/${token}/events`, show, left);
  } catch (error) {
    const line = document.createElement("p");
    line.className = "bad";
    line.role = "alert";
    line.textContent = error.message;
    start.append(line);
  }
});
filter.addEventListener("input", buttons);
typing.addEventListener("submit", (event) => { event.preventDefault(); play(typed.value); typed.value = ""; });
find("advice").addEventListener("click", async () => {
  advised.textContent = "thinking …";
  try {
    const { bot, move } = await post(`/play/tables/${token}/advice`, { bot: adviser.value });
    advised.textContent = `${bot} would play ${move}`;
    for (const button of moves.children) button.classList.toggle("advised", button.textContent === move);
  } catch (error) {
    advised.textContent = error.message;
  }
});
find("resign").addEventListener("click", () => post(`/play/tables/${token}/resign`, {}).catch(complain));
const given = new URLSearchParams(location.search).get("game");
if (given in games) game.value = given;
opponents();
