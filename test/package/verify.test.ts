import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkFiles } from '../../src/system/own-files.ts';
import {
  copyProgram,
  newHome,
  OWN_FILES,
  ROOT,
  requireBuilt,
  startProgram,
  temporaryFolder,
} from '../support/built.ts';

beforeAll(requireBuilt);

const DIGESTS = 'dist/SHA256SUMS';
const digests = () => readFileSync(join(ROOT, DIGESTS), 'utf8').trimEnd().split('\n');

/** A copy of the program, to be damaged. */
function installed(): string {
  const folder = temporaryFolder(onTestFinished);
  copyProgram(folder);
  return folder;
}

function verify(folder: string, ...more: string[]) {
  const argv = [join(folder, 'bin', 'fiatrail.js'), 'version', '--verify', ...more];
  return startProgram(newHome(onTestFinished), process.execPath, argv).end;
}

/** What is printed about files that are changed or missing. */
const refusal = (names: string) => ({
  stdout: '',
  stderr: expect.stringContaining(
    `error: fiatrail is not as built; changed or missing: ${names}\n  hint: install fiatrail again; if you did not change these files, find out who did\n`,
  ),
  code: 1,
});

describe('the digests of the build', () => {
  test('are of every file of the program', () => {
    const names = ['bin', 'dist'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1)),
    );
    const all = [...names, 'package.json'].filter((name) => name !== DIGESTS).sort();
    expect(digests().map((line) => line.split('  ')[1])).toEqual(all);
  });
});

describe('version --verify', () => {
  test('accepts the program as it was built', async () => {
    const folder = installed();
    const count = digests().length;
    const { stdout, stderr, code } = await verify(folder);
    expect({ stdout, stderr, code }).toEqual({
      stdout: expect.stringMatching(/^fiatrail [\d.]+ is as built \(\d+ files checked\)\n$/),
      stderr: '',
      code: 0,
    });
    const json = await verify(folder, '-o', 'json');
    expect(JSON.parse(json.stdout)).toEqual({ version: expect.any(String), checkedFiles: count });
  });

  test('finds a changed byte', async () => {
    const folder = installed();
    const path = join(folder, 'dist', 'help', 'fx.txt');
    const bytes = readFileSync(path);
    bytes[10] = (bytes[10] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    expect(await verify(folder)).toEqual(refusal('dist/help/fx.txt'));
  });

  test('finds missing files, and names three', async () => {
    const folder = installed();
    for (const name of ['fiatrail.1', 'fiatrail-fx.1', 'fiatrail-ip.1', 'fiatrail-api.1', 'fiatrail-sql.1'])
      rmSync(join(folder, 'dist', 'man', name));
    const names = ['api', 'fx', 'ip'].map((name) => `dist/man/fiatrail-${name}.1`).join(', ');
    expect(await verify(folder)).toEqual(refusal(`${names} and 2 more`));
  });

  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['not a list', 'a'.repeat(64)],
  ])('refuses a list of digests that is %s', async (_, content) => {
    const folder = installed();
    if (content === undefined) rmSync(join(folder, DIGESTS));
    else writeFileSync(join(folder, DIGESTS), content);
    expect(await verify(folder)).toEqual(refusal(DIGESTS));
  });

  test('does not care for a file that the program does not load', async () => {
    const folder = installed();
    writeFileSync(join(folder, 'dist', 'notes.txt'), 'mine');
    expect((await verify(folder)).code).toBe(0);
  });
});

describe('a single binary', () => {
  const body = Buffer.from('machine code');
  const trailer = `\nsha256:${createHash('sha256').update(body).digest('hex')}\n`;

  test.each([
    ['whole', [body, trailer], true],
    ['changed', ['machine c0de', trailer], false],
    ['cut off', [body, trailer.slice(0, -1)], false],
    ['extended', [body, trailer, '\n'], false],
    ['without a digest', [body], false],
    ['empty', [], false],
  ] as const)('that is %s', async (_, parts, isWhole) => {
    const root = join(temporaryFolder(onTestFinished), 'fiatrail');
    writeFileSync(root, Buffer.concat(parts.map((part) => Buffer.from(part))));
    const found = await checkFiles({ ...OWN_FILES, root, isBinary: true });
    expect(found).toEqual({ count: 1, damaged: isWhole ? [] : [root] });
  });
});
