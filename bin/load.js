'use strict';

// Loads the files of dist/. What a command ran is kept: its files in one, with the machine code that V8 made for them, so
// that the next one opens a single file and compiles nothing (docs/decisions/0005-bundling.md).

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const DIST = path.join(__dirname, '..', 'dist');
const { id, nouns } = JSON.parse(fs.readFileSync(path.join(DIST, 'build.json'), 'latin1'));

/** The commands of a noun run much the same code. Tab runs little of it, and is to load no more. */
function nounOf(words) {
  if (words[0] === 'completion' && words[1] === 'complete') return `tab-${nounOf(words.slice(2))}`;
  return words.find((word) => nouns.includes(word)) ?? 'none';
}

const noun = nounOf(process.argv.slice(2));

const isOurs = ({ uid, mode }) => !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);

/** Returns the file for this command, or undefined where others could write to it: it is executed. */
function findPlace() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base)) return undefined;
  const folder = path.join(base, 'fiatrail');
  try {
    const stats = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (stats && !(stats.isDirectory() && isOurs(stats))) return undefined;
  } catch {
    return undefined;
  }
  return path.join(folder, `${id}-${process.version}-${process.arch}-${noun}.code`);
}

const WINDOW_BYTES = 64 * 1024;

/**
 * Returns the first half of a file whose halves are equal, undefined for any other: V8 checks little more than the length of
 * its code, and damaged code crashes it. Comparing is native; a checksum in JavaScript would take ten times as long.
 */
function readHalf(fd, bytes) {
  const half = Buffer.allocUnsafeSlow(bytes);
  if (fs.readSync(fd, half, 0, bytes, 0) !== bytes) return undefined;
  const window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  for (let at = 0; at < bytes; at += WINDOW_BYTES) {
    const length = Math.min(WINDOW_BYTES, bytes - at);
    if (fs.readSync(fd, window, 0, length, bytes + at) !== length) return undefined;
    if (half.compare(window, 0, length, at, at + length) !== 0) return undefined;
  }
  return half;
}

/** Returns what an earlier command kept: the source, V8's code for it, and the files that had run by then. */
function readKept(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let fd;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(fd);
    const half = stats.isFile() && isOurs(stats) && readHalf(fd, stats.size / 2);
    if (!half) return undefined;
    const headBytes = half.indexOf('\n') + 1;
    const { sourceBytes, ran } = JSON.parse(half.latin1Slice(0, headBytes));
    const codeAt = headBytes + sourceBytes;
    if (!Array.isArray(ran) || !(codeAt <= half.length)) return undefined;
    return { source: half.latin1Slice(headBytes, codeAt), code: half.subarray(codeAt), ran };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** Compiles what was kept, to an object with a function for each file. */
function compile(kept) {
  const { source, code } = kept;
  const filename = path.join(DIST, 'kept.cjs');
  const script = new vm.Script(source, code.length > 0 ? { filename, cachedData: code } : { filename });
  return { ...kept, script, functions: script.runInThisContext() };
}

const EMPTY = { source: '({})', code: Buffer.alloc(0), ran: [] };

function open(file) {
  try {
    return compile(readKept(file) ?? EMPTY);
  } catch {
    // It is whole and ours, but not what bin/keep.js writes.
    return compile(EMPTY);
  }
}

const place = findPlace();
const kept = place ? open(place) : compile(EMPTY);
/** The sources of the files that had to be read. */
const added = new Map();
/** The files that ran, with their exports. */
const modules = new Map();

function readFunction(name) {
  const source = `function(exports,require,__filename){${fs.readFileSync(path.join(DIST, name), 'latin1')}\n}`;
  added.set(name, source);
  return new vm.Script(`(${source})`, { filename: path.join(DIST, name) }).runInThisContext();
}

/** The `require` of every file. They lie beside each other. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const known = modules.get(name);
  if (known) return known;
  const exports = {};
  modules.set(name, exports);
  (kept.functions[name] ?? readFunction(name))(exports, load, path.join(DIST, name));
  return exports;
}

/** Keeps what this command ran, if some of it is new. */
function keepCode() {
  if (!place) return;
  const isCompiled = kept.code.length > 0 && !kept.script.cachedDataRejected;
  const ran = new Set([...(isCompiled ? kept.ran : []), ...modules.keys()]);
  if (added.size > 0 || !isCompiled || ran.size > kept.ran.length)
    require('./keep.js').keep({ place, id, added, script: kept.script, source: kept.source, ran: [...ran] });
}

module.exports = { run: load('./entry.cjs').run, keepCode };
