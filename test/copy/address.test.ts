import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';

test.each([
  [
    'postgres://ops:hunter2@db.example.com/copy',
    /^put the password into ~\/\.pgpass or PGPASSFILE, then type: fiatrail sync --to /,
  ],
  ['postgres://ops@db.example.com/copy?sslmode=disable', /^leave it out, or use verify-full$/],
  ['mysql://ops:hunter2@db.example.com/copy', /fiatrail sync --to/],
])('sync --to names its own command: %s', async (url, hint) => {
  const world = fakeWorld();
  const code = await main(['sync', '--to', url, '-o', 'json'], world);
  const { error } = JSON.parse(world.stderr.text().trim().split('\n').at(-1) ?? '');
  expect({ code, hint: error.hint }).toEqual({ code: 2, hint: expect.stringMatching(hint) });
  expect(world.stderr.text()).not.toContain('journal set');
  expect(world.stderr.text()).not.toContain('hunter2');
});
