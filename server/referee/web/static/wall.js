// The wall: one view after the other. Without this all of them stand below each other.
const SECONDS = Number(new URLSearchParams(location.search).get("seconds")) || 20;
const screens = [...document.querySelectorAll("[data-screen]")];
let here = -1;

function next() {
  for (let tried = 0; tried < screens.length; tried++) {
    here = (here + 1) % screens.length;
    if (!screens[here].querySelector(":scope > [data-part] > .empty")) break; // nothing to see there yet
  }
  screens.forEach((screen, place) => screen.classList.toggle("shown", place === here));
  const shown = screens[here];
  shown.scrollTop = 0;
  // What does not fit is shown in the second half of the time.
  setTimeout(() => { shown.scrollTop = shown.scrollHeight; }, (Math.max(3, SECONDS) * 1000) / 2);
}

if (matchMedia("(min-width: 48rem)").matches) {
  document.body.classList.add("cycling");
  next();
  setInterval(next, Math.max(3, SECONDS) * 1000);
  addEventListener("keydown", (event) => { if (event.key === "ArrowRight" || event.key === " ") next(); });
}
