'use strict';

// Loads the files of dist/. What a command ran is saved: its files in one, with the machine code that V8 made for them, so
// that the next one opens a single file and compiles nothing (docs/decisions/0005-bundling.md).

/** Node's own modules. Its `require` takes longer, as it looks for a file first. */
const builtin = process.getBuiltinModule;

const fs = builtin('node:fs');
const path = builtin('node:path');
const vm = builtin('node:vm');

const files = require('./files.js');

const DIST = path.join(files.root, 'dist');
const { id, nouns } = JSON.parse(files.read('dist/build.json'));

/** The commands of a noun run much the same code. Tab runs little of it, and is to load no more. */
function nounOf(words) {
  // The process of a query (src/copy/questions/sql/) runs no command.
  if (words[0] === '__query') return 'query';
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

/** V8 copies code that is not aligned. */
const ALIGNMENT = 8;

const EMPTY = Buffer.alloc(0);

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

/** Returns the groups of files that earlier commands saved: the names of each, its source, and V8's code for it. */
function readKept(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let fd;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(fd);
    const half = stats.isFile() && isOurs(stats) && readHalf(fd, stats.size / 2);
    if (!half) return [];
    let at = half.indexOf('\n') + 1;
    const head = JSON.parse(half.latin1Slice(0, at));
    const codes = head.map(({ codeBytes }) => {
      const code = half.subarray(at, at + codeBytes);
      at += Math.ceil(codeBytes / ALIGNMENT) * ALIGNMENT;
      return code;
    });
    return head.map(({ names, sourceBytes }, index) => {
      const source = half.latin1Slice(at, at + sourceBytes);
      at += sourceBytes;
      return { names, source, code: codes[index] };
    });
  } catch {
    return [];
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

const place = findPlace();
const groups = place ? readKept(place) : [];
/** The group of each file. */
const groupOf = new Map(groups.flatMap((group) => group.names.map((name) => [name, group])));
/** The files that ran, with their exports. */
const modules = new Map();

/** `path.join` would take a millisecond for the files of a command. */
const fileOf = (name) => DIST + path.sep + name.slice('./'.length);

/** Files that a file asks for as soon as it runs. Those that it may ask for later follow an arrow, or for some packages an arrow and a call. */
const AT_ONCE = /(?<!=>(?:[\w$]+\.[\w$]+\()?)require\("(\.\/[^"]+)"\)/g;

/** Reads a file that no group has, with all that run with it: V8 keeps code for functions as parts of one script. */
function readGroup(root) {
  const texts = new Map();
  const names = [root];
  for (const name of names) {
    if (texts.has(name) || groupOf.has(name)) continue;
    const text = files.read(`dist/${name.slice('./'.length)}`);
    texts.set(name, `${JSON.stringify(name)}:function(exports,require,__filename){${text}\n},\n`);
    for (const [, next] of text.matchAll(AT_ONCE)) names.push(next);
  }
  const group = { names: [...texts.keys()], source: `({${[...texts.values()].join('')}})`, code: EMPTY };
  groups.push(group);
  for (const name of group.names) groupOf.set(name, group);
  return group;
}

/** Compiles a group, to an object with a function for each file. */
function compile(group) {
  const { source, code } = group;
  const filename = fileOf('./saved.cjs');
  group.script = new vm.Script(source, code.length > 0 ? { filename, cachedData: code } : { filename });
  group.functions = group.script.runInThisContext();
  return group;
}

/** Returns the group of a file, compiled. */
function groupWith(name) {
  const saved = groupOf.get(name);
  try {
    if (saved) return saved.functions ? saved : compile(saved);
  } catch {
    // The file of groups is whole and ours, but not what bin/save-code.js writes.
    groups.splice(0);
    groupOf.clear();
  }
  return compile(readGroup(name));
}

/** The `require` of every file. They lie beside each other. */
function load(name) {
  if (!name.startsWith('./')) return builtin(name) ?? require(name);
  const known = modules.get(name);
  if (known) return known;
  const exports = {};
  modules.set(name, exports);
  groupWith(name).functions[name](exports, load, fileOf(name));
  return exports;
}

const isNew = ({ code, script }) => code.length === 0 || script?.cachedDataRejected;

/** Keeps what this command ran, if some of it is new. */
function saveCode() {
  if (place && groups.some(isNew)) require('./save-code.js').saveCode({ place, id, groups });
}

module.exports = { load, saveCode };
