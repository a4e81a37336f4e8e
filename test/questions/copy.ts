import { resolveProfile } from '../../src/account/profile.ts';
import type { World } from '../../src/base/world.ts';
import { writeSetting, writeState } from '../../src/copy/list-state.ts';
import { openCopy } from '../../src/copy/open.ts';
import { rowsOf } from '../../src/copy/rows.ts';
import { saveRows } from '../../src/copy/save-rows.ts';
import { indexesOf } from '../../src/copy/schema.ts';
import { settleFees } from '../../src/copy/settle-fees.ts';
import { TABLES } from '../../src/copy/tables.ts';
import type { Queries } from '../../src/journal/store.ts';
import type { Plain } from '../../src/present/plain.ts';

export const SYNCED_AT = '2026-01-05T08:59:30.000Z';
const naira = (value: string) => ({ value, asset: 'NGN' }) as const;

export const USER = {
  userId: 'user-0001',
  firstName: 'ADÉ',
  lastName: 'OBI',
  isActive: true,
  createdAt: '2026-01-01T09:00:00.000Z',
  wallets: { evm: `0x${'a'.repeat(40)}` },
  virtualAccount: { accountNumber: '7000000001', accountName: 'ADÉ MUSA OBI', bankName: 'PROVIDUS BANK' },
};

export const deposit = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  type: 'user_onramp',
  userId: 'user-0001',
  amount: naira('5100.00'),
  status: 'completed',
  virtualAccountNumber: '7000000001',
  depositor: { name: 'ADÉ MUSA OBI', accountNumber: '0000000007' },
  transactionReference: `ref-${id}`,
  walletAddress: `0x${'a'.repeat(40)}`,
  mintTxHash: `0x${id.padEnd(64, '0')}`,
  createdAt: '2026-01-04T09:00:00.000Z',
  completedAt: '2026-01-04T09:01:00.000Z',
  ...more,
});

export const payout = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  type: 'fintech_offramp',
  amount: naira('700.00'),
  status: 'completed',
  payoutReference: `bank-${id}`,
  bankAccount: { accountName: 'BOLA EZE', accountNumber: '0123456789', bankName: 'GUARANTY TRUST BANK' },
  createdAt: '2026-01-04T10:00:00.000Z',
  completedAt: '2026-01-04T10:02:00.000Z',
  ...more,
});

const READ = { passStartedAt: SYNCED_AT, passedAt: SYNCED_AT, verifiedAt: SYNCED_AT, syncedAt: SYNCED_AT };

/** Says of every list that it was read to its end, but for some. */
export async function allRead(queries: Queries, unfinished: readonly string[] = []): Promise<void> {
  const list = { wholeSince: SYNCED_AT, unproved: [], isOrdered: true };
  const state = { ...READ, ...list, pass: 1, point: null, until: null, excess: 0 };
  for (const table of TABLES)
    await writeState(queries, table, { ...state, gap: unfinished.includes(table.name) ? 'unfinished' : null });
}

/** Puts rows into the local copy of the world's account, as a sync that ended would. */
export async function copied(world: World, rows: Readonly<Record<string, readonly object[]>>): Promise<void> {
  world.ensurePrivateDir(String(world.env['FIATRAIL_STATE_DIR']));
  const copy = await openCopy(world, resolveProfile(undefined, world));
  await copy.write(async (queries) => {
    for (const table of TABLES) {
      const made = ((rows[table.name] ?? []) as readonly Plain[]).map(rowsOf(table, () => true));
      await saveRows(queries, table, made, { at: SYNCED_AT, pass: 1 });
      for (const index of indexesOf(table)) await queries.run(index);
    }
    await settleFees(queries);
    await allRead(queries);
    await writeSetting(queries, 'synced-at', SYNCED_AT);
  });
  await copy.close();
}
