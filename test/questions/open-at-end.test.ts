import { expect, test } from 'vitest';
import { copyPath } from '../../src/account/paths.ts';
import { resolveProfile } from '../../src/account/profile.ts';
import { openCopyFile } from '../../src/copy/database.ts';
import { kindsIn } from '../../src/copy/questions/report/kinds.ts';
import { noteStatus } from '../../src/copy/save-rows.ts';
import { tableOf } from '../../src/copy/tables.ts';
import { payout as payoutThing } from '../../src/things/bank-transfers.ts';
import { fakeWorld } from '../support/world.ts';
import { allRead, copied, deposit, payout } from './copy.ts';
import { account, HOUR_MS, json, must, pass } from './reports.ts';

const [BEFORE, IN, AFTER] = ['2026-01-10T09:00:00.000Z', '2026-01-20T09:00:00.000Z', '2026-02-03T09:00:00.000Z'];
const JANUARY = { from: '2025-12-31T22:59:59.999Z', to: '2026-01-31T22:59:59.999Z' };
const LATER = { from: JANUARY.to, to: '2026-02-28T22:59:59.999Z' };

const own = (id: string, more: object) => payout(id, { ...more });
const paid = (id: string, more: object) => deposit(id, { ...more });

/** A payout that a bank sent back: the list shows it as failed, and the copy has seen it completed. */
const cameBack = { status: 'failed', createdAt: BEFORE, completedAt: null };

test('a period that is over counts what had begun and not ended by then, whatever became of it since', async () => {
  const world = fakeWorld();
  await copied(world, {
    payouts: [
      own('open-since', { status: 'processing', createdAt: IN, completedAt: null }),
      own('open-later', { status: 'processing', createdAt: AFTER, completedAt: null }),
      own('done-in', { createdAt: BEFORE, completedAt: IN }),
      own('done-after', { createdAt: IN, completedAt: AFTER }),
      own('made-after', { createdAt: AFTER, completedAt: AFTER }),
      own('failed-in', { status: 'failed', createdAt: BEFORE, updatedAt: IN, completedAt: null }),
      own('failed-after', { status: 'failed', createdAt: IN, updatedAt: AFTER, completedAt: null }),
      own('back-after', { ...cameBack, updatedAt: AFTER }),
      own('deleted-after', { status: 'processing', createdAt: IN, completedAt: null }),
      own('deleted-in', { status: 'processing', createdAt: BEFORE, completedAt: null }),
    ],
    deposits: [
      paid('cancelled-after', { status: 'cancelled', createdAt: IN, completedAt: AFTER }),
      paid('done-after', { createdAt: IN, completedAt: AFTER }),
      paid('done-in', { createdAt: BEFORE, completedAt: IN }),
    ],
  });
  const copy = await openCopyFile(copyPath(world, resolveProfile(undefined, world)), world);
  await copy.write(async (queries) => {
    await allRead(queries);
    await noteStatus(queries, tableOf(payoutThing), 'back-after', 'completed', IN);
    await queries.run(`UPDATE stored_payouts SET deleted_at = '${AFTER}' WHERE id = 'deleted-after'`);
    await queries.run(`UPDATE stored_payouts SET deleted_at = '${IN}' WHERE id = 'deleted-in'`);
  });
  const open = async (span: typeof JANUARY, isOver: boolean) => {
    const kinds = await copy.read((queries) => kindsIn(queries, span, isOver));
    return Object.fromEntries(kinds.map((each) => [each.kind, each.open]));
  };
  expect(await open(JANUARY, true)).toMatchObject({
    // open-since, done-after, failed-after and deleted-after.
    'payouts of the account': 4,
    // done-after and cancelled-after.
    'deposits of users': 2,
  });
  expect(await open(LATER, true)).toMatchObject({ 'payouts of the account': 2, 'deposits of users': 0 });
  expect(await open(JANUARY, false)).toMatchObject({ 'payouts of the account': 2 });
  await copy.close();
});

test('a month that is over stays as it was: what began later is not open in it, what ended later still is', async () => {
  const { world } = await account();
  await pass(world, Date.UTC(2026, 10, 30, 22, 59, 59, 995) - world.clock.now());
  await must(world, 'payout', 'create', '--amount', '2000', '--to', 'default', '--yes');
  await must(world, 'sync');
  await pass(world, HOUR_MS);
  const november = async () => (await json(world, 'report', '2026-11', '--by', 'kind')).kinds;
  const atEnd = [{ kind: 'payouts of the account', completed: 0, failed: 0, open: 1 }];
  // It may have ended between the last sync and the end of the month.
  expect(await november()).toMatchObject([
    { ...atEnd[0], open: null, countsKnown: { is: 'at least', why: 'AFTER_LAST_SYNC' } },
  ]);
  await must(world, 'sandbox', 'settle');
  await must(world, 'sync');
  await must(world, 'payout', 'create', '--amount', '3000', '--to', 'default', '--yes');
  await must(world, 'fx', 'trade', '--pair', 'CNGN-USDC', '--side', 'buy', '--amount', '5000', '--yes');
  await must(world, 'sync');
  expect(await november()).toMatchObject(atEnd);
  const december = (await json(world, 'report', '--by', 'kind')).kinds;
  expect(december).toMatchObject([
    { kind: 'payouts of the account', completed: 1, open: 1 },
    { kind: 'trades', completed: 0, open: 1 },
  ]);
  expect((await json(world, 'report', '2026-10', '--by', 'kind')).kinds).toEqual([]);
});

test('what can be withdrawn is not printed for a month before anyone had looked', async () => {
  const { world } = await account();
  const withdrawable = async (...period: string[]) => (await json(world, 'report', 'fees', ...period)).withdrawable;
  expect(await withdrawable()).toMatchObject({ asset: 'NGN' });
  expect(await withdrawable('2026-10')).toMatchObject({ value: null, known: { why: 'BEFORE_FIRST_SYNC' } });
  await pass(world, 40 * 24 * HOUR_MS);
  await must(world, 'sync');
  expect(await withdrawable('2026-11')).toMatchObject({ asset: 'NGN' });
  expect(await withdrawable('2026-10')).toMatchObject({ value: null, known: { why: 'BEFORE_FIRST_SYNC' } });
});
