#!/usr/bin/env node
'use strict';

// CommonJS on purpose (bin/package.json): Node's other loader costs more than this whole program's start.

/** The first version of each line that has what fiatrail needs. */
const SUPPORTED = [
  [22, 22, 2],
  [24, 15, 0],
];
const NEWEST = 26;

const [major, minor, patch] = process.versions.node.split('.').map(Number);
const isSupported =
  major >= NEWEST || SUPPORTED.some(([a, b, c]) => major === a && (minor > b || (minor === b && patch >= c)));

/** Writes to standard output without Node's stream, which takes longer to load than everything else here. Throws what fs does. */
function print(text) {
  const { writeSync } = require('node:fs');
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
    // A pipe that is full for now: the stream waits for its reader.
    process.stdout.on('error', () => {}).write(rest);
  }
}

/** Prints help as it was rendered at build time, which is what a pipe or a file gets. Returns false where it cannot. */
function printHelp(words) {
  const { fstatSync, readFileSync } = require('node:fs');
  try {
    const output = fstatSync(1);
    if (!output.isFIFO() && !output.isSocket() && !output.isFile()) return false;
    if (!words.every((word) => /^[a-z][a-z-]*$/.test(word))) return false;
    const texts = JSON.parse(readFileSync(`${__dirname}/../dist/help/${words[0] ?? 'index'}.json`, 'utf8'));
    if (!Object.hasOwn(texts, words.join(' '))) return false;
    print(texts[words.join(' ')]);
    return true;
  } catch (error) {
    return error.code === 'EPIPE';
  }
}

const argv = process.argv.slice(2);
const isHelp = argv.length === 0 || ['--help', '-h'].includes(argv.at(-1));

if (!isSupported) {
  process.stderr.write(
    `error: fiatrail needs Node 22.22.2, 24.15.0 or 26, or a later one of these lines, and this is ${process.versions.node}\n`,
  );
  process.exitCode = 2;
} else if (argv.length === 1 && argv[0] === '--version') {
  try {
    print(`${require('../package.json').version}\n`);
  } catch {
    process.exitCode = 2;
  }
} else if (argv[0] === '__keyring') {
  // fiatrail starts itself so (src/account/stores/keyring-store.ts); nothing else of the program is needed for it.
  const request = require('node:fs').readFileSync(0, 'utf8');
  require('../dist/keyring.cjs')
    .answer(request)
    .then((answer) => process.stdout.write(answer))
    .catch(() => {
      process.exitCode = 2;
    });
} else if (!(isHelp && printHelp(argv.slice(0, -1)))) {
  const { program, keepCode } = require('./load.js');
  // Holds if the program should ever end without saying how.
  process.exitCode = 1;
  program.run(argv).then((code) => {
    process.exitCode = code;
    // Help and errors run little of what the next command will.
    if (code === 0 && !isHelp) keepCode();
  });
}
