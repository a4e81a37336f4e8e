#!/usr/bin/env node
'use strict';

// CommonJS on purpose (bin/package.json): Node's other loader costs more than this whole program's start.

const files = require('./files.js');

/** The first version of each line that has what fiatrail needs. */
const SUPPORTED = [
  [22, 22, 2],
  [24, 15, 0],
];
const NEWEST = 26;

const [major, minor, patch] = process.versions.node.split('.').map(Number);
const isSupported =
  major >= NEWEST || SUPPORTED.some(([a, b, c]) => major === a && (minor > b || (minor === b && patch >= c)));

const argv = process.argv.slice(2);
const isHelpCommand = argv[0] === 'help';
const asksForHelp = argv.length === 0 || isHelpCommand || argv.at(-1) === '--help' || argv.at(-1) === '-h';

/**
 * Writes bytes, as files.js reads them, to standard output without Node's stream, which takes longer to load than everything
 * else here. Returns false if nothing could be written, so that the program tries again and reports why.
 */
function print(text) {
  const bytes = Buffer.from(text, 'latin1');
  let written;
  try {
    written = require('node:fs').writeSync(1, bytes);
  } catch {
    return false;
  }
  if (written < bytes.length) {
    process.stdout.on('error', () => {
      process.exitCode = 2;
    });
    process.stdout.write(bytes.subarray(written));
  }
  return true;
}

/** Prints help that the build rendered (scripts/help.ts). Returns false if the program has to: for a terminal, which has its own width, or for an agent. */
function printHelp(words) {
  if (require('node:tty').isatty(1) || process.env.AI_AGENT || !words.every((word) => /^[a-z][a-z-]*$/.test(word)))
    return false;
  const text = helpText(words.join('.')) ?? (isHelpCommand ? helpText(`help.${words.join('.')}`) : undefined);
  return text !== undefined && print(text);
}

/** Returns a text, or undefined if there is none: `fx.orders` of `fiatrail fx orders --help`, `help.units` of `fiatrail help units`. */
function helpText(name) {
  try {
    return files.read(`dist/help/${name}.txt`);
  } catch {
    return undefined;
  }
}

function runProgram() {
  const { load, saveCode } = require('./load.js');
  // Holds if the program should ever end without saying how.
  process.exitCode = 1;
  load('./entry.cjs')
    .run(argv, files)
    .then((code) => {
      process.exitCode = code;
      // Help and errors run little of what the next command will.
      if (code === 0 && !asksForHelp) saveCode();
    });
}

if (!isSupported) {
  process.stderr.write(
    `error: fiatrail needs Node 22.22.2, 24.15.0 or 26, or a later one of these lines, and this is ${process.versions.node}\n`,
  );
  process.exitCode = 2;
} else if (argv[0] === '__keyring') {
  // fiatrail starts itself so (src/account/stores/keyring-store.ts); nothing else of the program is needed for it.
  const request = require('node:fs').readFileSync(0, 'utf8');
  require('./load.js')
    .load('./keyring-helper.cjs')
    .answer(request)
    .then((answer) => process.stdout.write(answer))
    .catch(() => {
      process.exitCode = 2;
    });
} else if (argv[0] === '__inbox' && !require('node:worker_threads').isMainThread) {
  // A listener starts this thread (src/system/processes.ts).
  require('./load.js').load('./writer-thread.cjs').answerFor(require('node:worker_threads').parentPort);
} else {
  const isDone =
    argv.length === 1 && argv[0] === '--version' && !process.env.FIATRAIL_OUTPUT && !process.env.AI_AGENT
      ? print(`${JSON.parse(files.read('package.json')).version}\n`)
      : asksForHelp && printHelp(isHelpCommand ? argv.slice(1) : argv.slice(0, -1));
  if (!isDone) runProgram();
}
