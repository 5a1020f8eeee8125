// Keeps the parts of a page up to date from its stream.
import { update } from "./morph.js";
import { listen } from "./stream.js";

const address = document.body.dataset.live;

export function picture(svg) {
  return "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

function show(parts) {
  for (const [name, value] of Object.entries(parts)) {
    for (const place of document.querySelectorAll(`[data-part="${CSS.escape(name)}"]`)) {
      if (place instanceof HTMLImageElement) place.src = picture(value);
      else update(place, value);
    }
  }
  document.dispatchEvent(new CustomEvent("shown", { detail: Object.keys(parts) }));
}

if (address) {
  listen(address, show, () => {
    // A match that is over has a replay at the same address.
    if (address.startsWith("/live/matches/") && !document.body.classList.contains("embed")) {
      setTimeout(() => location.reload(), 3000);
    }
  });
}
