import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Advisory, advisoriesIn, hitsOf, lockedPackages } from '../../scripts/advisories.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';

const about = (events: readonly object[], more: object = {}): Advisory => ({
  id: 'GHSA-1',
  summary: 'a hole',
  affected: [{ package: { ecosystem: 'npm', name: 'zod' }, ranges: [{ type: 'SEMVER', events }], ...more }],
});

const isHit = (advisory: Advisory, version: string) => hitsOf(advisory, [{ name: 'zod', version }]).length > 0;

describe('an advisory', () => {
  test.each([
    ['4.0.0', [{ introduced: '0' }, { fixed: '4.1.0' }], true],
    ['4.1.0', [{ introduced: '0' }, { fixed: '4.1.0' }], false],
    ['4.10.0', [{ introduced: '0' }, { fixed: '4.9.0' }], false],
    ['4.1.0', [{ introduced: '0' }, { last_affected: '4.1.0' }], true],
    ['4.1.1', [{ introduced: '0' }, { last_affected: '4.1.0' }], false],
    ['3.9.9', [{ introduced: '4.0.0' }], false],
    ['4.0.0', [{ introduced: '4.0.0' }], true],
    ['4.0.0', [{ fixed: '4.1.0' }, { introduced: '0' }], true],
    ['5.0.1', [{ introduced: '0' }, { fixed: '4.1.0' }, { introduced: '5.0.0' }, { fixed: '5.1.0' }], true],
    ['4.5.0', [{ introduced: '0' }, { fixed: '4.1.0' }, { introduced: '5.0.0' }, { fixed: '5.1.0' }], false],
    ['4.1.0-beta.2', [{ introduced: '0' }, { fixed: '4.1.0' }], true],
    ['4.1.0-beta.10', [{ introduced: '4.1.0-beta.9' }], true],
    ['4.1.0-beta.2', [{ introduced: '4.1.0-beta.10' }], false],
    ['4.1.0-beta', [{ introduced: '4.1.0-1' }], true],
    ['4.1.0-beta', [{ introduced: '4.1.0-beta.0' }], false],
    ['4.1.0+build', [{ introduced: '0' }, { fixed: '4.1.0' }], false],
    ['4.1.0', [{ introduced: 'a word' }], true],
  ])('is about %s with %j: %s', (version, events, expected) => {
    expect(isHit(about(events), version)).toBe(expected);
  });

  test('names versions, or none at all', () => {
    expect(isHit(about([], { ranges: undefined, versions: ['4.1.0'] }), '4.1.0')).toBe(true);
    expect(isHit(about([], { ranges: undefined, versions: ['4.1.0'] }), '4.1.1')).toBe(false);
    expect(isHit(about([], { ranges: undefined }), '4.1.1')).toBe(true);
    expect(isHit(about([{ introduced: '5.0.0' }], { versions: ['4.1.0'] }), '4.1.0')).toBe(true);
  });

  test('counts neither when it was withdrawn nor for another package or ecosystem', () => {
    const all = [{ introduced: '0' }];
    expect(isHit({ ...about(all), withdrawn: '2026-01-01T00:00:00Z' }, '4.0.0')).toBe(false);
    expect(isHit(about(all, { package: { ecosystem: 'PyPI', name: 'zod' } }), '4.0.0')).toBe(false);
    expect(isHit(about(all, { package: { ecosystem: 'npm', name: 'zod-core' } }), '4.0.0')).toBe(false);
  });

  test.each(['{}', '[{"id":"GHSA-1"}]', 'null', '{"affected":[]}'])(
    'must have an id and what it affects: %s',
    (text) => {
      expect(() => advisoriesIn(text)).toThrow('expected an OSV advisory');
    },
  );
});

test('the lock has each package once for each version, by the name that it is installed from', () => {
  const packages = {
    '': { name: 'fiatrail', version: '0.1.0' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/@b/c': { version: '2.0.0' },
    'node_modules/a/node_modules/@b/c': { version: '1.0.0' },
    'node_modules/d/node_modules/a': { version: '1.0.0' },
    'node_modules/alias': { name: 'e', version: '3.0.0' },
    'node_modules/link': { link: true },
  };
  expect(lockedPackages(JSON.stringify({ packages }))).toEqual([
    { name: 'a', version: '1.0.0' },
    { name: '@b/c', version: '2.0.0' },
    { name: '@b/c', version: '1.0.0' },
    { name: 'e', version: '3.0.0' },
  ]);
});

describe('npm run sbom:check', () => {
  const zod = lockedPackages(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).find(({ name }) => name === 'zod');
  const affected = about([{ introduced: '0' }, { fixed: '999.0.0' }]);
  const harmless = about([{ introduced: '0' }, { fixed: '0.0.1' }]);

  async function check(...argv: string[]) {
    const script = join(ROOT, 'scripts', 'sbom-check.ts');
    const ran = promisify(execFile)(process.execPath, [script, ...argv]);
    return ran.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
    );
  }

  test('prints what is affected in a file or a folder, and its exit code says so', async () => {
    const folder = temporaryFolder(onTestFinished);
    mkdirSync(join(folder, 'npm'));
    writeFileSync(join(folder, 'npm', 'one.json'), JSON.stringify(affected));
    writeFileSync(join(folder, 'npm', 'more.json'), JSON.stringify([harmless, harmless]));
    const line = `zod ${zod?.version}: GHSA-1 a hole (fixed in 999.0.0)\n`;
    expect(await check(join(folder, 'npm', 'one.json'))).toMatchObject({ code: 1, stdout: line });
    const { code, stdout, stderr } = await check(folder);
    expect({ code, stdout }).toEqual({ code: 1, stdout: line });
    expect(stderr).toMatch(/^\d+ packages compared with 3 advisories; 1 is affected\n$/);
    expect(await check(join(folder, 'npm', 'more.json'))).toMatchObject({ code: 0, stdout: '' });
  });

  test('never succeeds without having compared anything', async () => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'broken'), '{');
    writeFileSync(join(folder, 'none'), '[]');
    for (const argv of [[], [join(folder, 'missing')], [join(folder, 'broken')], [join(folder, 'none')], [folder]])
      expect({ argv, ...(await check(...argv)) }).toMatchObject({ argv, code: 2, stdout: '' });
  });
});
