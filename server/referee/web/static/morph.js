// Bring a part of the page up to date without tearing it down: focus, selection and scrolling stay where they are.

/** Make the children of `old` those of the HTML that the server drew. */
export function update(old, html) {
  const made = document.createElement("template");
  made.innerHTML = html; // drawn by our own server, in which every text is escaped
  const before = places(old);
  children(old, made.content);
  glide(old, before);
}

function children(old, made) {
  const keyed = new Map();
  for (const child of old.children) if (child.dataset?.key !== undefined) keyed.set(child.dataset.key, child);
  let here = old.firstChild;
  for (const wanted of [...made.childNodes]) {
    const key = wanted.dataset?.key;
    const known = key === undefined ? undefined : keyed.get(key);
    if (known && known !== here) old.insertBefore(known, here);
    const now = known ?? here;
    if (now && same(now, wanted)) {
      if (now === here) here = here.nextSibling;
      node(now, wanted);
    } else {
      old.insertBefore(wanted, here);
    }
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}

function same(one, other) {
  return one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.dataset?.key === other.dataset?.key;
}

function node(old, made) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== made.nodeValue) old.nodeValue = made.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!made.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  children(old, made);
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

function places(root) {
  const found = new Map();
  if (still.matches) return found;
  for (const row of root.querySelectorAll("[data-rows=moving] > [data-key]")) found.set(row.dataset.key, row.offsetTop);
  return found;
}

/** Rows that have changed places move there, so that the eye can follow. */
function glide(root, before) {
  if (!before.size || document.hidden) return;
  for (const row of root.querySelectorAll("[data-rows=moving] > [data-key]")) {
    const moved = (before.get(row.dataset.key) ?? row.offsetTop) - row.offsetTop;
    if (moved) row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 600, easing: "ease" });
  }
}
