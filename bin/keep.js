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

/** Returns the bytes of one half. */
function halfOf({ added, script, source, ran }) {
  // V8 has code for functions that ran as parts of one script. So new files are joined first; the next command compiles them.
  const isJoined = added.size === 0;
  const texts = [...added].map(([name, text]) => `${JSON.stringify(name)}:${text},\n`);
  const joined = isJoined ? source : `({${texts.join('')}${source.slice('({'.length)}`;
  const code = isJoined ? script.createCachedData() : Buffer.alloc(0);
  const head = JSON.stringify({ sourceBytes: joined.length, ran: isJoined ? ran : [] });
  const headBytes = aligned(head.length + 1 + joined.length) - joined.length;
  return Buffer.concat([Buffer.from(`${head.padEnd(headBytes - 1)}\n${joined}`, 'latin1'), code]);
}

function keep(run) {
  const { place, id } = run;
  const folder = path.dirname(place);
  const temporary = `${place}.${process.pid}`;
  try {
    const half = halfOf(run);
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

module.exports = { keep };
