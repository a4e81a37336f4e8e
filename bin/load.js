'use strict';

// Loads the files of dist/ as they are needed, with the machine code that V8 made for them in an earlier run. It is kept
// after a run, so it has what the command really used: Node's own compile cache has what was compiled at load.

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const DIST = path.join(__dirname, '..', 'dist') + path.sep;

/** The source of a file, which is ASCII and headed by `/*digest …*​/` (scripts/build/chunks.ts). */
const sourceOf = (file) => fs.readFileSync(`${DIST}${file}.cjs`, 'latin1');

const FIRST = 'entry';
const first = sourceOf(FIRST);
const [, build, ...nouns] = first.slice(2, first.indexOf('*/')).split(' ');

/** The commands of a noun run the same code. */
const noun = process.argv.slice(2).find((word) => nouns.includes(word)) ?? 'none';
const NAME = `${build}-${process.version}-${process.arch}-${noun}.code`;

const isOurs = ({ uid, mode }) => !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0);

/** The folder of kept code, if it is there and nobody else can write to it: V8 runs what stands in it. */
function privateFolder() {
  const { XDG_CACHE_HOME, HOME, LOCALAPPDATA } = process.env;
  const base = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base)) return undefined;
  const folder = path.join(base, 'fiatrail');
  const found = fs.lstatSync(folder, { throwIfNoEntry: false });
  if (!found) return { folder, isThere: false };
  return found.isDirectory() && isOurs(found) ? { folder, isThere: true } : undefined;
}

/** Opens a file of ours that nobody else can write to; undefined for any other. */
function openPrivate(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const opened = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const found = fs.fstatSync(opened);
  if (found.isFile() && isOurs(found)) return { opened, half: found.size / 2 };
  fs.closeSync(opened);
  return undefined;
}

const WINDOW = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * A part of a file that is two equal halves; undefined where they differ. V8 checks the length of its code and little else,
 * and what is damaged crashes it; to compare is far quicker than a sum over all of it would be.
 */
function readTwice({ opened, half }, at, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (fs.readSync(opened, bytes, 0, length, at) !== length) return undefined;
  for (let done = 0; done < length; done += WINDOW.length) {
    const size = Math.min(WINDOW.length, length - done);
    if (fs.readSync(opened, WINDOW, 0, size, half + at + done) !== size) return undefined;
    if (bytes.compare(WINDOW, 0, size, done, done + size) !== 0) return undefined;
  }
  return bytes;
}

/** The bytes at the start of each half that say in JSON where the code of each file is (bin/keep.js). */
const HEAD = 8192;

/** What an earlier run kept, by file. */
function readKept() {
  try {
    const file = place?.isThere && openPrivate(path.join(place.folder, NAME));
    const head = file && readTwice(file, 0, HEAD);
    if (!head) return new Map();
    const read = (at, length) => () => readTwice(file, at, length);
    return new Map(
      JSON.parse(head.latin1Slice()).map(({ name, digest, at, length }) => [name, { digest, read: read(at, length) }]),
    );
  } catch {
    return new Map();
  }
}

function findPlace() {
  try {
    return privateFolder();
  } catch {
    return undefined;
  }
}

const place = findPlace();
const kept = readKept();

/** Of each file that was loaded: its script, and whether its code was kept. */
const loaded = new Map();

function load(file) {
  const source = file === FIRST ? first : sourceOf(file);
  const digest = source.slice(2, 18);
  const known = kept.get(file);
  const cachedData = known?.digest === digest ? known.read() : undefined;
  const filename = `${DIST}${file}.cjs`;
  const script = new vm.Script(source, cachedData ? { filename, cachedData } : { filename });
  loaded.set(file, { script, digest, isKept: cachedData !== undefined && !script.cachedDataRejected });
  return script.runInThisContext();
}

const files = new Map();
const units = new Map();

/** Runs a unit, such as `contract/endpoints-users`, on its first use. It provides an object for each of its parts. */
function unit(name) {
  const known = units.get(name);
  if (known) return known;
  const [file, own] = name.split('/');
  if (!files.has(file)) files.set(file, load(file));
  const provided = {};
  units.set(name, provided);
  files.get(file)[own](provided, require, late, later);
  return provided;
}

/** A part of a unit (`contract/endpoints-users#users`). */
function part(address) {
  const at = address.indexOf('#');
  return unit(address.slice(0, at))[address.slice(at + 1)];
}

/** What a unit imports of another one: found when it is first used. */
function late(address) {
  let found;
  return () => {
    found ??= part(address);
    return found;
  };
}

/** A dynamic import: of a part, or of a module of Node's. */
const later = async (name) => (name.includes('#') ? part(name) : require(name));

/** Keeps the code of this run where it brought any that was not kept yet. */
function keepCode() {
  if (place && [...loaded.values()].some(({ isKept }) => !isKept))
    require('./keep.js').keep(place, NAME, kept, loaded, HEAD);
}

module.exports = { program: part(`${FIRST}/${FIRST}#${FIRST}`), keepCode };
