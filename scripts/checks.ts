/** Checks format, lint and types, and builds the program, all at once: the first step of `npm test` and `npm run check`. */
import { spawn } from 'node:child_process';

const PROGRAMS: readonly (readonly [file: string, ...argv: string[]])[] = [
  ['biome', 'check'],
  // More threads check the same types again, each for itself.
  ['tsc', '--noEmit', '--singleThreaded'],
  ['tsc', '--noEmit', '--singleThreaded', '-p', 'src/inspector/page'],
  ['node', 'scripts/build.ts'],
];

/** Runs a program, prints what it said once it has ended, and returns whether it succeeded. */
function succeeds([file, ...argv]: (typeof PROGRAMS)[number]): Promise<boolean> {
  const child = spawn(file, argv, { stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code === 0);
    });
  });
}

const results = await Promise.all(PROGRAMS.map(succeeds));
process.exitCode = results.every(Boolean) ? 0 : 1;
