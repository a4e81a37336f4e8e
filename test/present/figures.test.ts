import { describe, expect, test } from 'vitest';
import { amount } from '../../src/money/amount.ts';
import { atLeast, negated, unknownFigure } from '../../src/money/figure.ts';
import { exactAmount } from '../../src/present/plain.ts';
import { figureSchema } from '../../src/present/prints.ts';
import type { Result } from '../../src/present/result.ts';
import { printed } from './support.ts';

const FIRST = { why: 'BEFORE_FIRST_SYNC', since: '2026-11-26T22:10:00.000Z' };
const FEE = { why: 'FEE_NOT_READ', since: null };

const RESULT: Result = {
  hasFigures: true,
  data: {
    rows: [
      { day: '2026-11-25', earned: unknownFigure('NGN', FIRST), paid: atLeast('NGN', 150n, FEE) },
      { day: '2026-11-26', earned: amount('NGN', 500n), paid: negated(atLeast('NGN', 150n, FEE)) },
    ],
  },
  lists: 'rows',
};

describe('a figure', () => {
  test('says in JSON how far it is known, unless it is', async () => {
    const { rows } = JSON.parse(await printed(RESULT));
    expect(rows).toEqual([
      {
        day: '2026-11-25',
        earned: { value: null, asset: 'NGN', known: { is: 'no', ...FIRST } },
        paid: { value: '1.50', asset: 'NGN', known: { is: 'at least', ...FEE } },
      },
      {
        day: '2026-11-26',
        earned: { value: '5.00', asset: 'NGN' },
        paid: { value: '-1.50', asset: 'NGN', known: { is: 'at most', ...FEE } },
      },
    ]);
    for (const { earned, paid } of rows)
      for (const each of [earned, paid]) expect(figureSchema().safeParse(each).success).toBe(true);
  });

  test('says it in words in a table, and in a column of its own in CSV', async () => {
    const table = await printed(RESULT, { format: 'table' });
    expect(table).toMatch(/2026-11-25 +not known +at least ₦1\.50\n2026-11-26 +₦5\.00 +at most -₦1\.50/);
    expect(await printed(RESULT, { format: 'csv' })).toBe(
      `day,earned,earned_asset,earned_known,paid,paid_asset,paid_known
2026-11-25,,NGN,no (BEFORE_FIRST_SYNC),1.50,NGN,at least (FEE_NOT_READ)
2026-11-26,5.00,NGN,yes,-1.50,NGN,at most (FEE_NOT_READ)
`,
    );
  });

  test('can be asked how far it is known', async () => {
    const text = await printed(RESULT, { query: 'rows[?earned.known].day' });
    expect(JSON.parse(text)).toEqual(['2026-11-25']);
  });

  test('that is not known exactly is no amount to compute with', () => {
    expect(exactAmount({ value: '1.50', asset: 'NGN' })).toEqual({ asset: 'NGN', minor: 150n });
    expect(exactAmount({ value: '1.50', asset: 'NGN', known: { is: 'at least', ...FEE } })).toBeUndefined();
    expect(exactAmount({ value: null, asset: 'NGN', known: { is: 'no', ...FEE } })).toBeUndefined();
  });
});

test('a document has its smaller tables below it', async () => {
  const below = { title: 'Why', rows: [{ says: 'first sync' }], columns: [{ field: 'says', title: 'Reason' }] };
  const text = await printed({ data: { earned: unknownFigure('NGN', FIRST) }, below }, { format: 'table' });
  expect(text).toMatch(/^Earned +not known\n\nWhy\n +Reason\n/);
});
