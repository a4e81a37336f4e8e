import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { journalPath } from '../../src/account/paths.ts';
import { appliedTwice, requireOneJournal } from '../../src/engine/evidence/applied.ts';
import type { PlanContent } from '../../src/engine/plans/plan.ts';
import { fakeWorld } from '../support/world.ts';

/** What a plan does if it is applied a second time, and who may apply it. */

const DATABASE = 'postgres://ops@db.example.com/fiatrail';
const AMOUNT = { field: 'amount', asset: 'CNGN', value: '50.000000', minor: '50000000' } as const;
const PAYOUT = { endpoint: 'transactions.payout', request: {}, tag: null, amounts: [AMOUNT] };
const approver = (name: string) => ({
  name,
  publicKey: Buffer.from(name).toString('hex').padEnd(64, '0'),
  addedAt: '2026-01-05T09:00:00.000Z',
  addedBy: { user: name, host: 'host-1', approver: null },
});

interface Place {
  readonly mode?: 'live' | 'embedded';
  readonly soleHost?: boolean;
  readonly url?: string;
  readonly approvers?: readonly string[];
}

function accountAt({ mode = 'live', soleHost, url, approvers = ['ada', 'bayo'] }: Place, said: string[] = []) {
  const listed = { account: { mode, baseUrl: '', keyFingerprint: '' }, approvalThresholds: [], pending: null };
  const lists = new Map([['a-1', JSON.stringify({ ...listed, approvers: approvers.map(approver) })]]);
  const journal = { accountIds: async () => ['a-1'], approverLists: async () => lists };
  const world = fakeWorld({ env: url === undefined ? {} : { FIATRAIL_JOURNAL_URL: url } });
  mkdirSync(world.stateDir, { recursive: true });
  writeFileSync(journalPath(world), '');
  const stored = { name: 'main', mode, store: { kind: 'file' }, soleHost } as const;
  return {
    world,
    profile: { name: 'main', mode, stored },
    accountNames: async () => ({ keyFingerprint: '', profile: 'main', baseUrl: '' }),
    journal: async () => journal,
    activity: {},
    notices: {
      say: async (text: string) => {
        said.push(text);
      },
    },
  } as never;
}

const planOf = (more: Partial<PlanContent> = {}, signatures: readonly unknown[] = []) =>
  ({ content: { ...PAYOUT, ...more }, hash: '', signatures }) as never;

const AGAIN = 'with another machine’s journal, it sends 50.000000 CNGN again';

test.each<[string, Place, Partial<PlanContent>, string]>([
  ['with a shared journal', { url: DATABASE }, {}, 'sends nothing: the journal'],
  ['in the embedded sandbox', { mode: 'embedded' }, {}, 'sends nothing: the journal'],
  ['with a file', {}, {}, `${AGAIN}: nothing in the service’s lists shows`],
  [
    'on the sole host',
    { soleHost: true },
    {},
    `this profile says that plans are applied on this machine alone; ${AGAIN}`,
  ],
  [
    'with a tag',
    {},
    { endpoint: 'fees.withdraw', tag: '[fr-1]' },
    `${AGAIN} unless the service’s list shows [fr-1] by then`,
  ],
  ['of a trade', {}, { request: { idempotencyKey: 'k' } }, 'under which the service does it once'],
  ['of approvers', {}, { endpoint: 'profiles.approvers' }, 'changes the approvers in each journal'],
  ['without an amount', {}, { amounts: [] }, 'it sends the request again'],
])('a plan %s', async (_where, place, content, expected) => {
  expect(await appliedTwice(accountAt(place), planOf(content))).toContain(expected);
});

const REFUSED = { code: 'JOURNAL_NOT_SHARED', category: 'usage' };

test.each<[string, Place, Partial<PlanContent>, object | undefined, number]>([
  ['two approvers and a file', {}, {}, REFUSED, 0],
  ['three approvers and a file', { approvers: ['ada', 'bayo', 'chidi'] }, {}, REFUSED, 0],
  ['two approvers on the sole host', { soleHost: true }, {}, undefined, 0],
  ['two approvers and a shared journal', { url: DATABASE }, {}, undefined, 0],
  ['two approvers of the embedded sandbox', { mode: 'embedded' }, {}, undefined, 0],
  ['two approvers and a change of them', {}, { endpoint: 'profiles.approvers' }, undefined, 0],
  ['one approver and a file', { approvers: ['ada'] }, {}, undefined, 1],
  ['nobody', { approvers: [] }, {}, undefined, 0],
])('applying a plan with %s', async (_who, place, content, refused, warnings) => {
  const said: string[] = [];
  const applied = requireOneJournal(accountAt(place, said), planOf(content));
  if (refused) await expect(applied).rejects.toMatchObject(refused);
  else await applied;
  expect(said).toHaveLength(warnings);
});
