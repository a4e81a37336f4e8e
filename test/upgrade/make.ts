/**
 * `node test/upgrade/make.ts`: writes the states of this version, with what its commands read from them, to test/upgrade/VERSION.tar.gz. It is
 * run once for each release; test/upgrade/upgrade.test.ts then reads the states with every later version.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { READS, readFrom } from './reads.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'fiatrail-states-'));
const states = join(folder, 'states');
mkdirSync(states);

const env = { PATH: process.env['PATH'], HOME: states, XDG_CACHE_HOME: join(folder, 'cache'), TZ: 'UTC' };
const wordsOf = (argv: readonly string[]) => [join(ROOT, 'bin', 'fiatrail.js'), ...argv];
const startOf = (argv: readonly string[]) =>
  spawn(process.execPath, wordsOf(argv), { env, cwd: states, stdio: 'ignore' });

/** Runs a command as a user of that folder. Throws unless it ends with one of the codes. */
function run(argv: readonly string[], codes: readonly number[] = [0], input = ''): string {
  const ran = spawnSync(process.execPath, wordsOf(argv), { env, input, encoding: 'utf8', cwd: states });
  if (!codes.includes(ran.status ?? -1)) throw new Error(`${argv.join(' ')}: ${ran.status} ${ran.stderr}`);
  return ran.stdout;
}

/** Receives the events that are due. */
function listenFor(durationMs: number): void {
  run(['webhooks', 'set', 'https://hooks.example.com/rail', '--yes', '-q']);
  run([...payout('6000', 'heard'), '-q']);
  run(['sandbox', 'settle', '-q']);
  const child = startOf(['webhooks', 'listen', '-q']);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
  child.kill('SIGINT');
}

const payout = (amount: string, key: string) => [
  'payout',
  'create',
  '--to',
  'default',
  '--amount',
  amount,
  '--once',
  key,
  '--yes',
];

// The clock of the sandbox stays where the days end, so that nothing falls due before a test reads it.
run(['sandbox', 'simulate', '--days', '12', '--users', '12', '--seed', '7', '--until', '2026-10-12', '-q']);
run(['sync', '-q']);
run([...payout('5000', 'rent'), '-q']);
run(['sandbox', 'fault', 'add', '--on', 'payout create', '--fault', 'lost-response', '-q']);
run([...payout('7000', 'lost'), '-q'], [6]);
listenFor(4_000);
run(['profiles', 'approvers', 'add', 'ada', '--generate', '--yes', '-q']);
run(['payout', 'create', '--to', 'default', '--amount', '9000', '--plan', '--plan-expires', '7d', '-q']);
writeFileSync(
  join(states, 'pay.csv'),
  'Reference,To,Amount\nINV-1,default,1100\nINV-2,default,1200\nINV-3,default,1300\n',
);
run(
  [
    'bulk',
    'create',
    'pay.csv',
    '--as',
    'payout create',
    '--once',
    'oct',
    '--first',
    '2',
    '--wait',
    '1s',
    '--yes',
    '-q',
  ],
  [0, 6, 8],
);
run(['profiles', 'rules', 'set', '--confirm-above', 'NGN 100000', '--yes', '-q']);
run(
  ['profiles', 'add', 'live', '--base-url', 'https://rail.example/v1', '--key-stdin', '--store', 'file', '-q'],
  [0],
  'ab'.repeat(20),
);
run(['sync', '-q']);
for (const [name, argv] of READS) writeFileSync(join(folder, `${name}.json`), `${readFrom(run(argv))}\n`);
execFileSync('tar', [
  '--create',
  '--gzip',
  '--file',
  join(import.meta.dirname, `${version}.tar.gz`),
  '--sort=name',
  '--owner=0',
  '--group=0',
  '-C',
  folder,
  'states',
  ...READS.map(([name]) => `${name}.json`),
]);
rmSync(folder, { recursive: true });
