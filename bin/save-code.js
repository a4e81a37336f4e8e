'use strict';

// Writes what bin/load.js reads. A failure only costs time.

const fs = require('node:fs');
const path = require('node:path');

/** V8 copies code that is not aligned. */
const ALIGNMENT = 8;
const aligned = (length) => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

/** Creates a folder and its parents. Does not use `recursive`, which never returns where nothing can be created (/proc). */
function makeFolder(folder) {
  const exists = () => fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (exists()) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!exists()) throw error;
  }
}

/** Returns the bytes of one half: a line about the groups, V8's code for what has run of each by now, and their sources. */
function halfOf(groups) {
  const codes = groups.map(({ script, code }) => (script ? script.createCachedData() : code));
  const head = groups.map(({ names, source }, index) => ({
    names,
    codeBytes: codes[index].length,
    sourceBytes: source.length,
  }));
  const line = JSON.stringify(head);
  const padded = codes.map((code) => Buffer.concat([code], aligned(code.length)));
  return Buffer.concat([
    Buffer.from(`${line.padEnd(aligned(line.length + 1) - 1)}\n`, 'latin1'),
    ...padded,
    Buffer.from(groups.map(({ source }) => source).join(''), 'latin1'),
  ]);
}

function saveCode({ place, id, groups }) {
  const folder = path.dirname(place);
  const temporary = `${place}.${process.pid}`;
  try {
    const half = halfOf(groups);
    makeFolder(folder);
    fs.writeFileSync(temporary, Buffer.concat([half, half]), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, place);
    for (const name of fs.readdirSync(folder)) {
      if (name.includes('.code') && !name.startsWith(id)) fs.rmSync(path.join(folder, name), { force: true });
    }
  } catch {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // It stays, and nothing reads it.
    }
  }
}

module.exports = { saveCode };
