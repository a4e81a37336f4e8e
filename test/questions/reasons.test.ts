import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { because, REASONS, reasonsOf, textOfReason } from '../../src/copy/questions/reasons.ts';
import { amount } from '../../src/money/amount.ts';
import { unknownFigure } from '../../src/money/figure.ts';
import { ROOT } from '../support/built.ts';

test('docs/errors.md has a row for each reason, and each says what to type', () => {
  const page = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8').split('## Figures that are not known')[1] ?? '';
  const codes = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes).toEqual(Object.keys(REASONS));
  for (const code of codes) {
    const { says, hint } = textOfReason(code ?? '');
    expect(says('2026-11-26')).not.toBe(code);
    expect(String(hint)).toMatch(/fiatrail|--since|period/);
    // A program follows it too.
    expect(typeof hint === 'string' && hint.includes('fiatrail')).toBe(false);
  }
});

test('a reason is given once, with the latest time since which figures are known', () => {
  const [early, late] = ['2026-11-01T00:00:00.000Z', '2026-11-26T00:00:00.000Z'];
  const figures = [late, early, null].map((since) => ({
    name: 'earned',
    figure: unknownFigure('NGN', because('BEFORE_FIRST_SYNC', since)),
  }));
  // Fees of two days; the balance lacks the same rows.
  const fees = [2, 3].map((rows) => ({
    name: 'fees',
    figure: unknownFigure('CNGN', because('FEE_NOT_READ', null, rows)),
  }));
  const balance = { name: 'closing', figure: unknownFigure('CNGN', because('FEE_NOT_READ', null, 4)) };
  const reasons = reasonsOf([...figures, ...fees, balance, { name: 'in', figure: amount('NGN', 0n) }]);
  expect(reasons).toEqual([
    { why: 'BEFORE_FIRST_SYNC', since: late },
    { why: 'FEE_NOT_READ', since: null, rows: 5 },
  ]);
  expect(textOfReason('FEE_NOT_READ').says(undefined, 5)).toBe('the fees of 5 rows have not been read yet');
  expect(textOfReason('FEE_NOT_READ').says(undefined, 1)).toBe('the fees of 1 row have not been read yet');
});
