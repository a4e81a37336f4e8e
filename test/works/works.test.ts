import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { workStartedBy } from '../../src/works/find-work.ts';
import { agrees } from '../../src/works/rows.ts';

const MONEY = endpoints.filter(({ effect }) => effect === 'money').map(({ id }) => id);

test.each(MONEY.filter((id) => id !== 'fx.update-limit-order'))('%s has a work that it starts', async (id) => {
  const work = await workStartedBy(id);
  expect(work?.starts.map((start) => start.id)).toContain(id);
});

test.each([
  ['0xAB', '0xab', true],
  ['0123456789', '******6789', true],
  ['0123456789', '******6780', false],
  ['0123456789', '****6789', false],
  ['a', 'b', false],
  ['a', undefined, true],
  [null, 'b', true],
])('%s agrees with %s: %s', (one, other, expected) => {
  expect(agrees(one, other)).toBe(expected);
});
