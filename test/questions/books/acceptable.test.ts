import { expect, test } from 'vitest';
import { ACCEPTABLE } from '../../../src/copy/questions/books/acceptable.ts';
import { whyLacking } from '../../../src/copy/questions/books/why-open.ts';
import { REASONS } from '../../../src/copy/questions/reasons.ts';

const lack = (code: string) => ({
  code,
  sets: [{ thing: 'deposit', id: 'd-1', step: 'done' }],
  amounts: [],
  accounts: [],
});

test('what no sync can find out keeps a month open until a person accepts it by its name, and nothing else is accepted with it', () => {
  const codes = Object.keys(ACCEPTABLE);
  expect(codes.length).toBe(7);
  for (const code of codes) {
    expect(whyLacking([lack(code)], []), code).toMatchObject([{ what: expect.stringContaining(code) }]);
    expect(whyLacking([lack(code)], [code]), code).toEqual([]);
    const others = codes.filter((other) => other !== code);
    expect(
      whyLacking([lack(code)], others).map(({ what }) => what),
      code,
    ).toContainEqual(expect.stringContaining(`(${code})`));
  }
});

test.each(Object.keys(REASONS).filter((code) => !Object.hasOwn(ACCEPTABLE, code)))(
  '%s keeps a month open, also if someone accepts it',
  (code) => {
    const why = whyLacking([lack(code)], [code]).map(({ what, hint }) => ({ what, hint: hint && String(hint) }));
    expect(why).toMatchObject([
      { what: `nothing can be accepted as ${code}` },
      { what: expect.stringContaining(`(${code})`), hint: 'run: fiatrail sync' },
    ]);
  },
);
