import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approve, forgetApprovals, isApproved } from '../../src/account/pin.ts';
import { fakeWorld } from '../support/world.ts';

test('a file may choose the live profile that was agreed to, and no other one', async () => {
  const world = fakeWorld();
  const paths = ['one', 'two'].map((name) => {
    const folder = join(world.homeDir, name);
    mkdirSync(folder);
    writeFileSync(join(folder, '.fiatrail.json'), '{}');
    return join(folder, '.fiatrail.json');
  });
  const [one = '', two = ''] = paths;
  await approve(world, { path: one, profile: 'main' });
  const approved = () =>
    paths.flatMap((path) => ['main', 'other'].map((profile) => isApproved(world, { path, profile })));
  expect(approved()).toEqual([true, false, false, false]);
  await approve(world, { path: two, profile: 'other' });
  expect(approved()).toEqual([true, false, false, true]);
  await approve(world, { path: one, profile: 'other' });
  expect(approved()).toEqual([false, true, false, true]);
  await forgetApprovals(world, 'other');
  expect(approved()).toEqual([false, false, false, false]);
});
