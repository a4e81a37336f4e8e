import { describe, expect, test } from 'vitest';
import { readApprovers } from '../../src/engine/plans/approver-list.ts';
import { fakeWorld } from '../support/world.ts';

/** Which lists of a journal count for an account. */

type Mode = 'live' | 'sandbox' | 'embedded';
const publicKey = (name: string) => Buffer.from(name).toString('hex').padEnd(64, '0');
const addedBy = { user: 'ada', host: 'host-1', approver: null };
const account = (mode: Mode, keyFingerprint: string) => ({ mode, baseUrl: 'https://service.test/v1', keyFingerprint });

/** A list as the journal has it: its account, its approvers and the amount in cNGN above which two must sign. */
const text = (mode: Mode, key: string, names: readonly string[], above?: string) =>
  JSON.stringify({
    account: account(mode, key),
    approvers: names.map((name) => ({
      name,
      publicKey: publicKey(name),
      addedBy,
      addedAt: '2026-01-05T09:00:00.000Z',
    })),
    approvalThresholds: above === undefined ? [] : [{ asset: 'CNGN', minor: above }],
    pending: null,
  });

/** What a profile reads, of a journal with lists, if its key has these ids there. */
async function read(mode: Mode, ids: readonly string[], lists: Readonly<Record<string, string>>) {
  const journal = { accountIds: async () => ids, approverLists: async () => new Map(Object.entries(lists)) };
  const { list, stored } = await readApprovers({
    profile: { name: 'main', ...account(mode, ''), key: undefined, stored: undefined },
    accountNames: async () => ({ keyFingerprint: '', profile: 'main', baseUrl: '' }),
    world: fakeWorld({ env: { FIATRAIL_JOURNAL_URL: 'postgresql://journal.test/a' } }),
    journal: async () => journal as never,
  });
  return {
    names: list.approvers.map(({ name }) => name).join(' '),
    above: list.approvalThresholds.map(({ minor }) => minor).join(' '),
    of: list.accounts.map(({ keyFingerprint }) => keyFingerprint).join(' '),
    isOwn: list.isOwn,
    needsAnother: list.needsAnother,
    id: stored?.id,
  };
}

const TWO = text('live', 'k1', ['ada', 'bayo'], '5');
const ALONE = text('live', 'k2', ['ada'], '9');
const OTHER_TWO = text('live', 'k3', ['ada', 'chidi'], '7');
const BOX = text('sandbox', 'k4', ['eve', 'mallory'], '3');
const none = { names: '', above: '', of: '', isOwn: false, needsAnother: false, id: undefined };
const two = { names: 'ada bayo', above: '5', of: 'k1', isOwn: true, needsAnother: true, id: 'a' };
const alone = { names: 'ada', above: '9', of: 'k2', isOwn: true, needsAnother: false, id: 'b' };

describe('the lists that count', () => {
  test.each<[string, Mode, readonly string[], Readonly<Record<string, string>>, object]>([
    ['for an account in an empty journal', 'live', [], {}, none],
    ['for an account with a list', 'live', ['a'], { a: TWO, b: ALONE }, two],
    ['for an account whose list has one person', 'live', ['b'], { a: TWO, b: ALONE }, alone],
    ['for a live account without a list', 'live', ['x'], { a: TWO }, { ...two, isOwn: false, id: undefined }],
    ['for a live account that is new', 'live', [], { a: TWO, d: BOX }, { ...two, isOwn: false, id: undefined }],
    ['for a live account beside one with one person', 'live', ['x'], { b: ALONE }, none],
    ['for a live account beside a sandbox', 'live', ['x'], { d: BOX }, none],
    [
      'for a live account beside two others',
      'live',
      ['x'],
      { a: TWO, c: OTHER_TWO, b: ALONE },
      { names: 'ada', above: '5 7', of: 'k1 k3', isOwn: false, needsAnother: true, id: undefined },
    ],
    ['for a sandbox beside a live account', 'sandbox', ['x'], { a: TWO }, none],
    ['for an embedded sandbox beside a live account', 'embedded', [], { a: TWO }, none],
    ['for an account that is two, one of which one person set up', 'live', ['b', 'a'], { a: TWO, b: ALONE }, two],
    ['for an account that is two, in the other order', 'live', ['a', 'b'], { a: TWO, b: ALONE }, two],
    [
      'for an account that is two, with two people each',
      'live',
      ['c', 'a'],
      { a: TWO, c: OTHER_TWO },
      { names: 'ada', above: '7 5', of: 'k3 k1', isOwn: true, needsAnother: true, id: 'c' },
    ],
  ])('%s', async (_what, mode, ids, lists, expected) => {
    expect(await read(mode, ids, lists)).toEqual(expected);
  });

  test.each([
    ['no JSON', '{'],
    ['an unknown field', JSON.stringify({ ...JSON.parse(TWO), more: 1 })],
    ['no account', JSON.stringify({ ...JSON.parse(TWO), account: undefined })],
    [
      'a wait without an end',
      JSON.stringify({
        ...JSON.parse(TWO),
        pending: {
          wanted: { change: 'approval-threshold', limits: [] },
          askedBy: addedBy,
          askedAt: '2026-01-05T09:00:00.000Z',
          askedAtByHost: '2026-01-05T09:00:00.000Z',
          endsAt: 'never',
        },
      }),
    ],
  ])('are rejected with %s', async (_what, broken) => {
    await expect(read('live', ['a'], { a: broken })).rejects.toMatchObject({ code: 'CONFIG_BROKEN' });
    await expect(read('live', ['x'], { a: broken })).rejects.toMatchObject({ code: 'CONFIG_BROKEN' });
  });
});
