import { cpSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packagesOf } from '../../scripts/licences.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';

test('the licences of packages are found when node_modules is a link', async () => {
  const folder = temporaryFolder(onTestFinished);
  cpSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const module = realpathSync(join(ROOT, 'node_modules', 'ky', 'package.json'));
  const found = await packagesOf(folder, [module, join(folder, 'src', 'main.ts')]);
  expect(found.map(({ name }) => name)).toEqual(['ky']);
});
