// Chooses by a die of the package seedrandom, which lies in node_modules.
const readline = require("node:readline");
const seedrandom = require("seedrandom");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { decision, legal } = JSON.parse(line);
  if (legal) {
    const move = legal[Math.floor(seedrandom(String(decision))() * legal.length)];
    console.log(JSON.stringify({ decision, move }));
  }
});
