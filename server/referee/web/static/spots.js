// Moves by clicking the board: buttons laid over the picture, where the game says that a place stands for a move or for
// a word of one. The picture itself stays an image. Whoever uses keys has the same moves in the list beside it.

export class Spots {
  #root; #play; #changed;
  #legal = [];
  #buttons = [];

  /** `play(move)` is called for a move that is whole; `changed()` when another choice of moves fits. */
  constructor(root, play, changed) {
    this.#root = root;
    this.#play = play;
    this.#changed = changed;
  }

  clear() {
    this.show([], []);
  }

  show(spots, legal) {
    this.#legal = legal;
    this.#buttons = spots.map((spot) => {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      button.title = spot.label;
      button.setAttribute("aria-label", spot.label);
      for (const side of ["left", "top", "width", "height"]) button.style[side] = `${100 * spot[side]}%`;
      const whole = legal.includes(spot.word);
      if (!whole) button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => (whole ? this.#play(spot.word) : this.#toggle(button)));
      return { button, word: spot.word, whole };
    });
    this.#root.replaceChildren(...this.#buttons.map(({ button }) => button));
  }

  /** Those of the moves that hold every word that was clicked. */
  fitting(moves) {
    const chosen = this.#chosen();
    return chosen.length ? moves.filter((move) => left(move, chosen) !== null) : moves;
  }

  #chosen() {
    return this.#buttons.filter(({ button }) => button.getAttribute("aria-pressed") === "true").map(({ word }) => word);
  }

  #toggle(button) {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    const chosen = this.#chosen();
    const fitting = this.fitting(this.#legal);
    if (fitting.length === 1 && left(fitting[0], chosen).length === 0) {
      this.#play(fitting[0]);
      return;
    }
    const words = new Set(fitting.flatMap((move) => left(move, chosen)));
    for (const one of this.#buttons) {
      one.button.disabled = one.button.getAttribute("aria-pressed") !== "true" && !words.has(one.word) && (!one.whole || chosen.length > 0);
    }
    this.#changed();
  }
}

/** The words of a move without those that were chosen; null if one of them is not in it. */
function left(move, chosen) {
  const words = move.split(" ");
  for (const word of chosen) {
    const place = words.indexOf(word);
    if (place < 0) return null;
    words.splice(place, 1);
  }
  return words;
}
