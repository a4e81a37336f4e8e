// Prints figures of the code's size and of what two commands run: npm run measure
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { THINGS } from '../src/things/index.ts';
import { endsOf } from '../src/things/states.ts';
import { ROOT } from '../test/support/built.ts';
import { exportsOf, readSources, roomOf } from '../test/support/source.ts';

const sources = readSources();
const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + each, 0);
const lines = sum(sources.map(({ text }) => text.split('\n').length - 1));
const perThousand = (count: number) => Math.round((count * 1000) / lines);

const NAMED_FUNCTION =
  /^\s*(?:export )?(?:default )?(?:async )?function\*? \w+|^\s*(?:export )?const \w+(?::[^=]+)? = (?:async )?(?:<[^>]+>)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)(?::[^=]+)? =>|\w+ =>)/gm;
const DECLARED_TYPE = /^\s*(?:export )?(?:interface|type) (\w+)\b(?=[\s<]*(?:[\w<>,\s]*)[={])/gm;

/** Counts the files of src/ that import a file and name an export of it. */
function importersOf(path: string, name: string): number {
  const named = new RegExp(`\\b${name}\\b`);
  return sources.filter(({ code, imports }) => imports.some(({ target }) => target === path) && named.test(code))
    .length;
}

function countTypes(): number {
  const files = new Map<string, Set<string>>();
  for (const { path, code } of sources)
    for (const [, name = ''] of code.matchAll(DECLARED_TYPE)) files.set(name, (files.get(name) ?? new Set()).add(path));
  return [...files.values()].filter(({ size }) => size > 1).length;
}

/** What a command gets, by name and file. */
const SEAM = { Account: 'engine/account.ts', Terminal: 'terminal/terminal.ts' } as const;

/** Counts the members of each type of the seam, by the compiler: an error that says the length of a tuple of their names. */
function countMembers(): readonly (readonly [string, string])[] {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.cache', 'measure-'));
  const file = join(folder, 'members.ts');
  const types = Object.entries(SEAM).map(
    ([name, path]) =>
      `import type { ${name} } from '${join(ROOT, 'src', path)}';\nexport const ${name}Count: 'counted' = 0 as unknown as Keys<keyof ${name}>['length'];`,
  );
  const keys = `type Last<U> = (U extends U ? (f: () => U) => void : never) extends (f: infer F) => void ? (F extends () => infer R ? R : never) : never;
type Keys<U, All extends unknown[] = []> = [U] extends [never] ? All : Keys<Exclude<U, Last<U>>, [...All, 0]>;`;
  try {
    writeFileSync(file, [...types, keys].join('\n'));
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--ignoreConfig'];
    const compiler = join(ROOT, 'node_modules', '.bin', 'tsc');
    const { stdout } = spawnSync(
      compiler,
      [...flags, '--target', 'es2024', '--module', 'nodenext', '--types', 'node', file],
      {
        encoding: 'utf8',
      },
    );
    return Object.keys(SEAM).map((name, index) => {
      const counts = [...stdout.matchAll(/members\.ts\(\d+,\d+\): error TS2322: Type '(\d+)'/g)];
      return [`members of ${name}`, counts[index]?.[1] ?? 'not known'] as const;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Variables that say in which mode a command runs, and that a later call can set. */
const modes = sources
  .filter(({ path }) => /^(main\.ts|engine|terminal|commands)\b/.test(path))
  .flatMap(({ path, code }) =>
    [...code.matchAll(/\blet \w+: (?:Guard|PlanMode|Consent)\b/g)].map(([what]) => `${path} ${what}`),
  );

/** The rooms of which one imports the other, in whatever number of steps, and is imported by it. */
function circlesIn(house: string): string[] {
  const rooms = Map.groupBy(
    sources.filter(({ path }) => path.startsWith(`${house}/`)),
    ({ path }) => roomOf(path),
  );
  const next = (room: string) =>
    (rooms.get(room) ?? []).flatMap(({ imports }) =>
      imports.flatMap(({ isOwn, target }) => (isOwn && rooms.has(roomOf(target)) ? roomOf(target) : [])),
    );
  const reached = (from: string) => {
    const seen = new Set<string>();
    const visit = (room: string) => {
      for (const each of next(room))
        if (each !== room && !seen.has(each)) {
          seen.add(each);
          visit(each);
        }
    };
    visit(from);
    return seen;
  };
  return [...rooms.keys()].filter((room) => reached(room).has(room));
}

const flat = sources.filter(({ path }) => /^engine\/[^/]+$/.test(path)).length;

interface Covered {
  readonly url: string;
  readonly functions: readonly { readonly functionName: string; readonly ranges: readonly { count: number }[] }[];
}

/** Runs a command line from the sources, and counts the functions that it runs and their files. */
function ranBy(argv: readonly string[], env: NodeJS.ProcessEnv, folder: string): string {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  const entry = pathToFileURL(join(ROOT, 'src', 'entry.ts')).href;
  const code = `import(${JSON.stringify(entry)}).then(({ run }) => run(${JSON.stringify(argv)}, require(${JSON.stringify(join(ROOT, 'bin', 'files.js'))}))).then((exit) => { process.exitCode = exit; });`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', code], {
    encoding: 'utf8',
    env: { ...env, NODE_V8_COVERAGE: coverage },
  });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  const own = pathToFileURL(join(ROOT, 'src')).href;
  const all = readdirSync(coverage).flatMap(
    (name) => (JSON.parse(readFileSync(join(coverage, name), 'utf8')) as { result: readonly Covered[] }).result,
  );
  // The first function of a file is the file itself.
  const ran = all
    .filter(({ url }) => url.startsWith(own))
    .map(({ functions }) => functions.slice(1).filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).length);
  return `${sum(ran)} functions of ${ran.filter((count) => count > 0).length} files`;
}

const program = join(ROOT, 'bin', 'fiatrail.js');

/** Serves a sandbox, and returns its address and key. */
async function serve(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string; apiKey: string }> {
  const words = [program, 'sandbox', 'serve', '--port', '0', '-o', 'json'];
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await new Promise<readonly string[]>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the sandbox ended')));
    child.stdout?.once('data', (chunk: Buffer) => resolve(String(chunk).split('\n')));
  });
  return { child, ...(JSON.parse(line ?? '') as { url: string; apiKey: string }) };
}

