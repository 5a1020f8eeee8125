// A folder that was chosen in the browser as a zip file, packed as `referee submit` packs one: by path, without dates,
// links or what no bot needs. Browsers do not tell which files are programs: those that begin like one are marked so.
const UTF8 = 0x0800;
const BY_UNIX = (3 << 8) | 20;
const FIRST_DATE = (1 << 5) | 1; // 1980-01-01, the earliest that a zip can tell
const DEFLATED = 8;

const crcs = new Uint32Array(256).map((_, number) => {
  let value = number;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ crcs[(value ^ byte) & 0xff];
  return (value ^ 0xffffffff) >>> 0;
}

async function deflated(bytes) {
  if (typeof CompressionStream === "undefined") return null;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function isProgram(bytes) {
  const script = bytes[0] === 0x23 && bytes[1] === 0x21; // #!
  const elf = bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46;
  return script || elf;
}

// Numbers of a zip are little-endian, two or four bytes each.
function fields(...pairs) {
  const out = new DataView(new ArrayBuffer(pairs.reduce((sum, [size]) => sum + size, 0)));
  let place = 0;
  for (const [size, value] of pairs) {
    if (size === 2) out.setUint16(place, value, true);
    else out.setUint32(place, value, true);
    place += size;
  }
  return new Uint8Array(out.buffer);
}

// The path of a file below the chosen folder.
function pathOf(file) {
  return file.webkitRelativePath.split("/").slice(1).join("/");
}

// The files that are packed, and the names of folders that are not.
export function chosen(files, leftOut) {
  const out = new Set();
  const kept = [...files].filter((file) => {
    const found = pathOf(file).split("/").slice(0, -1).find((name) => leftOut.has(name));
    if (found) out.add(found);
    return !found;
  });
  const byPath = new Map(kept.map((file) => [pathOf(file), file]));
  return { files: [...byPath].sort(([one], [other]) => (one < other ? -1 : 1)), leftOut: [...out].sort() };
}

// A zip of [path, file] pairs.
export async function pack(files) {
  const parts = [];
  const list = [];
  let place = 0;
  for (const [path, file] of files) {
    const name = new TextEncoder().encode(path);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const packed = await deflated(bytes);
    const about = [
      [2, UTF8], [2, packed ? DEFLATED : 0], [2, 0], [2, FIRST_DATE], [4, crc32(bytes)],
      [4, (packed ?? bytes).length], [4, bytes.length], [2, name.length], [2, 0],
    ];
    const mode = 0o100000 | (isProgram(bytes) ? 0o755 : 0o644);
    const head = fields([4, 0x04034b50], [2, 20], ...about);
    list.push(
      fields([4, 0x02014b50], [2, BY_UNIX], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, mode * 0x10000], [4, place]),
      name,
    );
    parts.push(head, name, packed ?? bytes);
    place += head.length + name.length + (packed ?? bytes).length;
  }
  const length = list.reduce((sum, part) => sum + part.length, 0);
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, length], [4, place], [2, 0]);
  return new Blob([...parts, ...list, end], { type: "application/zip" });
}
