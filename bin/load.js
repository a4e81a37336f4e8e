'use strict';

// Loads dist/main.cjs with the machine code that V8 made for it the last time. Node's own compile cache keeps what was
// compiled when a file was first loaded; this one is written after the run, so it has what the command really used.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { createRequire, enableCompileCache, wrap } = require('node:module');

const mainFile = path.join(__dirname, '..', 'dist', 'main.cjs');
const source = fs.readFileSync(mainFile, 'utf8');

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

/** A folder that nobody else can write to, since V8 runs what stands in it; undefined where there is none to be had. */
function privateFolder() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base)) return undefined;
  const folder = path.join(base, 'fiatrail');
  try {
    makeFolder(folder);
    const { uid, mode } = fs.lstatSync(folder);
    const isOurs = !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);
    return isOurs && fs.lstatSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** One file for each build, Node and group of commands: commands of one group run the same code. */
function cacheFile(folder) {
  const [, build, words = ''] = /^\/\* build ([0-9a-f]{16}) ([a-z -]*) \*\//.exec(source.slice(0, 2000)) ?? [];
  const groups = words.split(' ');
  const word = process.argv.slice(2).find((text) => groups.includes(text)) ?? 'none';
  return build && path.join(folder, `${build}-${process.version}-${process.arch}-${word}.code`);
}

const CHECK_BYTES = 8;
/** Every so many bytes one is looked at: what a disk loses, it loses in blocks. */
const CHECK_EVERY = 61;

/** V8 checks the length of its code and little else, and what is damaged crashes it. */
function checksum(code) {
  let sum = code.length;
  for (let at = 0; at < code.length; at += CHECK_EVERY) sum = (Math.imul(sum, 31) + code[at]) | 0;
  return Buffer.from([code.length, sum].flatMap((word) => [word, word >> 8, word >> 16, word >> 24]));
}

function read(file) {
  try {
    const kept = fs.readFileSync(file);
    const code = kept.subarray(CHECK_BYTES);
    return checksum(code).equals(kept.subarray(0, CHECK_BYTES)) ? code : undefined;
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
    const code = script.createCachedData();
    fs.writeFileSync(temporary, Buffer.concat([checksum(code), code]), { mode: 0o600, flag: 'wx', flush: true });
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
