'use strict';

// Loads dist/main.cjs with the machine code that V8 made for it the last time. Node's own compile cache keeps what was
// compiled when a file was first loaded; this one is written after the run, so it has what the command really used.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { createRequire, enableCompileCache, wrap } = require('node:module');

const mainFile = path.join(__dirname, '..', 'dist', 'main.cjs');
const source = fs.readFileSync(mainFile, 'utf8');

/** A folder that nobody else can write to, since V8 runs what stands in it; undefined where there is none to be had. */
function privateFolder() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base)) return undefined;
  const folder = path.join(base, 'fiatrail');
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = fs.lstatSync(folder);
    const isOurs = !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOurs && fs.lstatSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** One file for each build, Node and first word: commands of one group run the same code. */
function cacheFile(folder) {
  const build = /^\/\* build ([0-9a-f]{16}) \*\//.exec(source.slice(0, 40))?.[1];
  const word = process.argv.slice(2).find((text) => /^[a-z-]{2,20}$/.test(text) && !text.startsWith('-')) ?? 'none';
  return build && path.join(folder, `${build}-${process.version}-${process.arch}-${word}.code`);
}

function read(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

const folder = privateFolder();
const file = folder && cacheFile(folder);
const cachedData = file && read(file);
// For the packages that stand in files of their own.
if (folder) enableCompileCache(folder);
const script = new vm.Script(wrap(source), { filename: mainFile, ...(cachedData ? { cachedData } : {}) });
const main = { exports: {} };
script.runInThisContext()(main.exports, createRequire(mainFile), main, mainFile, path.dirname(mainFile));

/** Writes what was compiled, whole or not at all, and drops what older builds left. A failure only costs time. */
function keepCode() {
  if (!file || (cachedData && !script.cachedDataRejected)) return;
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    fs.renameSync(temporary, file);
    const build = path.basename(file).slice(0, 16);
    for (const name of fs.readdirSync(folder)) {
      if (name.includes('.code') && !name.startsWith(build)) fs.rmSync(path.join(folder, name), { force: true });
    }
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}

module.exports = { program: main.exports, keepCode };
