import { expect, test } from 'vitest';
import type { ListedOperator } from '../../src/engine/plans/operator-list.ts';
import type { Author } from '../../src/engine/plans/plan.ts';
import { dependence } from '../../src/engine/plans/signatures.ts';

const key = (name: string) => ({ name, publicKey: name });
const by = (user: string, operator: string | null = null): Author => ({
  ...{ user, host: 'host-1', operator: operator === null ? null : key(operator) },
});
const listed = (name: string, addedBy: Author): ListedOperator => ({ ...key(name), addedBy, addedAt: '' });

/** Whether a signature counts: in a list that hosts share, and in that of one machine. */
test.each<[string, ListedOperator, ListedOperator, boolean, boolean]>([
  ['each added their own key', listed('ada', by('ada')), listed('bayo', by('bayo')), true, true],
  ['the author added the signer', listed('ada', by('ada')), listed('bayo', by('eve', 'ada')), false, false],
  ['the author’s user added the signer', listed('ada', by('eve')), listed('bayo', by('ada')), false, false],
  ['the signer added the author', listed('ada', by('eve', 'bayo')), listed('bayo', by('bayo')), false, true],
  ['a third person added both', listed('ada', by('chidi')), listed('bayo', by('chidi')), false, true],
  ['two people added them', listed('ada', by('chidi')), listed('bayo', by('dayo')), true, true],
])('%s', (_who, author, signer, isForAll, isForOne) => {
  const list = { operators: [author, signer], signAbove: [], pending: null };
  const counts = (isShared: boolean) => dependence(list, by('ada', 'ada'), signer, isShared) === undefined;
  expect([counts(true), counts(false)]).toEqual([isForAll, isForOne]);
});

test('a signature on a plan whose author has no key counts only if somebody else added its key', () => {
  const bayo = listed('bayo', by('bayo'));
  const list = { operators: [bayo], signAbove: [], pending: null };
  expect(dependence(list, by('chidi'), bayo, true)).toBeUndefined();
  expect(dependence(list, by('bayo'), bayo, true)).toBeDefined();
});
