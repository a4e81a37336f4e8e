import { expect, test } from 'vitest';
import type { ListedApprover } from '../../src/engine/plans/approver-list.ts';
import type { Author } from '../../src/engine/plans/plan.ts';
import { dependence } from '../../src/engine/plans/signatures.ts';
import { listOf } from './support.ts';

const key = (name: string) => ({ name, publicKey: name });
/** Who added a key: a user of a machine, and as which approver. */
const by = (user: string, approver: string | null = null, host = 'host-1'): Author => ({
  user,
  host,
  approver: approver === null ? null : key(approver),
});
const listed = (name: string, addedBy: Author): ListedApprover => ({ ...key(name), addedBy, addedAt: '' });

/** Whether a signature of Bayo counts on a plan of Ada: in a list that hosts share, and in that of one machine. */
const ROWS: readonly (readonly [string, Author, Author, boolean, boolean])[] = [
  ['each added their own key', by('ada'), by('bayo'), true, true],
  ['each added their own key, on two machines', by('ops'), by('ops', null, 'host-2'), true, true],
  ['the author added the signer', by('ada'), by('eve', 'ada'), false, false],
  ['the author, whom an approver added, added the signer', by('chidi', 'chidi'), by('eve', 'ada'), false, false],
  ['the author’s user added the signer from outside', by('ada'), by('ada'), false, false],
  ['the author’s user added the signer as another approver', by('ada'), by('ada', 'chidi'), false, false],
  ['the signer added the author', by('eve', 'bayo'), by('bayo'), false, true],
  ['the signer’s user added the author', by('bayo', 'bayo'), by('bayo'), false, true],
  ['a third person added both from outside', by('chidi'), by('chidi'), false, false],
  ['a third approver added both', by('chidi', 'chidi'), by('chidi', 'chidi'), false, true],
  ['two people added them', by('chidi'), by('dayo'), true, true],
];

/** What the author may write of themselves: it decides nothing. */
const CLAIMS = [by('ada', 'ada'), by('cfo', 'ada'), by('bayo', 'ada'), by('chidi', 'ada', 'host-9')];

test.each(ROWS)('%s', (_who, addedAuthor, addedSigner, isForAll, isForOne) => {
  const signer = listed('bayo', addedSigner);
  const list = listOf([listed('ada', addedAuthor), signer]);
  for (const claim of CLAIMS) {
    const counts = (isShared: boolean) => dependence(list, claim, signer, isShared) === undefined;
    expect([counts(true), counts(false)], claim.user).toEqual([isForAll, isForOne]);
  }
});

test('a signature on a plan whose author has no key counts only if someone else added its key', () => {
  const bayo = listed('bayo', by('bayo'));
  expect(dependence(listOf([bayo]), by('chidi'), bayo, true)).toBeUndefined();
  expect(dependence(listOf([bayo]), by('bayo'), bayo, true)).toBeDefined();
});
