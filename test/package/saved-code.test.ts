import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  fiatrail,
  type Home,
  newHomeWithCache,
  ROOT,
  requireBuilt,
  sharedEnd,
  startProgram,
} from '../support/built.ts';
import { fiatrailOnTerminal } from '../support/terminal.ts';

beforeAll(requireBuilt);

const LIST = ['banks', '--search', 'access', '-q', '-o', 'csv', '--fields', 'bankCode'];
const [CHALK, TABLE] = ['./chalk.cjs', './cli-table3.cjs'];
const RIGHT = { stdout: 'bankCode\n000014\n', stderr: '', code: 0 };

const folderOf = (home: Home) => join(home.env['XDG_CACHE_HOME'] ?? '', 'fiatrail');
const namesIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.code'));

/** The content of the kept files, by name. */
function kept(folder: string): Record<string, string> {
  return Object.fromEntries(namesIn(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

/** What the head of a kept file says. */
function headOf(file: string): { names: string[]; codeBytes: number; sourceBytes: number }[] {
  return JSON.parse(readFileSync(file, 'latin1').split('\n')[0] ?? '');
}

/** The head of a kept file with the source of the entry alone, and no code. */
const headed = (sourceBytes: number) => `${JSON.stringify([{ names: ['./entry.cjs'], codeBytes: 0, sourceBytes }])}\n`;

const atEnd = sharedEnd();
let first: Awaited<ReturnType<typeof runTwice>>;

beforeAll(async () => {
  first = await runTwice();
});

/** Runs a command twice in a new home: the first run keeps its files with their compiled code. */
async function runTwice() {
  const home = newHomeWithCache(atEnd);
  const run = await fiatrail(home, LIST);
  const byFirst = kept(folderOf(home));
  return { home, byFirst, runs: [run, await fiatrail(home, LIST)] };
}

/** A home in which a command ran twice. */
function ranTwice() {
  const home = newHomeWithCache(onTestFinished);
  cpSync(first.home.path, home.path, { recursive: true });
  const folder = folderOf(home);
  chmodSync(folder, 0o700);
  const [name = ''] = namesIn(folder);
  return { home, folder, runs: first.runs, name, file: join(folder, name) };
}

describe('kept code', () => {
  test('has nothing of help, its topics and what words mean, because a command that runs needs none of it', () => {
    const { file } = ranTwice();
    const names = headOf(file).flatMap((part) => part.names);
    expect(names).toContain('./entry.cjs');
    expect(names.filter((name) => name.includes('terminal-help'))).toEqual([]);
  });

  test.each<[what: string, run: (home: Home) => Promise<unknown>, packages: readonly string[]]>([
    ['a table for another program', (home) => fiatrail(home, ['banks', '--search', 'access']), []],
    ['JSON', (home) => fiatrail(home, ['banks', '-o', 'json']), []],
    ['CSV', (home) => fiatrail(home, LIST), []],
    ['Tab', (home) => fiatrail(home, ['completion', 'complete', '--', 'banks', '--se']), []],
    [
      'color that is asked for',
      (home) => fiatrail(home, ['banks', '--search', 'access', '--color', 'always']),
      [CHALK],
    ],
    ['a table on a terminal', (home) => fiatrailOnTerminal(home, ['banks', '--search', 'access'], []), [CHALK, TABLE]],
    ['one without color', (home) => fiatrailOnTerminal(home, ['banks', '--color', 'never'], []), [TABLE]],
    ['JSON on a terminal', (home) => fiatrailOnTerminal(home, ['banks', '-o', 'json', '--search', 'access'], []), []],
  ])('has the packages for tables and color only where they are used: %s', async (_what, run, packages) => {
    const home = newHomeWithCache(onTestFinished);
    await run(home);
    const folder = folderOf(home);
    const names = namesIn(folder).flatMap((name) => headOf(join(folder, name)).flatMap((part) => part.names));
    expect(names).toContain('./entry.cjs');
    expect(names.filter((name) => name === CHALK || name === TABLE).sort()).toEqual(packages);
  });

  test('is written by the first run, reused by the second and third, and changes no output', async () => {
    const { home, folder, name, file, runs } = ranTwice();
    expect({ runs, third: await fiatrail(home, LIST) }).toEqual({ runs: [RIGHT, RIGHT], third: RIGHT });
    expect(Object.keys(first.byFirst)).toEqual([name]);
    expect(kept(folder)).toEqual(first.byFirst);
    expect(headOf(file).filter(({ codeBytes }) => codeBytes < 1_000)).toEqual([]);
  });

  test('is used instead of the files of the package', async () => {
    const { home } = ranTwice();
    const spy = join(home.path, 'spy.cjs');
    const opened = join(home.path, 'opened');
    writeFileSync(
      spy,
      `const fs = require('node:fs'); const { readFileSync } = fs;
      fs.readFileSync = (path, ...rest) => { fs.appendFileSync(${JSON.stringify(opened)}, path + '\\n'); return readFileSync(path, ...rest); };`,
    );
    const argv = ['--require', spy, join(ROOT, 'bin', 'fiatrail.js'), ...LIST];
    const ran = await startProgram(home, process.execPath, argv).end;
    const built = readFileSync(opened, 'utf8')
      .split('\n')
      .filter((path) => path.startsWith(join(ROOT, 'dist')));
    expect({ ran, built }).toEqual({ ran: RIGHT, built: [join(ROOT, 'dist', 'build.json')] });
  });

  test('is in a private folder and a private file', async () => {
    const folder = folderOf(first.home);
    const modes = [folder, join(folder, namesIn(folder)[0] ?? '')].map((path) =>
      (statSync(path).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '600']);
  });

  test('is extended by other commands of the noun, and settles for all of them', async () => {
    const { home, folder } = ranTwice();
    const list = (format: string) =>
      fiatrail(home, ['banks', '--search', 'access', '-q', '--query', 'banks', '-o', format]);
    // What the home has ran with the third, CSV.
    const formats = ['yaml', 'table'];
    const outputs = async () => {
      const ran: string[] = [];
      for (const format of formats) {
        const { stdout, code } = await list(format);
        ran.push(`${code} ${stdout}`);
      }
      return ran;
    };
    const first = await outputs();
    expect([await outputs(), await outputs()]).toEqual([first, first]);
    const settled = kept(folder);
    const [name = ''] = Object.keys(settled);
    expect(headOf(join(folder, name)).flatMap(({ names }) => names)).toEqual(
      expect.arrayContaining(['./yaml.cjs', './present-view.cjs']),
    );
    expect({ outputs: await outputs(), kept: kept(folder) }).toEqual({ outputs: first, kept: settled });
  });

  test('of older builds is removed', async () => {
    const { home, folder, name } = ranTwice();
    const older = `0123456789abcdef${name.slice(16)}`;
    writeFileSync(join(folder, older), 'old');
    await fiatrail(home, ['fees', 'show', '-q']);
    const names = namesIn(folder);
    expect({ hasName: names.includes(name), hasOlder: names.includes(older), names: names.length }).toEqual({
      hasName: true,
      hasOlder: false,
      names: 2,
    });
  });
});

describe('kept code that is damaged only costs time', () => {
  /** Changes one byte. */
  const flip = (file: string, at: (size: number) => number) => {
    const bytes = readFileSync(file);
    const index = at(bytes.length);
    bytes[index] = (bytes[index] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
  };
  const inHalf = (part: number) => (size: number) => Math.floor((size / 2) * part);

  test.each([
    ['a byte of the head', (file: string) => flip(file, () => 3), true],
    ['a byte of the source', (file: string) => flip(file, () => 5000)],
    ['a byte in the middle of the code', (file: string) => flip(file, inHalf(0.8))],
    ['the last byte of the code', (file: string) => flip(file, (size) => size / 2 - 1)],
    ['a byte of the second half', (file: string) => flip(file, inHalf(1.7))],
    ['its end', (file: string) => truncateSync(file, statSync(file).size - 1)],
    ['its second half', (file: string) => truncateSync(file, statSync(file).size / 2)],
    ['everything', (file: string) => truncateSync(file, 0)],
    ['its meaning', (file: string) => writeFileSync(file, 'garbage')],
    ['its meaning, in halves that are equal', (file: string) => writeFileSync(file, '{}\nx'.repeat(2))],
    ['its source, in halves that are equal', (file: string) => writeFileSync(file, `${headed(2)})(`.repeat(2))],
  ] as readonly [string, (file: string) => void, boolean?][])('%s', async (_, damage, isReadAgain) => {
    const { home, file } = ranTwice();
    const sourcesOf = () => headOf(file).map(({ names, sourceBytes }) => ({ names, sourceBytes }));
    const [size, sources] = [statSync(file).size, sourcesOf()];
    damage(file);
    const run = await fiatrail(home, LIST);
    const bytes = readFileSync(file);
    const areEqual = bytes.subarray(0, bytes.length / 2).equals(bytes.subarray(bytes.length / 2));
    const isRepaired = areEqual && Math.abs(bytes.length - size) < size / 4;
    expect({ run, isRepaired, sources: sourcesOf() }).toEqual({ run: RIGHT, isRepaired: true, sources });
    // What was repaired is read by the next run.
    if (isReadAgain)
      expect({ run: await fiatrail(home, LIST), kept: readFileSync(file) }).toEqual({ run: RIGHT, kept: bytes });
  });
});

describe('kept code that others could have written is not used', () => {
  /** Replaces the source in a kept file by a program that prints something else. */
  function poison(file: string): void {
    const source = "({'./entry.cjs':(exports)=>{exports.run=async()=>{console.log('poisoned');return 0}}})";
    writeFileSync(file, (headed(source.length) + source).repeat(2));
  }

  test('the poison works where nothing protects against it', async () => {
    const { home, file } = ranTwice();
    poison(file);
    expect((await fiatrail(home, LIST)).stdout).toBe('poisoned\n');
  });

  test.each([
    ['a folder that the group can write to', (folder: string) => chmodSync(folder, 0o770)],
    ['a folder that all can write to', (folder: string) => chmodSync(folder, 0o777)],
    ['a file that the group can write to', (_: string, file: string) => chmodSync(file, 0o660)],
    ['a file that all can write to', (_: string, file: string) => chmodSync(file, 0o606)],
    [
      'a symbolic link in the place of the file',
      (folder: string, file: string) => {
        renameSync(file, join(folder, '..', 'elsewhere'));
        symlinkSync(join(folder, '..', 'elsewhere'), file);
      },
    ],
    [
      'a symbolic link in the place of the folder',
      (folder: string) => {
        renameSync(folder, `${folder}-elsewhere`);
        symlinkSync(`${folder}-elsewhere`, folder);
      },
    ],
  ])('%s', async (_, open) => {
    const { home, folder, file } = ranTwice();
    poison(file);
    open(folder, file);
    expect(await fiatrail(home, LIST)).toEqual(RIGHT);
  });

  test('that of another build, Node or processor', async () => {
    const { home, folder, name, file } = ranTwice();
    poison(file);
    const [build = '', node = '', processor = ''] = name.split('-');
    expect(name).toBe(`${build}-${node}-${processor}-banks.code`);
    linkSync(file, join(folder, `${'0'.repeat(16)}-${node}-${processor}-banks.code`));
    linkSync(file, join(folder, `${build}-v1.2.3-${processor}-banks.code`));
    renameSync(file, join(folder, `${build}-${node}-other-banks.code`));
    expect(await fiatrail(home, LIST)).toEqual(RIGHT);
  });
});

describe('without a place for kept code', () => {
  test.each([
    ['is a file', (path: string) => writeFileSync(path, '')],
    ['is read-only', (path: string) => mkdirSync(path, { mode: 0o500 })],
    [
      'has a file where its folder belongs',
      (path: string) => {
        mkdirSync(path);
        writeFileSync(join(path, 'fiatrail'), '');
      },
    ],
  ])('a command runs where the cache folder %s', async (_, prepare) => {
    const home = newHomeWithCache(onTestFinished);
    const place = join(home.path, 'no-folder');
    prepare(place);
    expect(await fiatrail(home, LIST, { env: { XDG_CACHE_HOME: place } })).toEqual(RIGHT);
  });

  test.each([
    { HOME: undefined, XDG_CACHE_HOME: undefined },
    { XDG_CACHE_HOME: 'not/absolute' },
    { XDG_CACHE_HOME: '/dev/null/x' },
    { XDG_CACHE_HOME: '/proc/x' },
  ])('a command runs with the environment %j', async (env) => {
    expect(await fiatrail(newHomeWithCache(onTestFinished), LIST, { env })).toEqual(RIGHT);
  });

  test('a command runs on a full disk, and leaves no temporary file', async () => {
    const home = newHomeWithCache(onTestFinished);
    const folder = join(home.path, 'full');
    mkdirSync(folder);
    const program = [process.execPath, join(ROOT, 'bin', 'fiatrail.js'), ...LIST];
    const script = [
      `mount -t tmpfs -o size=256k,mode=700 tmpfs "${folder}"`,
      'XDG_CACHE_HOME="$FULL" "$@"',
      `find "${folder}" -type f`,
    ].join(' && ');
    const words = ['-rm', 'sh', '-c', script, 'sh', ...program];
    const { stdout, code } = await startProgram(home, 'unshare', words, { env: { FULL: folder } }).end;
    expect({ stdout, code }).toEqual({ stdout: RIGHT.stdout, code: 0 });
  });

  test('two commands at once both run', async () => {
    const home = newHomeWithCache(onTestFinished);
    const both = () => Promise.all([fiatrail(home, LIST), fiatrail(home, LIST)]);
    expect([...(await both()), ...(await both())]).toEqual(Array(4).fill(RIGHT));
  });
});
