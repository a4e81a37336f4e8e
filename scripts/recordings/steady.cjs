'use strict';

// Loaded into fiatrail while it is recorded, so that every recording of the same program has the same ids, names and times.

const { createHash } = require('node:crypto');
const { ReadStream } = require('node:tty');

const { RECORDED_AT, RECORDED_HELD } = process.env;

// Two processes of one recording must not make the same ids.
const seed = `${RECORDED_AT} ${process.argv.slice(2).join(' ')}`;
let drawn = 0;

function randomBytes(length) {
  drawn += 1;
  return createHash('shake256', { outputLength: length }).update(`${seed} ${drawn}`).digest();
}

Math.random = () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
globalThis.crypto.getRandomValues = (array) => {
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(randomBytes(array.byteLength));
  return array;
};

// Time passes only while the program waits, and exactly as long as it means to wait, however busy the machine is.
let nowMs = Date.parse(RECORDED_AT);
Date.now = () => nowMs;

/** The longest wait of Node. */
const NEVER_MS = 2 ** 31 - 1;
/** Longer waits are limits, which must not be reached because of a slow machine. Shorter ones need not be sat through. */
const LIMIT_MS = 5_000;
const HASTE = 20;

const { setTimeout: start, clearTimeout: stop } = globalThis;
const setRawMode = ReadStream.prototype.setRawMode;
const waiting = new Map();
// No time passes while somebody answers a prompt, nor before something happens elsewhere that the program waits for.
let isAsking = false;
let isHeld = RECORDED_HELD === 'yes';

function realMs(delayMs) {
  if (isAsking || isHeld) return NEVER_MS;
  return delayMs < LIMIT_MS ? delayMs / HASTE : delayMs;
}

function startSteadily(callback, delayMs = 0, ...rest) {
  const dueMs = nowMs + Math.ceil(delayMs);
  const finish = () => {
    if (!waiting.delete(timer)) return;
    nowMs = Math.max(nowMs, dueMs);
    callback(...rest);
  };
  const timer = start(finish, realMs(delayMs));
  waiting.set(timer, () => {
    stop(timer);
    start(finish, realMs(delayMs));
  });
  return timer;
}

globalThis.setTimeout = Object.defineProperties(startSteadily, Object.getOwnPropertyDescriptors(start));
globalThis.clearTimeout = (timer) => {
  waiting.delete(timer);
  stop(timer);
};

function goOn() {
  if (!isAsking && !isHeld) for (const startAgain of waiting.values()) startAgain();
}

ReadStream.prototype.setRawMode = function setRawModeSteadily(isRaw) {
  isAsking = isRaw;
  goOn();
  return setRawMode.call(this, isRaw);
};

// The terminal stops the program while it runs another one, and then lets it go on.
process.on('SIGCONT', () => {
  isHeld = false;
  goOn();
});
