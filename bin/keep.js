'use strict';

// Writes what bin/load.js reads: the machine code of a run, whole or not at all. A failure only costs time.

const fs = require('node:fs');
const path = require('node:path');

/** Where V8 wants its code to begin. */
const ALIGN = 8;
const aligned = (length) => Math.ceil(length / ALIGN) * ALIGN;

/** A folder with its parents. Without `recursive`, which never returns where nothing can be made, such as under /proc. */
function makeFolder(folder) {
  const isThere = () => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isThere()) throw error;
  }
}

/** The code of each file: that of this run, and what was kept of files that it did not load. */
function partsOf(kept, loaded) {
  const parts = new Map();
  for (const [name, { digest, read }] of kept) {
    const code = loaded.has(name) ? undefined : read();
    if (code) parts.set(name, { digest, code });
  }
  for (const [name, { script, digest }] of loaded) parts.set(name, { digest, code: script.createCachedData() });
  return parts;
}

/** One half of the file: JSON, then the code. */
function halfOf(parts, headBytes) {
  let end = headBytes;
  const places = [...parts].map(([name, { digest, code }]) => {
    const at = end;
    end += aligned(code.length);
    return { name, digest, at, length: code.length };
  });
  const head = Buffer.from(JSON.stringify(places).padEnd(headBytes));
  if (head.length > headBytes) throw new Error('more files than there is room for');
  return Buffer.concat([head, ...[...parts.values()].map(({ code }) => Buffer.concat([code], aligned(code.length)))]);
}

function keep({ folder, isThere }, name, kept, loaded, headBytes) {
  const temporary = path.join(folder, `${name}.${process.pid}`);
  try {
    if (!isThere) makeFolder(folder);
    const half = halfOf(partsOf(kept, loaded), headBytes);
    fs.writeFileSync(temporary, Buffer.concat([half, half]), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, path.join(folder, name));
    // What older builds left.
    const build = name.slice(0, name.indexOf('-'));
    for (const each of fs.readdirSync(folder))
      if (each.includes('.code') && !each.startsWith(build)) fs.rmSync(path.join(folder, each), { force: true });
  } catch {
    drop(temporary);
  }
}

function drop(file) {
  try {
    fs.rmSync(file, { force: true });
  } catch {
    // It is in nobody's way.
  }
}

module.exports = { keep };
