#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';

const ENGINES = [
  [22, 22, 2],
  [24, 15, 0],
  [26, 0, 0],
];
const [major, minor, patch] = process.versions.node.split('.').map(Number);
const isSupported =
  major > 26 || ENGINES.some(([a, b, c]) => major === a && (minor > b || (minor === b && patch >= c)));

if (!isSupported) {
  process.stderr.write(
    `error: fiatrail needs Node 22.22.2, 24.15.0, 26 or newer, and this is ${process.versions.node}\n`,
  );
  process.exitCode = 2;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  process.stdout.write(`${version}\n`);
} else {
  enableCompileCache();
  const { run } = await import('../dist/main.js');
  process.exitCode = await run(process.argv.slice(2));
}
