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

if (!isSupported) {
  process.stderr.write(
    `error: fiatrail needs Node 22.22.2, 24.15.0 or 26, or a later one of these lines, and this is ${process.versions.node}\n`,
  );
  process.exitCode = 2;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.on('error', () => {
    process.exitCode = 2;
  });
  process.stdout.write(`${require('../package.json').version}\n`);
} else if (process.argv[2] === '__keyring') {
  // fiatrail starts itself so (src/account/stores/keyring-store.ts); nothing else of the program is needed for it.
  const request = require('node:fs').readFileSync(0, 'utf8');
  require('../dist/keyring.cjs')
    .answer(request)
    .then((answer) => process.stdout.write(answer))
    .catch(() => {
      process.exitCode = 2;
    });
} else {
  const { program, keepCode } = require('./load.js');
  // Holds if the program should ever end without saying how.
  process.exitCode = 1;
  program.run(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
    // Help and errors run little of what the next command will.
    if (code === 0 && !process.argv.includes('--help') && !process.argv.includes('-h')) keepCode();
  });
}