async function measureCommands(): Promise<readonly (readonly [string, string])[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-measure-'));
  const env = { PATH: process.env['PATH'], HOME: folder, FIATRAIL_STATE_DIR: folder, FIATRAIL_CONFIG_DIR: folder };
  const seeded = spawnSync(process.execPath, [program, 'sandbox', 'seed', '--history', '2000', '--users', '5'], {
    env,
  });
  if (seeded.status !== 0) throw new Error(String(seeded.stderr));
  const { child, url, apiKey } = await serve(env);
  try {
    const served = { ...env, FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey };
    const withdrawal = [
      '--amount',
      '2000',
      '--bank-code',
      '000013',
      '--account-number',
      '0123456789',
      '--account-name',
      'ADA',
      '--yes',
    ];
    return [
      ['banks over HTTP', ranBy(['banks'], served, folder)],
      ['fees withdraw over HTTP', ranBy(['fees', 'withdraw', ...withdrawal], served, folder)],
    ];
  } finally {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rooms in which a thing of the business is at home: its endpoints, its record and the sandbox. */
const HOME = /^(contract|things|service)\//;

/** Comments of a line or more. Code keeps its strings, because words such as `payout create` are typed there. */
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm;

/** Files whose code has a word: no comment, and no page of help. */
const knowing = (word: RegExp) =>
  sources.filter(({ path, text }) => !path.startsWith('terminal/help/') && word.test(text.replace(COMMENT, '')));

/** A list of words, or the values of an SQL condition. */
const WORDS = /\[(?:\s*'[\w -]+',?)+\s*\]|IN \((?:\s*'[\w -]+',?)+\s*\)/g;

/** The states in which things end, and all of their states. */
const ends = new Set(THINGS.flatMap((thing) => Object.values(endsOf(thing)).flat()));
const states = new Set(THINGS.flatMap((thing) => Object.keys(thing.states ?? {})));

/** Whether words are all states of things, and one is final. What only looks like it has other words: the journal `refused`, a report its titles. */
function isOfStates(list: string): boolean {
  const words = [...list.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
  return words.length > 1 && words.every((word) => states.has(word)) && words.some((word) => ends.has(word));
}

const listsOfFinalStates = sources.flatMap(({ path, text }) =>
  [...text.replace(COMMENT, '').matchAll(WORDS)].filter(([list]) => isOfStates(list)).map(() => path),
);

const payoutFiles = knowing(/\bpayout\b/).map(({ path }) => path);

const exported = sources.flatMap((source) => exportsOf(source).map((name) => ({ path: source.path, name })));
const rows: (readonly [string, string | number])[] = [
  ['lines of src', lines],
  ['files of src', sources.length],
  [
    'named functions per 1,000 lines',
    perThousand(sum(sources.map(({ code }) => [...code.matchAll(NAMED_FUNCTION)].length))),
  ],
  ['exports per 1,000 lines', perThousand(exported.length)],
  ['exports with one importer', exported.filter(({ path, name }) => importersOf(path, name) === 1).length],
  ['type names declared in several files', countTypes()],
  ['files whose code has the word payout', payoutFiles.length],
  ['those outside contract/, things/, service/', payoutFiles.filter((path) => !HOME.test(path)).length],
  ['lists of final states', listsOfFinalStates.length],
  ['those outside contract/, things/, service/', listsOfFinalStates.filter((path) => !HOME.test(path)).length],
  ...countMembers(),
  ['mutable modes', modes.length],
  ['rooms in circles inside a house', ['webhooks', 'engine', 'copy'].flatMap(circlesIn).join(', ') || 0],
  ['files of engine in no folder', flat],
  ...(await measureCommands()),
];
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(44)}${value}\n`);
