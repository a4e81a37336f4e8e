import { cpSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { licencesText, packagesOf, sourceOf } from '../../scripts/licences.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';

test('the licences of packages are found when node_modules is a link', async () => {
  const folder = temporaryFolder(onTestFinished);
  cpSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const module = realpathSync(join(ROOT, 'node_modules', 'ky', 'package.json'));
  const found = await packagesOf(folder, [module, join(folder, 'src', 'main.ts')]);
  expect(found.map(({ name }) => name)).toEqual(['ky']);
});

const MPL = { name: 'a', version: '1.2.3', license: 'MPL-2.0' };

test.each([
  [{ ...MPL, repository: { url: 'git://github.com/a/b' } }, 'https://github.com/a/b, version 1.2.3'],
  [{ ...MPL, repository: { url: 'git+https://github.com/a/b.git' } }, 'https://github.com/a/b, version 1.2.3'],
  [{ ...MPL, repository: 'https://example.com/a/b' }, 'https://example.com/a/b, version 1.2.3'],
  [
    { ...MPL, license: '(LGPL-3.0-only OR MPL-2.0)', repository: 'git+ssh://git@github.com/a/b.git' },
    'https://github.com/a/b, version 1.2.3',
  ],
  [{ ...MPL, license: 'MIT', repository: { url: 'git://github.com/a/b' } }, undefined],
  [{ ...MPL, license: 'Apache-2.0' }, undefined],
])('a licence that asks for it has the place of the source: %j', (manifest, source) => {
  expect(sourceOf(manifest)).toBe(source);
});

test.each([{}, { repository: 'a/b' }, { repository: {} }])(
  'a package that must say where its source is, and does not, is not bundled: %j',
  (more) => {
    expect(() => sourceOf({ ...MPL, ...more })).toThrow('a asks for the place of its source (MPL-2.0)');
  },
);

test('the place of the source is in the text of the licences', async () => {
  const modules = ['@jmespath-community/jmespath', 'ky'].map((name) =>
    realpathSync(join(ROOT, 'node_modules', name, 'package.json')),
  );
  const [mpl = '', mit = ''] = licencesText(await packagesOf(ROOT, modules)).split(`${'-'.repeat(80)}`);
  expect(mpl).toMatch(
    /^@jmespath-community\/jmespath (\S+)\n\nSource code: https:\/\/github\.com\/jmespath-community\/typescript-jmespath, version \1\n\nMozilla Public License/,
  );
  expect(mit).toContain('ky ');
  expect(mit).not.toContain('Source code:');
});
