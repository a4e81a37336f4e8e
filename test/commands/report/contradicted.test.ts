import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { AUTUMN, accountAfter, refused, wordsOf } from '../../questions/books/life.ts';
import { json, must } from '../../questions/reports.ts';
import type { FakeWorld } from '../../support/world.ts';

/** Changes a local copy as nobody should. */
function edited({ stateDir }: FakeWorld, sql: string): void {
  const database = new DatabaseSync(join(stateDir, 'copy-embedded.db'));
  database.exec(sql);
  database.close();
}

const ROWS = `type = 'fintech_offramp' AND status = 'completed' AND created_at LIKE '2025-10-2%'`;

test.each([
  [
    'changed',
    `UPDATE stored_payouts SET amount_minor = amount_minor + 1, deducted_minor = deducted_minor + 10000 WHERE ${ROWS}`,
  ],
  ['removed', `DELETE FROM stored_payouts WHERE ${ROWS}`],
])(
  'a month of which rows were %s in the copy has no books and stays open, until they are read again',
  async (_, sql) => {
    const world = await accountAfter(AUTUMN);
    const { hint } = await refused(world, 'report', 'close', '2025-10');
    const draft = await json(world, ...wordsOf(hint), '--dry-run');
    edited(world, sql);
    const found = await refused(world, ...wordsOf(hint));
    const what =
      /assets:wallet had 5,639,956\.41 cNGN when its balance was read, and its entries come to [\d,.]+ cNGN$/;
    expect(found).toMatchObject({ exit: 9, code: 'NOT_CLOSABLE', message: expect.stringMatching(what) });
    expect(await refused(world, 'report', 'books', '2025-10')).toMatchObject({
      exit: 9,
      code: 'BOOKS_UNBALANCED',
      message: expect.stringMatching(what),
    });
    await must(world, ...wordsOf(found.hint.split(';')[0] ?? ''));
    expect(await json(world, ...wordsOf(hint), '--dry-run')).toEqual(draft);
  },
);
