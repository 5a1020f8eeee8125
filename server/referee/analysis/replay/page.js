"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const made = (tag, text, kind) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };
  const time = (ms) => (ms < 1000 ? ms + " ms" : (ms / 1000).toFixed(1) + " s");
  const listed = (words) => (words.length < 2 ? words.join("") : words.slice(0, -1).join(", ") + " and " + words[words.length - 1]);

  const unpack = async () => {
    const packed = Uint8Array.from(atob(at("data").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const show = (match) => {
    const last = match.steps.length - 1;
    let number = 0;
    let eyes = match.perspective;
    let typed = "";
    const twice = (name) => match.names.indexOf(name) !== match.names.lastIndexOf(name);
    const called = (seat) => (twice(match.names[seat]) ? match.names[seat] + " (" + seat + ")" : match.names[seat]);
    const knows = (seat) => eyes === "revealed" || eyes === "seat " + seat;
    const word = (eye) => (eye.startsWith("seat ") ? eye + " " + match.names[Number(eye.slice(5))] : eye === "public" ? "the public" : "all, revealed");

    const asked = (one) => {
      const box = at("asked");
      const who = called(one.seat);
      if (one.legal.length) {
        const more = one.legal_total > one.legal.length ? " and " + (one.legal_total - one.legal.length) + " more" : "";
        box.append(made("p", who + (one.complete ? " may: " : " is offered: ") + one.legal.join(", ") + more, "dim"));
      }
      for (const why of one.asked_again) box.append(made("p", who + " was asked again: " + why, "dim"));
      for (const no of one.rejected) box.append(made("p", who + " tried “" + no.move + "”: " + no.message + " (" + no.kind.replaceAll("_", " ") + (no.strike ? ")" : ", no strike)"), "bad"));
      if (one.forfeit) box.append(made("p", who + " forfeited (" + one.forfeit.termination + "): " + one.forfeit.text, "bad"));
      if (one.by === "referee") box.append(made("p", "the referee played " + one.answer + " for " + who, "bad"));
      else box.append(made("p", who + " answered " + one.answer + (one.question === null ? "" : " to question " + one.question) + (one.ms === null ? "" : " after " + time(one.ms)), "hot"));
    };

    const besides = (one) => {
      const text = one.what === "rejected" ? " sent “" + one.move + "” without being asked (" + one.kind.replaceAll("_", " ") + ")" : one.what === "forfeit" ? " forfeited (" + one.termination + "): " + one.text : " was asked again: " + one.text;
      at("asked").append(made("p", called(one.seat) + text, "bad"));
    };

    const ended = () => {
      const order = match.names.map((_, seat) => seat).sort((a, b) => match.ranks[a] - match.ranks[b] || a - b);
      for (const seat of order) {
        const how = match.terminations[seat];
        const why = how === "finished" ? how : how + ": " + match.texts[seat];
        at("asked").append(made("p", match.ranks[seat] + ". " + called(seat) + " (seat " + seat + "), " + match.scores[seat] + " points: " + why, how === "finished" ? "" : "bad"));
      }
    };

    const more = (step) => {
      const box = at("more");
      if (eyes === "revealed" && step.hidden) for (const [key, text] of Object.entries(step.hidden)) box.append(made("p", "hidden: " + key + ": " + (text || "none"), "dim"));
      const seats = new Map();
      for (const line of step.log || []) if (knows(line.seat)) {
        if (!seats.has(line.seat)) seats.set(line.seat, []);
        seats.get(line.seat).push(line);
      }
      for (const [seat, lines] of seats) {
        const most = Math.max(...lines.map((line) => line.shared));
        box.append(made("p", "stderr of " + called(seat) + (most > 1 ? " (it was playing up to " + most + " matches: a line may be about another)" : ""), "dim"));
        box.append(made("pre", lines.map((line) => line.text).join("\n")));
      }
    };

    const draw = () => {
      const step = match.steps[number];
      const [waits, boards] = step.boards[eyes];
      for (const id of ["asked", "boards", "more"]) at(id).replaceChildren();
      at("number").value = number;
      at("slider").value = number;
      at("eyes").value = eyes;
      at("first").disabled = at("back").disabled = number === 0;
      at("next").disabled = at("last").disabled = number === last;
      const title = number === last ? "the end" : waits.length ? listed(waits.map(called)) + (waits.length === 1 ? " is asked" : " are asked") : "decision " + number;
      at("asked").append(made("p", title));
      for (const one of step.asked || []) if (knows(one.seat)) asked(one);
      for (const one of step.besides || []) if (knows(one.seat)) besides(one);
      if (eyes === "revealed" || waits.some(knows)) for (const note of step.notes || []) at("asked").append(made("p", note, "bad"));
      if (number === last) ended();
      document.querySelector("main").className = boards.length === 1 ? "one" : "";
      for (const [viewer, seats] of boards) {
        const [pieces, told] = step.pictures[viewer];
        const figure = made("figure");
        const image = made("img");
        image.alt = "board; " + told.join("; ");
        image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(pieces.map((piece) => match.pieces[piece]).join(""));
        figure.append(image);
        if (boards.length > 1) figure.append(made("figcaption", "seen by " + listed(seats.map(called))));
        at("boards").append(figure);
      }
      more(step);
      history.replaceState(null, "", "#" + number);
    };

    const go = (to) => {
      number = Math.max(0, Math.min(last, to));
      draw();
    };
    const trouble = (back) => {
      const found = back ? match.troubles.findLast((one) => one < number) : match.troubles.find((one) => one > number);
      if (found !== undefined) go(found);
    };
    const look = (eye) => {
      if (match.perspectives.includes(eye)) eyes = eye;
      draw();
    };
    const seat = (by) => {
      const seats = match.perspectives.filter((eye) => eye.startsWith("seat "));
      if (!seats.length) return;
      const place = seats.indexOf(eyes);
      look(seats[place < 0 ? (by > 0 ? 0 : seats.length - 1) : (place + by + seats.length) % seats.length]);
    };

    document.title = (match.match || match.game) + ": replay";
    at("title").textContent = (match.match ? match.match + " · " : "") + match.game;
    const order = match.names.map((_, one) => one).sort((a, b) => match.ranks[a] - match.ranks[b] || a - b);
    at("result").textContent = order.map((one) => match.ranks[one] + ". " + called(one) + " (" + match.scores[one] + ")").join(", ") + "; " + match.reason.replaceAll("_", " ");
    at("number").max = at("slider").max = last;
    at("of").textContent = "of " + last;
    for (const eye of match.perspectives) {
      const option = made("option", word(eye));
      option.value = eye;
      at("eyes").append(option);
    }
    at("eyes").disabled = match.perspectives.length === 1;
    at("trouble").disabled = !match.troubles.length;
    if (match.left_out) at("foot").append(made("p", "The match is too long for a picture of every seat: 'referee replay --seat N --html FILE' makes a page of one."));

    at("first").onclick = () => go(0);
    at("back").onclick = () => go(number - 1);
    at("next").onclick = () => go(number + 1);
    at("last").onclick = () => go(last);
    at("trouble").onclick = () => trouble(false);
    at("slider").oninput = () => go(Number(at("slider").value));
    at("number").onchange = () => go(Number(at("number").value) || 0);
    at("eyes").onchange = () => look(at("eyes").value);
    const keys = {
      ArrowRight: () => go(number + 1), l: () => go(number + 1), n: () => go(number + 1), " ": () => go(number + 1),
      ArrowLeft: () => go(number - 1), h: () => go(number - 1), p: () => go(number - 1),
      Home: () => go(0), "<": () => go(0), End: () => go(last), ">": () => go(last),
      m: () => trouble(false), M: () => trouble(true), s: () => seat(1), S: () => seat(-1), u: () => look("public"), r: () => look("revealed"),
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
      if (event.target.tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
      if (/^[0-9]$/.test(event.key)) { typed = (typed + event.key).slice(-9); return; }
      if (event.key === "Enter" && typed) go(Number(typed));
      else if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
      typed = "";
    });
    let from = null;
    document.addEventListener("touchstart", (event) => { from = event.touches.length === 1 && !event.target.closest("nav,pre") ? event.touches[0] : null; }, { passive: true });
    document.addEventListener("touchend", (event) => {
      if (!from) return;
      const to = event.changedTouches[0];
      const across = to.clientX - from.clientX;
      if (Math.abs(across) > 50 && Math.abs(across) > 2 * Math.abs(to.clientY - from.clientY)) go(number + (across < 0 ? 1 : -1));
      from = null;
    }, { passive: true });
    const asks = location.hash.slice(1);
    go(/^\d+$/.test(asks) ? Number(asks) : match.at);
    window.addEventListener("hashchange", () => { if (/^#\d+$/.test(location.hash)) go(Number(location.hash.slice(1))); });
  };

  unpack().then(show, (error) => { at("title").textContent = "This page cannot be shown here: " + error; });
})();
