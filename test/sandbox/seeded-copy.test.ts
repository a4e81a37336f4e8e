import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { Context } from '../../src/service/context.ts';
import { temporaryFolder } from '../support/built.ts';
import { countingIds, openSandbox, type TestSandbox } from '../support/sandbox.ts';
import { forgetSeeds } from '../support/seeded.ts';

/** Everything in the database of a sandbox, and the ids that it would use next. */
async function contentOf(box: TestSandbox) {
  const path = `${temporaryFolder(onTestFinished)}/copy.db`;
  box.service.store.run('VACUUM INTO ?', path);
  using database = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const objects = all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name') as {
    type: string;
    name: string;
  }[];
  const rows = objects.filter(({ type }) => type === 'table').map(({ name }) => [name, all(`SELECT * FROM ${name}`)]);
  const next = await box.inside(({ ids }: Context) => [ids.uuid(), [...ids.bytes(40)]]);
  return { objects, rows, next, pragmas: ['application_id', 'user_version'].map((name) => all(`PRAGMA ${name}`)) };
}

test.each([{}, { pace: 'real', rateLimits: true }] as const)(
  'a copied sandbox is what a seeded one is: %j',
  async (options) => {
    forgetSeeds();
    await using first = await openSandbox(options);
    await using copied = await openSandbox(options);
    await using seeded = await openSandbox({ ...options, ids: countingIds() });
    const expected = await contentOf(seeded);
    expect(expected.rows.length).toBeGreaterThan(20);
    expect(await contentOf(first)).toEqual(expected);
    expect(await contentOf(copied)).toEqual(expected);
  },
);
